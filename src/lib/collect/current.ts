import type { CurrentParams } from '../api/endpoints'
import type { Unreadable } from '../api/fields'
import { EnvlogError } from '../errors'
import { gently } from '../pace'
import type { RequestContext } from '../quota/types'
import { type Reading, stepsOfCurrent } from '../readings/current'
import type { TimeStyle } from '../readings/time'
import { type DeviceFailure, type NamedDevice, type Selection, unknownDevice } from './devices'
import type { AccountAccess, Collected, ResponseFormat } from './fetch'
import type { NodeState } from './node-state'

export interface CurrentQuery {
  selection: Selection
  /** Serials that are left out. */
  exclude: readonly string[]
  time: TimeStyle
  /** Seconds after which a reading is stale; `null` for no limit. */
  staleAfter: number | null
  format: ResponseFormat
  /** The property that names the devices, for errors. */
  property: string
}

/**
 * The current reading of each selected device, in one request (endpoint 1); `undefined` where none is selected.
 * @throws EnvlogError `devices-mixed`; those of the request and of decoding
 */
export async function collectCurrent(
  account: AccountAccess,
  query: CurrentQuery,
  context: RequestContext,
): Promise<Collected | undefined> {
  const params = buildCurrentParams(query)
  if (!params) return undefined
  if (query.format !== 'read') {
    const answer = await account.client.readRaw('current', params, context)
    return { answer, content: { kind: 'raw', payload: answer.body }, group: '' }
  }
  const answer = await account.client.read('current', params, context)
  if (query.selection === 'all') account.directory.update(answer)
  const { time, staleAfter } = query
  const { receivedAt } = answer
  const failed: DeviceFailure[] = []
  const unreadable = ({ serial, part }: Pick<Unreadable, 'serial' | 'part'>) => {
    if (query.exclude.includes(serial)) return
    const cause = { endpoint: answer.endpoint, serial }
    failed.push({ device: { serial }, error: new EnvlogError('reply-left-out', { part }, cause) })
  }
  const options = { receivedAt, time, staleAfter, series1Models: account.series1Models }
  const all = await gently(stepsOfCurrent(answer.body, options, unreadable), context.signal)
  const readings = all.filter((reading) => isWanted(reading, query))
  const reported = new Set(failed.map(({ device }) => device.serial))
  failed.push(...findMissingDevices(all, query).filter(({ device }) => !reported.has(device.serial)))
  return { answer, content: { kind: 'current', readings }, group: '', failed }
}

/** Selected devices that are not in the answer: the account does not have them. */
function findMissingDevices(
  readings: readonly Reading[],
  { selection, exclude }: CurrentQuery,
): DeviceFailure[] {
  if (selection === 'all') return []
  const devices = selection.devices.filter(
    (device) =>
      !exclude.includes(device.serial) && !readings.some((reading) => isSameDevice(device, reading)),
  )
  const bases = selection.bases.filter((base) => !readings.some((reading) => reading.base.serial === base))
  return [
    ...devices.map(({ serial, base }) => unknownDevice(serial, base)),
    ...bases.map((base) => unknownDevice(base, base)),
  ]
}

const isSameDevice = ({ serial, base }: NamedDevice, reading: Reading) =>
  serial === reading.serial && (base === undefined || base === reading.base.serial)

function buildCurrentParams({ selection, exclude, property }: CurrentQuery): CurrentParams | undefined {
  if (selection === 'all') return {}
  const { devices, bases } = selection
  if (devices.length > 0 && bases.length > 0) throw new EnvlogError('devices-mixed', { property })
  if (bases.length > 0) return { 'base-serial': [...new Set(bases)] }
  const serials = new Set(devices.map(({ serial }) => serial))
  for (const serial of exclude) serials.delete(serial)
  return serials.size > 0 ? { 'remote-serial': [...serials] } : undefined
}

/** The service filters by serial alone, but one serial may stand under two base units (docs/service.md). */
function isWanted(reading: Reading, { selection, exclude }: CurrentQuery): boolean {
  if (exclude.includes(reading.serial)) return false
  if (selection === 'all' || selection.devices.length === 0) return true
  return selection.devices.some((device) => isSameDevice(device, reading))
}

/**
 * The readings whose measurement time or `stale` changed since they were last sent (docs/collecting.md, *Current
 * readings*). Call `remember` once they are sent.
 */
export function changedReadings(
  readings: readonly Reading[],
  state: NodeState,
): { changed: Reading[]; remember(): void } {
  const changed = readings.filter((reading) => state.lastSent(readingKey(reading)) !== toSentValue(reading))
  return {
    changed,
    remember: () => state.setLastSent(changed.map((reading) => [readingKey(reading), toSentValue(reading)])),
  }
}

const readingKey = ({ serial, base }: Reading) => `${base.serial}/${serial}`
const toSentValue = ({ timestamp, stale }: Reading) => `${timestamp} ${stale}`
