/**
 * Serves a report that `envlog-check --save` wrote. A request that is in the report gets its saved response. Responses
 * for other devices and periods are derived from the saved ones.
 */
import {
  defaultRecords,
  type EndpointName,
  endpointNames,
  endpoints,
  maxLatestRecords,
  maxRecords,
} from './endpoints'
import { Refusal } from './errors'
import type { DeviceDefinition } from './fleet/definition'
import { OptionError } from './option-error'
import type { Parameters } from './parameters'

type Json = Record<string, unknown>

interface SavedResponse {
  endpoint: EndpointName
  params: Json
  status: number | null
  /** Only for successful requests. */
  body?: Json
  error?: Json
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
/** A list, or an object whose keys are indexes. */
const listIn = (value: unknown): Json[] =>
  (Array.isArray(value) ? value : isObject(value) ? Object.values(value) : []).filter(isObject)
/** An object, or a list that contains it. */
const objectIn = (value: unknown): Json => {
  const object: unknown = Array.isArray(value) ? value[0] : value
  return isObject(object) ? object : {}
}

export class Replay {
  /** The devices of the account, without records, for the control address. */
  readonly fleet: DeviceDefinition[]
  readonly #responses: readonly SavedResponse[]
  readonly #current: SavedResponse | undefined
  readonly #devices: readonly Json[]

  /** @throws OptionError if `report` is not a report */
  constructor(report: unknown) {
    this.#responses = readResponses(report)
    this.#current = this.#responses.find(({ endpoint }) => endpoint === 'current')
    this.#devices = listIn(this.#current?.body?.devices)
    this.fleet = this.#devices.filter(hasSerial).map(toDefinition)
  }

  /**
   * The body of a response.
   * @throws Refusal
   */
  body(endpoint: EndpointName, params: Parameters): Json {
    if (endpoint === 'current') {
      if (!this.#current?.body) throw toRefusal(this.#current)
      return { ...this.#current.body, devices: filterDevices(this.#devices, params) }
    }
    // Only JSON is saved.
    if ((params.type ?? 'json') !== 'json') throw new Refusal('parameter', 'type')
    const saved = this.#responses.filter((response) => response.endpoint === endpoint)
    const own = saved.filter((response) => isForSameDevice(response, params))
    if (own.length > 0 && !own.some(({ body }) => body)) throw toRefusal(own[0])
    const exact = own.find((response) => isSame(response.params, params))
    return exact?.body ?? this.#derive(endpoint, params, bodyIn(own), bodyIn(saved))
  }

  /** @param own the body for another period of the device @param other the body for any device */
  #derive(endpoint: EndpointName, params: Parameters, own: Json | undefined, other: Json | undefined): Json {
    const device = this.#devices.find((candidate) => isDevice(candidate, params))
    if (!device) throw new Refusal('serial')
    const isServed = endpoint === 'alert' || isRemote(device) === endpoint.endsWith('relay')
    if (!other || !isServed) throw new Refusal('kind')
    const body = own ?? withDevice(other, device)
    if (endpoint === 'alert') return own ?? { ...body, 'alert-logs': [] }
    const records = collectRecords(this.#responses, device, params)
    return { ...body, data: selectRecords(records, params, endpoint) }
  }
}

const bodyIn = (responses: readonly SavedResponse[]) => responses.find(({ body }) => body)?.body

/** The refusal in the report. If there was no response, a refusal as if the service were unavailable. */
function toRefusal(response: SavedResponse | undefined): Refusal {
  const status = response?.status ?? 503
  return new Refusal(status < 500 ? 'kind' : 'status', '', status)
}

function readResponses(report: unknown): SavedResponse[] {
  const { format, version, responses } = isObject(report) ? report : ({} as Json)
  if (format !== 'envlog-report' || !Array.isArray(responses)) {
    throw new OptionError('replay: expected a file that envlog-check --save has written')
  }
  if (version !== 1) throw new OptionError(`replay: a report of version ${version} needs a newer simulator`)
  const known = responses.filter(
    (saved): saved is SavedResponse => isObject(saved) && endpointNames.includes(saved.endpoint as never),
  )
  return known.map((saved) => ({ ...saved, params: isObject(saved.params) ? saved.params : {} }))
}

const hasSerial = ({ serial }: Json) => typeof serial === 'string' && serial !== ''
const baseOf = ({ serial, baseunit }: Json) => objectIn(baseunit).serial ?? serial
const isRemote = (device: Json) => baseOf(device) !== device.serial
const toText = (value: unknown) => (typeof value === 'string' ? value : '')

function toDefinition(device: Json): DeviceDefinition {
  const { serial, model, name, baseunit, group } = device
  const base = objectIn(baseunit)
  const { num, name: groupName } = objectIn(group)
  return {
    kind: isRemote(device) ? 'remote' : 'standalone-1',
    ...{ serial: toText(serial), model: toText(model), name: toText(name) },
    ...(isRemote(device)
      ? { base: { serial: toText(base.serial), model: toText(base.model), name: toText(base.name) } }
      : {}),
    group: { num: Number(num) || 0, name: toText(groupName) },
    records: [],
  }
}

function filterDevices(devices: readonly Json[], params: Parameters): Json[] {
  const remotes = params['remote-serial'] as readonly unknown[] | undefined
  const bases = params['base-serial'] as readonly unknown[] | undefined
  if (!remotes && !bases) return [...devices]
  return devices.filter((device) => remotes?.includes(device.serial) || bases?.includes(baseOf(device)))
}

const isDevice = (device: Json, params: Parameters) =>
  device.serial === params['remote-serial'] &&
  (params['base-serial'] === undefined || params['base-serial'] === baseOf(device))

const isForSameDevice = ({ params: saved }: SavedResponse, params: Parameters) =>
  saved['remote-serial'] === params['remote-serial'] && saved['base-serial'] === params['base-serial']

function isSame(saved: Json, params: Parameters): boolean {
  const names = new Set([...Object.keys(saved), ...Object.keys(params)])
  return [...names].every((name) => saved[name] === params[name])
}

/** A response for another device, changed as if it were for this device. */
function withDevice(body: Json, device: Json): Json {
  const base = objectIn(device.baseunit)
  const fields: Json = {
    ...{ serial: device.serial, model: device.model, name: device.name },
    ...{ 'remote-serial': device.serial, 'remote-model': device.model, 'remote-name': device.name },
    ...{
      'base-serial': baseOf(device),
      'base-model': base.model ?? device.model,
      'base-name': base.name ?? device.name,
    },
  }
  const replaced = Object.entries(fields).filter(([name]) => name in body)
  const channels = listIn(device.channel).map(({ num, name, unit }) => ({ num, name, unit }))
  return { ...body, ...Object.fromEntries(replaced), channel: channels }
}

/** All saved records of a device; if there are none, its current reading. */
function collectRecords(responses: readonly SavedResponse[], device: Json, params: Parameters): Json[] {
  const records = responses
    .filter((response) => response.body && 'data' in response.body && isForSameDevice(response, params))
    .flatMap(({ body }) => listIn(body?.data))
  if (records.length === 0) {
    const values = listIn(device.channel).map(({ num, value }) => [`ch${num}`, value])
    return [{ unixtime: device.unixtime, 'data-id': 0, ...Object.fromEntries(values) }]
  }
  const byKey = new Map(
    records.map((record) => [`${record.unixtime} ${record['data-id'] ?? record.data_id}`, record]),
  )
  return [...byKey.values()].sort((a, b) => Number(a.unixtime) - Number(b.unixtime))
}

/** The newest records of the period, including records at both bounds; the nodes accept that. */
function selectRecords(records: readonly Json[], params: Parameters, endpoint: EndpointName): Json[] {
  if (!endpoints[endpoint].recordQuota) return records.slice(-maxLatestRecords)
  const { 'unixtime-from': from = 0, 'unixtime-to': to = Number.POSITIVE_INFINITY, number } = params
  const inPeriod = records.filter(
    ({ unixtime }) => Number(unixtime) >= Number(from) && Number(unixtime) <= Number(to),
  )
  return inPeriod.slice(-Math.min(Number(number ?? defaultRecords), maxRecords))
}
