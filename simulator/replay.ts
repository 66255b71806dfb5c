/**
 * Serves a report written by `envlog-check --save`: the saved responses for the same requests, and responses derived
 * from them for other devices and periods.
 */
import {
  defaultNumber,
  type EndpointName,
  endpointNames,
  endpoints,
  largestNumber,
  latestRecords,
} from './endpoints'
import { Refusal } from './errors'
import type { DeviceDefinition } from './fleet/definition'
import { OptionError } from './option-error'
import type { Parameters } from './parameters'

type Json = Record<string, unknown>

interface SavedAnswer {
  endpoint: EndpointName
  params: Json
  status: number | null
  /** For a successful request. */
  body?: Json
  error?: Json
}

export interface Replay {
  /** The devices of the account, without records: for the simulator's own addresses. */
  fleet: DeviceDefinition[]
  /** The body of a response. @throws Refusal */
  body(endpoint: EndpointName, params: Parameters): Json
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
/** A list, or an object whose keys are indexes. */
const listIn = (value: unknown): Json[] =>
  (Array.isArray(value) ? value : isObject(value) ? Object.values(value) : []).filter(isObject)
const single = (value: unknown): Json => {
  const one: unknown = Array.isArray(value) ? value[0] : value
  return isObject(one) ? one : {}
}

/** @throws OptionError if it is not a report */
export function replayOf(report: unknown): Replay {
  const answers = answersOf(report)
  const current = answers.find(({ endpoint }) => endpoint === 'current')
  const devices = listIn(current?.body?.devices)
  return {
    fleet: devices.filter(isNamed).map(definitionOf),
    body(endpoint, params) {
      if (endpoint === 'current') {
        if (!current?.body) throw refusalOf(current)
        return { ...current.body, devices: filtered(devices, params) }
      }
      // Only JSON is saved.
      if ((params.type ?? 'json') !== 'json') throw new Refusal('parameter', 'type')
      const saved = answers.filter((answer) => answer.endpoint === endpoint)
      const own = saved.filter((answer) => isAbout(answer, params))
      const exact = own.find((answer) => isSame(answer.params, params))
      if (own.length > 0 && !own.some(({ body }) => body)) throw refusalOf(own[0])
      if (exact?.body) return exact.body
      const device = devices.find((one) => isDevice(one, params))
      const template = own.find(({ body }) => body)?.body ?? saved.find(({ body }) => body)?.body
      if (!device) throw new Refusal('serial')
      const isServed = endpoint === 'alert' || isRemote(device) === endpoint.endsWith('relay')
      if (!template || !isServed) throw new Refusal('kind')
      const body = own.length > 0 ? template : readdressed(template, device)
      if (endpoint === 'alert') return own.length > 0 ? body : { ...body, 'alert-logs': [] }
      return { ...body, data: chosen(recordsOf(answers, device, params), params, endpoint) }
    },
  }
}

/** The same refusal as the service's; without a response, as if the service were unavailable. */
function refusalOf(answer: SavedAnswer | undefined): Refusal {
  const status = answer?.status ?? 503
  return new Refusal(status < 500 ? 'kind' : 'status', '', status)
}

function answersOf(report: unknown): SavedAnswer[] {
  const { format, version, answers } = isObject(report) ? report : ({} as Json)
  if (format !== 'envlog-report' || !Array.isArray(answers)) {
    throw new OptionError('replay: expected a file that envlog-check --save has written')
  }
  if (version !== 1) throw new OptionError(`replay: a report of version ${version} needs a newer simulator`)
  const known = answers.filter(
    (answer): answer is SavedAnswer => isObject(answer) && endpointNames.includes(answer.endpoint as never),
  )
  return known.map((answer) => ({ ...answer, params: isObject(answer.params) ? answer.params : {} }))
}

const isNamed = ({ serial }: Json) => typeof serial === 'string' && serial !== ''
const baseOf = ({ serial, baseunit }: Json) => single(baseunit).serial ?? serial
const isRemote = (device: Json) => baseOf(device) !== device.serial
const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

function definitionOf(device: Json): DeviceDefinition {
  const { serial, model, name, baseunit, group } = device
  const base = single(baseunit)
  const { num, name: groupName } = single(group)
  return {
    kind: isRemote(device) ? 'remote' : 'standalone-1',
    ...{ serial: textOf(serial), model: textOf(model), name: textOf(name) },
    ...(isRemote(device)
      ? { base: { serial: textOf(base.serial), model: textOf(base.model), name: textOf(base.name) } }
      : {}),
    group: { num: Number(num) || 0, name: textOf(groupName) },
    records: [],
  }
}

function filtered(devices: readonly Json[], params: Parameters): Json[] {
  const remotes = params['remote-serial'] as readonly unknown[] | undefined
  const bases = params['base-serial'] as readonly unknown[] | undefined
  if (!remotes && !bases) return [...devices]
  return devices.filter((device) => remotes?.includes(device.serial) || bases?.includes(baseOf(device)))
}

const isDevice = (device: Json, params: Parameters) =>
  device.serial === params['remote-serial'] &&
  (params['base-serial'] === undefined || params['base-serial'] === baseOf(device))

const isAbout = ({ params: saved }: SavedAnswer, params: Parameters) =>
  saved['remote-serial'] === params['remote-serial'] && saved['base-serial'] === params['base-serial']

function isSame(saved: Json, params: Parameters): boolean {
  const names = new Set([...Object.keys(saved), ...Object.keys(params)])
  return [...names].every((name) => saved[name] === params[name])
}

/** A response about one device, changed as if it were about another. */
function readdressed(body: Json, device: Json): Json {
  const base = single(device.baseunit)
  const fields: Json = {
    ...{ serial: device.serial, model: device.model, name: device.name },
    ...{ 'remote-serial': device.serial, 'remote-model': device.model, 'remote-name': device.name },
    ...{
      'base-serial': baseOf(device),
      'base-model': base.model ?? device.model,
      'base-name': base.name ?? device.name,
    },
  }
  const own = Object.entries(fields).filter(([name]) => name in body)
  const channels = listIn(device.channel).map(({ num, name, unit }) => ({ num, name, unit }))
  return { ...body, ...Object.fromEntries(own), channel: channels }
}

/** All saved records of a device; if none were saved, its current reading. */
function recordsOf(answers: readonly SavedAnswer[], device: Json, params: Parameters): Json[] {
  const records = answers
    .filter((answer) => answer.body && 'data' in answer.body && isAbout(answer, params))
    .flatMap(({ body }) => listIn(body?.data))
  if (records.length === 0) {
    const values = listIn(device.channel).map(({ num, value }) => [`ch${num}`, value])
    return [{ unixtime: device.unixtime, 'data-id': 0, ...Object.fromEntries(values) }]
  }
  const byKey = new Map(
    records.map((record) => [`${record.unixtime} ${record['data-id'] ?? record.data_id}`, record]),
  )
  return [...byKey.values()].sort((one, other) => Number(one.unixtime) - Number(other.unixtime))
}

/** The newest records of the period. Both bounds are included, which the nodes allow for. */
function chosen(records: readonly Json[], params: Parameters, endpoint: EndpointName): Json[] {
  if (!endpoints[endpoint].budget) return records.slice(-latestRecords)
  const { 'unixtime-from': from = 0, 'unixtime-to': to = Number.POSITIVE_INFINITY, number } = params
  const inside = records.filter(
    ({ unixtime }) => Number(unixtime) >= Number(from) && Number(unixtime) <= Number(to),
  )
  return inside.slice(-Math.min(Number(number ?? defaultNumber), largestNumber))
}
