/**
 * Generated records: the record at index k is a pure function of (seed, device, k), so that the history can have any
 * length and costs nothing until it is requested.
 */
import { hash } from '../random'
import type { ChannelDefinition, EventDefinition, GeneratedRecords, RecordValue } from './definition'
import { riseAt } from './event-effects'
import { indexAt, type RecordSource, type RecordView, type StoredRecord } from './records'
import { signals, valueAt } from './signal'

/** If the device has gaps: of every `block` measurements, `missing` in a row were never received. */
const block = 500
const missing = 3

export interface GeneratedShape {
  seed: number
  channels: readonly ChannelDefinition[]
  capacity: number
  /** default for the first id */
  firstId: number
  /** ids return to 0 here */
  idModulus: number
  /** default for the first record's time */
  from: number
  events: readonly EventDefinition[]
}

export interface GeneratedSource {
  /** stored records: the newest `capacity` */
  stored: RecordSource
  /** everything ever measured: the alert log outlives the records it was derived from */
  everything: RecordSource
  /** the measurement of a channel at any time */
  measured(column: number, time: number): RecordValue
  /** no measurements after this time (s) */
  until: number
}

export function generatedRecords(options: GeneratedRecords, shape: GeneratedShape): GeneratedSource {
  const interval = options.interval ?? 600
  const drift = options.drift ?? 97
  const from = options.from ?? shape.from
  const numberOf = (index: number) => (options.gaps ? withGaps(index, shape.seed) : index)
  const timeOf = (measurement: number) =>
    from + measurement * interval + (drift > 0 ? Math.floor(measurement / drift) : 0)
  const timeAt = (index: number) => timeOf(numberOf(index))
  const idAt = idRule(options, shape, timeOf)
  const seeds = shape.channels.map((channel) => hash(shape.seed, channel.num, 77))
  const measuredAt = (column: number, time: number) =>
    measure(shape.channels[column] as ChannelDefinition, seeds[column] ?? 0, shape.events, time)
  const at = (index: number): StoredRecord => {
    const measurement = numberOf(index)
    const time = timeOf(measurement)
    return {
      time,
      id: idAt(measurement),
      values: shape.channels.map((_, column) => measuredAt(column, time)),
    }
  }
  const everything = (now: number): RecordView => {
    const newest = Math.min(now, options.until ?? now)
    // Upper bound of the indexes; the binary search finds the real end.
    const bound = Math.max(0, Math.ceil((newest - from) / interval) + 1)
    const high = indexAt({ low: 0, high: bound, timeAt, at, last: 0 }, newest, true)
    return { low: 0, high, timeAt, at, last: high - 1, stamp: 'generated' }
  }
  const stored = (now: number): RecordView => {
    const view = everything(now)
    return { ...view, low: Math.max(0, view.high - shape.capacity) }
  }
  return { stored, everything, measured: measuredAt, until: options.until ?? Infinity }
}

function measure(
  channel: ChannelDefinition,
  seed: number,
  events: readonly EventDefinition[],
  time: number,
): RecordValue {
  if (channel.broken !== undefined) return 'E1'
  return valueAt(channel.signal ?? signals.room, seed, time, riseAt(events, channel.num, time))
}

/** The number of the measurement whose record has this index, if some measurements never arrived. */
function withGaps(index: number, seed: number): number {
  const kept = block - missing
  const number = Math.floor(index / kept)
  const within = index % kept
  const gapAt = 1 + (hash(seed, number, 5) % (kept - 1))
  return number * block + (within < gapAt ? within : within + missing)
}

function idRule(
  options: GeneratedRecords,
  shape: GeneratedShape,
  timeOf: (measurement: number) => number,
): (measurement: number) => number {
  if (options.zeroIds) return () => 0
  const first = options.firstId ?? shape.firstId
  const restartedAt = options.restartedAt
  if (restartedAt === undefined) return (measurement) => (first + measurement) % shape.idModulus
  const from = timeOf(0)
  let restart = Math.max(0, Math.floor((restartedAt - from) / ((timeOf(1000) - from) / 1000)) - 2)
  while (timeOf(restart) < restartedAt) restart++
  return (measurement) =>
    (measurement >= restart ? shape.firstId + measurement - restart : first + measurement) % shape.idModulus
}
