import { nextTurn } from '../clock'
import type { Group } from '../decode/envelopes'
import { type Fields, readElements } from '../decode/fields'
import type { TimeStyle } from '../decode/time'
import type { CurrentParams } from '../endpoints'
import { EnvlogError } from '../errors'
import type { Content } from '../readings/content'
import { type Reading, readCurrent } from '../readings/current'
import type { RequestContext } from '../request'
import type { AccountDevices } from './account-devices'
import {
  type DeviceFailure,
  deviceKey,
  type NamedDevice,
  type Selection,
  unknownDevice,
  unknownGroup,
} from './devices'
import type { AccountAccess, Collected, ResponseFormat } from './fetch'
import type { NodeState } from './node-state'
import { shortHash } from './short-hash'

export interface CurrentQuery {
  selection: Selection
  /** Excluded serials. */
  exclude: readonly string[]
  time: TimeStyle
  /** Seconds after which a reading is stale; `null` for no limit. */
  staleAfter: number | null
  format: ResponseFormat
}

/**
 * The current reading of each selected device, in one request to `current`; `undefined` if none is selected.
 * @throws EnvlogError if the request or decoding fails
 */
export async function collectCurrent(
  account: AccountAccess,
  query: CurrentQuery,
  context: RequestContext,
): Promise<Collected | undefined> {
  const params = buildCurrentParams(query, account.devices)
  if (!params) return undefined
  if (query.format !== 'read') {
    const response = await account.client.readRaw('current', params, context)
    return { response, content: { kind: 'raw', payload: response.body }, group: null }
  }
  const response = await account.client.read('current', params, context)
  if (Object.keys(params).length === 0) account.devices.update(response)
  const { time, staleAfter } = query
  const { receivedAt } = response
  const options = { receivedAt, time, staleAfter, series1Models: account.series1Models }
  await nextTurn()
  const all = readCurrent(response.body, options)
  const { unreadable } = response.body
  const [first] = unreadable
  if (first && all.length === 0) throw new EnvlogError('response-unreadable', { part: first.part })
  // Nearly always, and there may be thousands.
  const isAll = query.selection === 'all' && query.exclude.length === 0
  const readings = isAll ? all : all.filter((reading) => isSelected(memberOf(reading), query))
  const others = unreadable.map(({ serial, part, known }) => ({ serial, part, ...known }))
  const failed = others
    .filter((member) => isSelected(member, query))
    .map(({ serial, part, name }): DeviceFailure => {
      const error = new EnvlogError('response-left-out', { part }, { endpoint: response.endpoint, serial })
      return { device: { serial }, error: error.about({ serial, name }) }
    })
  if (query.selection !== 'all')
    failed.push(...findMissing([...all.map(memberOf), ...others], query.selection, query.exclude))
  return { response, content: { kind: 'current', readings }, group: null, failed }
}

/** Whether a raw response without a filter shows that the account has no device. */
export function listsNoDevice(content: Content): boolean {
  return content.kind === 'raw' && readElements((content.payload as Fields).devices)?.length === 0
}

/** A device in the response with its base unit and group, which may be unknown for an unreadable device. */
interface Member {
  serial: string
  base?: string
  /** `null` if the device has none. */
  group?: Group | null
}

const memberOf = ({ serial, base, group }: Reading): Member => ({ serial, base: base.serial, group })

/**
 * Selected devices that are missing from the response because the account does not have them. Unreadable devices are
 * not included, because they are reported separately.
 */
function findMissing(
  members: readonly Member[],
  selection: Exclude<Selection, 'all'>,
  exclude: readonly string[],
): DeviceFailure[] {
  const isPresent = (device: NamedDevice) => members.some((member) => isSameDevice(device, member))
  const devices = selection.devices.filter((device) => !exclude.includes(device.serial) && !isPresent(device))
  const bases = selection.bases.filter(
    (base) => !exclude.includes(base) && members.every((member) => member.base !== base),
  )
  const groups = selection.groups.filter((group) => members.every((member) => member.group?.name !== group))
  return [
    ...devices.map(({ serial, base }) => unknownDevice(serial, base)),
    ...bases.map((base) => unknownDevice(base, base)),
    ...groups.map(unknownGroup),
  ]
}

/** Whether serial and base unit match; an unknown base unit matches any. */
const isSameDevice = ({ serial, base }: NamedDevice, member: Member) =>
  serial === member.serial && (base === undefined || member.base === undefined || base === member.base)

/**
 * The narrowest filter for a single request. The service filters either by remote units, or by base units and
 * standalone devices (docs/service.md). Any other combination is requested without a filter, at the same cost, and
 * filtered here. `undefined` if nothing is left to request.
 */
function buildCurrentParams(
  { selection, exclude, format }: CurrentQuery,
  list: Pick<AccountDevices, 'isRemote'>,
): CurrentParams | undefined {
  if (selection === 'all') return {}
  const devices = selection.devices.filter(({ serial }) => !exclude.includes(serial))
  if (devices.length + selection.bases.length + selection.groups.length === 0) return undefined
  if (selection.groups.length > 0) return {}
  const isRemote = devices.map(({ serial, base, isRemote }) => {
    if (isRemote) return true
    if (base !== undefined) return base !== serial
    if (format === 'read') return list.isRemote(serial, true)
    // A raw response cannot be filtered here. Assume a remote unit, as most devices are.
    return list.isRemote(serial, false) ?? true
  })
  const serials = [...new Set(devices.map(({ serial }) => serial))]
  if (selection.bases.length === 0 && isRemote.every((value) => value === true))
    return { 'remote-serial': serials }
  if (isRemote.some((value) => value !== false)) return {}
  return { 'base-serial': [...new Set([...selection.bases, ...serials])] }
}

/**
 * Whether a device of the response is selected. A response may contain more devices, because a serial can exist under
 * two base units (docs/service.md). An unreadable device with an unknown base unit counts as selected.
 */
function isSelected(member: Member, { selection, exclude }: CurrentQuery): boolean {
  const { serial, base, group } = member
  if (exclude.includes(serial)) return false
  if (selection === 'all' || base === undefined || group === undefined) return true
  if (selection.bases.includes(base) || (group && selection.groups.includes(group.name))) return true
  return selection.devices.some((device) => isSameDevice(device, member))
}

/**
 * The readings whose measurement time, `stale`, battery level or channel errors have changed since the last reading
 * that was sent (docs/collecting.md, *Current readings*). Call `remember` after sending them.
 */
export function changedReadings(
  readings: readonly Reading[],
  state: NodeState,
): { changed: Reading[]; remember(): void } {
  // The flow may change the readings before they are remembered.
  const compared = readings.map((reading) => {
    const device = state.devices.get(deviceKey({ serial: reading.serial, base: reading.base.serial }))
    return { reading, device, sentValue: toSentValue(reading) }
  })
  const changed = compared.filter(({ device, sentValue }) => !device.isLastReading(sentValue))
  return {
    changed: changed.map(({ reading }) => reading),
    remember() {
      for (const { device, sentValue } of changed) device.rememberReading(sentValue)
      if (changed.length > 0) state.save()
    },
  }
}

function toSentValue({ timestamp, stale, battery, channels }: Reading): string {
  const errors = channels.flatMap(({ key, error }) => (error === null ? [] : [[key, error]]))
  const parts = [timestamp, stale, battery.level]
  return [...parts, ...(errors.length > 0 ? [shortHash(JSON.stringify(errors))] : [])].join(' ')
}
