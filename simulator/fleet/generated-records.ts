/**
 * Generated records. The record at index k is a pure function of seed, device, events and k, so the history can have
 * any length and is computed only when it is requested.
 */
import { hash } from '../random'
import type { ChannelDefinition, EventDefinition, GeneratedRecords, RecordValue } from './definition'
import { arrivalOf, isBrokenAt, lateBlocks, type Received, riseAt } from './event-effects'
import { indexAt, type RecordView, type StoredRecord, withoutPeriod } from './record-views'
import { signals, valueAt } from './signal'

/** If the device has gaps, `missing` consecutive measurements of every `block` were never received. */
const block = 500
const missing = 3

export interface GeneratedShape {
  seed: number
  channels: readonly ChannelDefinition[]
  capacity: number
  /** the first id, unless the options define it */
  firstId: number
  /** ids are calculated modulo this number */
  idModulus: number
  /** the time of the first record, unless the options define it */
  from: number
  events: readonly EventDefinition[]
}

export interface GeneratedSource {
  /** the newest `capacity` of the received records */
  stored(received: Received): RecordView
  /** all records until a time (s), even if they are no longer stored, or arrive late; the alert log needs them */
  everything(until: number): RecordView
  /** the measurement of a channel at any time */
  measured(column: number, time: number): RecordValue
  /** time of the last measurement (s) */
  until: number
}

export function generatedRecords(options: GeneratedRecords, shape: GeneratedShape): GeneratedSource {
  const interval = options.interval ?? 600
  const drift = options.drift ?? 97
  const from = options.from ?? shape.from
  const measurementAt = (index: number) => (options.gaps ? withGaps(index, shape.seed) : index)
  const timeOfMeasurement = (measurement: number) =>
    from + measurement * interval + (drift > 0 ? Math.floor(measurement / drift) : 0)
  const timeAt = (index: number) => timeOfMeasurement(measurementAt(index))
  const idOfMeasurement = createIdRule(options, shape, timeOfMeasurement)
  const seeds = shape.channels.map((channel) => hash(shape.seed, channel.num, 77))
  const measuredAt = (column: number, time: number) =>
    measure(shape.channels[column] as ChannelDefinition, seeds[column] ?? 0, shape.events, time)
  const at = (index: number): StoredRecord => {
    const measurement = measurementAt(index)
    const time = timeOfMeasurement(measurement)
    return {
      time,
      id: idOfMeasurement(measurement),
      values: shape.channels.map((_, column) => measuredAt(column, time)),
    }
  }
  const everything = (until: number): RecordView => {
    const newest = Math.min(until, options.until ?? until)
    // The number of records without gaps and drift is an upper bound. The binary search finds the actual number.
    const bound = Math.max(0, Math.ceil((newest - from) / interval) + 1)
    const high = indexAt({ low: 0, high: bound, timeAt, at, last: 0 }, newest, true)
    return { low: 0, high, timeAt, at, last: high - 1 }
  }
  const blocks = lateBlocks(shape.events)
  const stored = ({ until, awaited }: Received): RecordView => {
    const view = awaited.reduce(withoutPeriod, everything(until))
    return {
      ...view,
      low: Math.max(0, view.high - shape.capacity),
      arrival: (index) => arrivalOf(blocks, view.timeAt(index)),
    }
  }
  return { stored, everything, measured: measuredAt, until: options.until ?? Infinity }
}

function measure(
  channel: ChannelDefinition,
  seed: number,
  events: readonly EventDefinition[],
  time: number,
): RecordValue {
  if (channel.broken !== undefined || isBrokenAt(events, channel.num, time)) return 'E1'
  return valueAt(channel.signal ?? signals.room, seed, time, riseAt(events, channel.num, time))
}

/** The number of the measurement at an index of the received records, if some measurements were never received. */
function withGaps(index: number, seed: number): number {
  const kept = block - missing
  const blockNumber = Math.floor(index / kept)
  const within = index % kept
  const gapAt = 1 + (hash(seed, blockNumber, 5) % (kept - 1))
  return blockNumber * block + (within < gapAt ? within : within + missing)
}

function createIdRule(
  options: GeneratedRecords,
  shape: GeneratedShape,
  timeOfMeasurement: (measurement: number) => number,
): (measurement: number) => number {
  if (options.zeroIds) return () => 0
  const first = options.firstId ?? shape.firstId
  const restartedAt = options.restartedAt
  if (restartedAt === undefined) return (measurement) => (first + measurement) % shape.idModulus
  const from = timeOfMeasurement(0)
  let restart = Math.max(0, Math.floor((restartedAt - from) / ((timeOfMeasurement(1000) - from) / 1000)) - 2)
  while (timeOfMeasurement(restart) < restartedAt) restart++
  return (measurement) =>
    (measurement >= restart ? shape.firstId + measurement - restart : first + measurement) % shape.idModulus
}
