import * as z from 'zod/mini'
import { QUANTITIES } from '../../shared/quantity'
import { MAX_TIMESTAMP_MS } from '../decode/time'
import { EnvlogError } from '../errors'
import type { Channel } from '../readings/channel'

/** Reads the measured values of messages with readings, records or rows (docs/messages.md). */

/** The values of a device in one message. */
export interface MeasuredDevice {
  base: string
  serial: string
  /** Blank if unknown. */
  name: string
  /** Name of the group; `null` if none, `undefined` if unknown. Only current readings tell these apart. */
  group: string | null | undefined
  /** Minutes ahead of UTC; `null` if unknown. */
  utcOffset: number | null
  /** Level of the battery; `null` if the message does not contain it. */
  battery: string | null
  /** Time of the newest measurement, ms since 1970 UTC; `null` if there is none. */
  newest: number | null
  channels: Map<number, MeasuredChannel>
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

const word = z.string().check(z.maxLength(100), z.regex(/^[^/]+$/))
const time = z.nullish(z.number().check(z.minimum(-MAX_TIMESTAMP_MS), z.maximum(MAX_TIMESTAMP_MS)))
const optionalText = z.nullish(z.string())
const channel = {
  name: optionalText,
  unit: optionalText,
  quantity: z.catch(z.nullish(z.enum(QUANTITIES)), null),
}
const number = z.int().check(z.minimum(1), z.maximum(99))
const device = {
  serial: word,
  name: optionalText,
  base: z.object({ serial: word }),
  group: z.nullish(
    z.pipe(
      z.object({ name: z.string() }),
      z.transform(({ name }) => name),
    ),
  ),
  utcOffset: z.nullish(z.number()),
}

/** An element of current readings. */
const reading = z.object({
  ...device,
  timestamp: time,
  battery: z.nullish(z.object({ level: z.string() })),
  channels: z.array(
    z.object({ ...channel, number, value: z.optional(z.unknown()), error: z.optional(z.unknown()) }),
  ),
})

/** Latest records, or records of a period. */
const series = z.object({
  ...device,
  channels: z.array(z.object({ ...channel, number })),
  records: z.array(z.looseObject({ timestamp: time })),
})

type Reading = z.output<typeof reading>
type Series = z.output<typeof series>

/**
 * Reads a payload: current readings, a series, or rows, one or several.
 * @throws EnvlogError `measurements-unreadable`
 */
export function readMeasurements(payload: unknown): MeasuredDevice[] {
  const devices = new Map<string, MeasuredDevice>()
  const isSingle = !Array.isArray(payload)
  for (const element of isSingle ? [payload] : payload) addElement(devices, element, !isSingle)
  return [...devices.values()]
}

function addElement(devices: Map<string, MeasuredDevice>, element: unknown, isWhole: boolean): void {
  const { records, channels } = Object(element) as { records?: unknown; channels?: unknown }
  if (records !== undefined) addSeries(devices, parse(series, element))
  else if (channels !== undefined) addReading(devices, parse(reading, element))
  else addRow(devices, element, isWhole)
}

function parse<T extends z.ZodMiniType>(schema: T, element: unknown): z.output<T> {
  const result = z.safeParse(schema, element)
  if (!result.success) throw new EnvlogError('measurements-unreadable')
  return result.data
}

function addReading(devices: Map<string, MeasuredDevice>, { channels, timestamp, ...about }: Reading): void {
  const { base, battery } = about
  const measured = addDevice(devices, {
    ...about,
    base: base.serial,
    battery: battery?.level,
  })
  addTime(measured, timestamp)
  for (const listed of channels) addValue(addChannel(measured, listed), timestamp, listed.value, listed.error)
}

function addSeries(devices: Map<string, MeasuredDevice>, { channels, records, ...about }: Series): void {
  const { base, group } = about
  const measured = addDevice(devices, { ...about, base: base.serial, group: group ?? undefined })
  for (const { timestamp } of records) addTime(measured, timestamp)
  for (const listed of channels) {
    const key = `ch${listed.number}`
    const found = addChannel(measured, listed)
    for (const { timestamp, [key]: value, errors } of records)
      addValue(found, timestamp, value, (errors as Record<string, unknown> | undefined)?.[key])
  }
}

/** Reads a row without a schema, because a message may have half a million. */
function addRow(devices: Map<string, MeasuredDevice>, element: unknown, isWhole: boolean): void {
  const row = Object(element) as Record<string, unknown>
  const { serial, base, channel, timestamp, value, error, quantity } = row
  // Text that looks like a number comes from a database. It must not count as no value without a word.
  const isNumber = value == null || typeof value === 'number'
  // Rows of alerts and statistics have neither a value nor an error. Events of limits have a condition.
  const isMeasured = (value !== undefined || error !== undefined) && row.condition === undefined
  const isTimed =
    (timestamp == null && row.time == null) ||
    (typeof timestamp === 'number' && Math.abs(timestamp) <= MAX_TIMESTAMP_MS)
  if (!isMeasured || !isNumber || !isTimed || !isWord(serial) || !isWord(base) || !isChannelNumber(channel))
    throw new EnvlogError('measurements-unreadable')
  const text = (found: unknown) => (typeof found === 'string' ? found : null)
  const measured =
    devices.get(`${base}/${serial}`) ??
    addDevice(devices, {
      ...{ base, serial, isWhole, name: text(row.name) },
      ...{ group: text(row.groupname) ?? undefined, battery: text(row.batterylevel) },
    })
  addTime(measured, timestamp)
  const about = { name: text(row.label), unit: text(row.unit), quantity: toQuantity(quantity) }
  const found = measured.channels.get(channel) ?? addChannel(measured, { number: channel, ...about })
  addValue(found, timestamp, value, error)
}

const isWord = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= 100 && value !== '' && !value.includes('/')
const isChannelNumber = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 99
const toQuantity = (value: unknown) => QUANTITIES.find((quantity) => quantity === value) ?? null

type Optional<T> = { [K in keyof T]?: T[K] | null | undefined }

function addDevice(
  devices: Map<string, MeasuredDevice>,
  about: { base: string; serial: string } & Optional<MeasuredDevice>,
): MeasuredDevice {
  const { base, serial, name, group, utcOffset, battery, isWhole } = about
  const key = `${base}/${serial}`
  const measured = devices.get(key) ?? {
    base,
    serial,
    name: name ?? '',
    group: group === undefined ? undefined : group || null,
    utcOffset: utcOffset ?? null,
    battery: battery ?? null,
    newest: null,
    channels: new Map(),
    isWhole: isWhole ?? true,
  }
  devices.set(key, measured)
  return measured
}

function addChannel(
  { channels }: MeasuredDevice,
  { number, name, unit, quantity }: { number: number } & Optional<MeasuredChannel>,
): MeasuredChannel {
  const measured = channels.get(number) ?? {
    number,
    name: name ?? '',
    unit: unit ?? '',
    quantity: quantity ?? null,
    values: [],
  }
  channels.set(number, measured)
  return measured
}

function addTime(measured: MeasuredDevice, timestamp: number | null | undefined): void {
  if (timestamp != null) measured.newest = Math.max(measured.newest ?? timestamp, timestamp)
}

/** Adds a value, unless it has no time. Text is no value, even if it looks like a number. */
function addValue(
  { values }: MeasuredChannel,
  timestamp: number | null | undefined,
  value: unknown,
  error: unknown,
): void {
  if (timestamp == null) return
  if (typeof value === 'number' && Number.isFinite(value))
    values.push({ time: timestamp, value, error: null })
  else values.push({ time: timestamp, value: null, error: typeof error === 'string' ? error : null })
}
