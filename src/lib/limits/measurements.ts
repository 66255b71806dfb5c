import { isChannelNumber, isReadableSerial } from '../../shared/action'
import { QUANTITIES, type Quantity } from '../../shared/quantity'
import { isTimestamp } from '../decode/time'
import { EnvlogError } from '../errors'
import type { Channel } from '../readings/channel'
import { toOneLine } from '../redact'

/**
 * Reads the measured values of messages with readings, records or rows (docs/messages.md). Without a schema, because a
 * message may have half a million rows.
 */

/** The values of a device in one message. */
export interface MeasuredDevice {
  base: string
  serial: string
  /** Blank if unknown. */
  name: string
  /** Name of its base unit; blank if unknown. */
  baseName: string
  /** Name of the group; `null` if none, `undefined` if unknown. Only current readings tell these apart. */
  group: string | null | undefined
  /** Minutes ahead of UTC; `null` if unknown. */
  utcOffset: number | null
  /** Level of the battery; `null` if the message does not contain it. */
  battery: string | null
  /** Time of the newest measurement, ms since 1970 UTC; `null` if there is none. */
  newest: number | null
  channels: MeasuredChannel[]
  /** Whether the newest measurement is complete, so that a channel without a value has none. */
  isWhole: boolean
}

export interface MeasuredChannel extends Pick<Channel, 'number' | 'name' | 'unit' | 'quantity'> {
  /** Values with a time, in the order of the message. */
  values: MeasuredValue[]
}

export interface MeasuredValue {
  /** ms since 1970 UTC. */
  time: number
  /** `null` if the service sent no number. */
  value: number | null
  /** The text that the service sent instead. */
  error: string | null
}

export interface Measurements {
  devices: readonly MeasuredDevice[]
  /** Why some of them cannot be judged. The others are. */
  problem: EnvlogError | undefined
}

type Fields = Readonly<Record<string, unknown>>

/** The first property of an element that cannot be read, with the serial number, if it is readable. */
interface Unreadable {
  serial: string
  /** Blank if the element is neither a reading, a series nor a row. */
  property: string
}

/** How many elements the text of a problem names. */
const MAX_NAMED = 3

/**
 * Reads a payload: current readings, a series, or rows, one or several.
 * @throws EnvlogError `measurements-unreadable`, `elements-unreadable` if nothing in it can be judged
 */
export function readMeasurements(payload: unknown): Measurements {
  const devices: MeasuredDevice[] = []
  const rows = new Map<string, MeasuredDevice>()
  const unreadable: Unreadable[] = []
  const elements: readonly unknown[] = Array.isArray(payload) ? payload : [payload]
  for (const element of elements) {
    const fields = Object(element) as Fields
    const isRow = fields.records === undefined && fields.channels === undefined
    const property = isRow ? addRow(rows, fields, elements === payload) : addElement(devices, fields)
    if (property === undefined) continue
    unreadable.push({ serial: isReadableSerial(fields.serial) ? fields.serial : '', property })
  }
  devices.push(...rows.values())
  const problem = toProblem(unreadable, elements.length)
  if (problem && devices.length === 0) throw problem
  return { devices, problem }
}

function toProblem(unreadable: readonly Unreadable[], of: number): EnvlogError | undefined {
  if (unreadable.length === 0) return undefined
  if (unreadable.every(({ property }) => property === '')) return new EnvlogError('measurements-unreadable')
  const named = unreadable
    .slice(0, MAX_NAMED)
    .map(({ serial, property }) => [toOneLine(serial), property].filter((part) => part !== '').join(' '))
  if (unreadable.length > MAX_NAMED) named.push('…')
  return new EnvlogError('elements-unreadable', { count: unreadable.length, of, elements: named.join(', ') })
}

/** @returns the property that cannot be read, if any; then nothing has been added */
function addElement(devices: MeasuredDevice[], fields: Fields): string | undefined {
  const { records, channels, serial, base, timestamp } = fields
  if (!isReadableSerial(serial)) return 'serial'
  if (!isReadableSerial(Object(base).serial)) return 'base.serial'
  if (!Array.isArray(channels) || !channels.every((channel) => isChannelNumber(Object(channel).number)))
    return 'channels'
  if (records === undefined) {
    if (!isTimeOrNone(timestamp)) return 'timestamp'
    devices.push(readReading(fields, channels as Fields[]))
    return undefined
  }
  if (!Array.isArray(records) || !records.every((record) => isTimeOrNone(Object(record).timestamp)))
    return 'records'
  devices.push(readSeries(fields, channels as Fields[], records as Fields[]))
  return undefined
}

const isTimeOrNone = (value: unknown): value is number | null | undefined =>
  value === undefined || value === null || isTimestamp(value)

function readReading(fields: Fields, channels: readonly Fields[]): MeasuredDevice {
  const { timestamp } = fields
  const measured = startDevice(fields, Object(fields.battery).level)
  addTime(measured, timestamp)
  for (const listed of channels) {
    const value = toValue(timestamp, listed.value, listed.error)
    addChannel(measured, listed.number as number, listed, value ? [value] : [])
  }
  return measured
}

function readSeries(fields: Fields, channels: readonly Fields[], records: readonly Fields[]): MeasuredDevice {
  const measured = startDevice(fields, null)
  // Series do not tell whether a device has no group.
  measured.group ??= undefined
  for (const { timestamp } of records) addTime(measured, timestamp)
  for (const listed of channels) {
    const key = `ch${listed.number}`
    const values: MeasuredValue[] = []
    for (const { timestamp, [key]: value, errors } of records) {
      const read = toValue(timestamp, value, (errors as Fields | undefined)?.[key])
      if (read) values.push(read)
    }
    addChannel(measured, listed.number as number, listed, values)
  }
  return measured
}

/**
 * Rows of a device may be anywhere in a message.
 * @returns the property that cannot be read, if any
 */
function addRow(devices: Map<string, MeasuredDevice>, row: Fields, isInList: boolean): string | undefined {
  const { serial, base, channel, timestamp, value, error } = row
  // Rows of alerts and statistics have neither a value nor an error. Events of alarms have a condition.
  if ((value === undefined && error === undefined) || row.condition !== undefined) return ''
  if (!isReadableSerial(serial)) return 'serial'
  if (!isReadableSerial(base)) return 'base'
  if (!isChannelNumber(channel)) return 'channel'
  // Text that looks like a number comes from a database. It must not silently count as no value.
  if (value != null && typeof value !== 'number') return 'value'
  const isUntimed = timestamp == null && row.time == null
  if (!isUntimed && !isTimestamp(timestamp)) return 'timestamp'
  const key = `${base}/${serial}`
  const measured = devices.get(key) ?? startDevice(aboutRow(row), row.batterylevel, isInList)
  devices.set(key, measured)
  addTime(measured, timestamp)
  const { label: name, unit, quantity } = row
  const read = toValue(timestamp, value, error)
  addChannel(measured, channel, { name, unit, quantity }, read ? [read] : [])
  return undefined
}

/** A row as the properties of a reading. */
function aboutRow({ serial, base, name, groupname }: Fields): Fields {
  return { serial, name, base: { serial: base }, group: groupname ? { name: groupname } : undefined }
}

const toQuantity = (value: unknown) => QUANTITIES[QUANTITIES.indexOf(value as Quantity)] ?? null
const toText = (value: unknown) => (typeof value === 'string' ? value : '')

/** The group of a reading: its name, `null` if none, `undefined` if the message does not say. */
function toGroup(group: unknown): string | null | undefined {
  if (group === undefined) return undefined
  return toText(Object(group).name) || null
}

/** @param isWhole whether all its channels are in the same message */
function startDevice(
  { serial, base, name, group, utcOffset }: Fields,
  battery: unknown,
  isWhole = true,
): MeasuredDevice {
  return {
    base: (base as { serial: string }).serial,
    serial: serial as string,
    name: toText(name),
    baseName: toText(Object(base).name),
    group: toGroup(group),
    utcOffset: typeof utcOffset === 'number' ? utcOffset : null,
    battery: toText(battery) || null,
    newest: null,
    channels: [],
    isWhole,
  }
}

/** Adds values of a channel, which is added if it is new. */
function addChannel(
  { channels }: MeasuredDevice,
  number: number,
  about: Fields,
  values: MeasuredValue[],
): void {
  const known = channelIn(channels, number)
  const unit = toText(about.unit)
  const quantity = toQuantity(about.quantity)
  if (!known) {
    channels.push({ number, name: toText(about.name), unit, quantity, values })
    return
  }
  // A row without a value may have no unit.
  if (known.unit === '') known.unit = unit
  known.quantity ??= quantity
  for (const value of values) known.values.push(value)
}

/** Without a closure, because a message has thousands of channels. */
export function channelIn<T extends { number: number }>(
  channels: readonly T[],
  number: number,
): T | undefined {
  for (const channel of channels) if (channel.number === number) return channel
  return undefined
}

function addTime(measured: MeasuredDevice, timestamp: unknown): void {
  if (typeof timestamp === 'number') measured.newest = Math.max(measured.newest ?? timestamp, timestamp)
}

/** @returns `undefined` without a time. Text is no value, even if it looks like a number. */
function toValue(timestamp: unknown, value: unknown, error: unknown): MeasuredValue | undefined {
  if (typeof timestamp !== 'number') return undefined
  if (typeof value === 'number' && Number.isFinite(value)) return { time: timestamp, value, error: null }
  return { time: timestamp, value: null, error: typeof error === 'string' ? error : null }
}
