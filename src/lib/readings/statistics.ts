import {
  DAY_MS,
  fixedClock,
  formatLocalTime,
  HOUR_MS,
  type LocalClock,
  toInstant,
  toWallClock,
} from '../../shared/local-clock'
import type { Per } from '../../shared/outputs'
import type { Quantity } from '../../shared/quantity'
import { nextTurn } from '../clock'
import type { Group } from '../decode/envelopes'
import type { TimeStyle } from '../decode/time'
import type { Channel } from './channel'
import { Coverage, findUnmeasured, type Span } from './coverage'
import type { Device } from './device'
import { Figures } from './figures'
import { hasTime, type Series, type TimedRecord } from './series'

/** Figures of one channel of a device in one interval (docs/messages.md, *Statistics*). */
export interface StatisticsRow {
  /** Start of the interval, or of the period if that is later; ISO 8601 in UTC. */
  time: string
  /** `time` as local time. */
  localtime: string
  /** The base unit's serial. */
  base: string
  serial: string
  name?: string
  groupname?: string
  /** The channel's number; absent in the row of a device without channels, like `label`. */
  channel?: number
  label?: string
  unit?: string
  quantity?: Quantity
  /** Number of records with a value. */
  count: number
  /** `null` without any value, like the figures below. */
  min: number | null
  /** The time of its first occurrence, ISO 8601 in UTC. */
  mintime: string | null
  max: number | null
  maxtime: string | null
  mean: number | null
  /** Mean kinetic temperature in the unit of the row; only of temperatures. */
  mkt?: number | null
  /** Number of records without a value. */
  errors: number
  /** The share of the interval that was measured, in percent; `null` if it cannot be known. */
  coverage: number | null
}

/** The statistics of one device. */
export interface DeviceStatistics {
  device: Device
  channels: readonly Channel[]
  rows: StatisticsRow[]
}

export interface StatisticsQuery {
  /** The period, ms since 1970 UTC; from inclusive, to exclusive. */
  from: number
  to: number
  per: Per
  /** Format of local times. */
  time: TimeStyle
  /**
   * The clock that determined the bounds of the period, if they are local times. By default, it is that of the time
   * zone or the device.
   */
  clock?: LocalClock | undefined
  /** When the last response arrived, ms since 1970 UTC. Intervals that start later are left out. */
  receivedAt: number
  group: Group | null
}

/** Records and rows that are processed in one turn of the event loop. */
const WORK_PER_TURN = 10_000

/**
 * Calculates the rows of a device, by interval and channel. A device without channels has a row for each interval too.
 * Records without a time do not belong to any interval.
 */
export async function toStatistics(series: Series, query: StatisticsQuery): Promise<DeviceStatistics> {
  const { serial, name, model, base, standalone, channels } = series
  const rows: StatisticsRow[] = []
  let work = 0
  for (const row of calculateRows(series, query)) {
    if (row) rows.push(row)
    if (++work % WORK_PER_TURN === 0) await nextTurn()
  }
  return { device: { serial, name, model, base, standalone }, channels, rows }
}

/** The rows, and `undefined` for each record, so that the caller can yield to the event loop. */
function* calculateRows(series: Series, query: StatisticsQuery): Generator<StatisticsRow | undefined> {
  const { receivedAt } = query
  const clock = clockOf(series, query)
  const identity = identityOf(series, query.group)
  const dated = series.records.filter(hasTime)
  const channels = yield* followChannels(series.channels, dated, query)
  let next = 0
  for (const [start, end] of intervalsOf(query, clock)) {
    if (start > receivedAt && next === dated.length) return
    for (let record = dated[next]; record && record.timestamp < end; record = dated[++next]) {
      for (const channel of channels) channel.add(record)
      yield undefined
    }
    const about = { time: toIso(start), localtime: formatLocalTime(clock, start), ...identity }
    const part = { from: start, to: Math.min(end, receivedAt) }
    for (const channel of channels) yield { ...about, ...channel.endInterval(part) }
    if (channels.length === 0) yield { ...about, ...NO_FIGURES, errors: 0, coverage: 0 }
  }
}

/** The channels with the coverage of the whole period. It yields as `calculateRows`. */
function* followChannels(
  channels: readonly Channel[],
  records: readonly TimedRecord[],
  { from, to, receivedAt }: StatisticsQuery,
): Generator<undefined, FollowedChannel[]> {
  const known = { from, to: Math.min(to, Math.max(receivedAt, records.at(-1)?.timestamp ?? from)) }
  const followed: FollowedChannel[] = []
  for (const channel of channels) {
    const times: number[] = []
    for (const record of records) {
      if (readValue(record, channel) !== undefined) times.push(record.timestamp)
      yield undefined
    }
    followed.push(new FollowedChannel(channel, new Coverage(findUnmeasured(times, known))))
  }
  return followed
}

/** The value of a channel; `undefined` if the record has none. */
function readValue(record: TimedRecord, { key }: Channel): number | undefined {
  const value = record[key as `ch${number}`]
  return typeof value === 'number' ? value : undefined
}

const toIso = (instant: number) => new Date(instant).toISOString()

const clockOf = ({ utcOffset }: Series, { clock, time }: StatisticsQuery): LocalClock =>
  clock ?? (typeof time === 'object' ? time : fixedClock(utcOffset ?? 0))

/** The device of a row. Blank texts are omitted, as in other rows. */
const identityOf = ({ serial, name, base }: Series, group: Group | null) => ({
  base: base.serial,
  serial,
  ...(name === '' ? {} : { name }),
  ...(group && { groupname: group.name }),
})

/** Length of an interval, except for days with a time change. */
export const INTERVAL_MS: Record<Per, number> = {
  period: Number.POSITIVE_INFINITY,
  day: DAY_MS,
  hour: HOUR_MS,
}

/**
 * The intervals of a period in ms since 1970 UTC, start inclusive, end exclusive; the first and the last may be
 * shortened.
 */
export function* intervalsOf(
  { from, to, per }: Pick<StatisticsQuery, 'from' | 'to' | 'per'>,
  clock: LocalClock,
): Generator<readonly [start: number, end: number]> {
  for (let start = from; start < to; ) {
    const end = Math.min(to, nextStart(start, per, clock))
    yield [start, end]
    start = end
  }
}

function nextStart(start: number, per: Per, clock: LocalClock): number {
  if (per === 'period') return Number.POSITIVE_INFINITY
  const shown = toWallClock(clock, start)
  // If the clock shows an hour twice, these are two intervals, so hours are counted in real time.
  if (per === 'hour') return start + HOUR_MS - (shown - Math.floor(shown / HOUR_MS) * HOUR_MS)
  const midnight = (Math.floor(shown / DAY_MS) + 1) * DAY_MS
  const next = toInstant(clock, midnight)
  // A clock that is set back across midnight shows midnight twice.
  return next > start ? next : toInstant(clock, midnight + DAY_MS)
}

const NO_FIGURES = { count: 0, min: null, mintime: null, max: null, maxtime: null, mean: null } as const

/** A channel, interval by interval. */
class FollowedChannel {
  readonly #channel: Channel
  readonly #coverage: Coverage
  #figures: Figures
  #errors = 0

  constructor(channel: Channel, coverage: Coverage) {
    this.#channel = channel
    this.#coverage = coverage
    this.#figures = new Figures(channel)
  }

  add(record: TimedRecord): void {
    const value = readValue(record, this.#channel)
    if (value === undefined) this.#errors++
    else this.#figures.add(value, record.timestamp)
  }

  /** The columns of the interval that ends. @param part what is over of it */
  endInterval(part: Span) {
    const { number: channel, name: label, unit, quantity } = this.#channel
    const { count, min, max, mean, mkt } = this.#figures.result()
    const errors = this.#errors
    this.#figures = new Figures(this.#channel)
    this.#errors = 0
    return {
      channel,
      label,
      ...(unit !== '' && { unit }),
      ...(quantity !== null && { quantity }),
      count,
      min: min?.value ?? null,
      mintime: min && toIso(min.time),
      max: max?.value ?? null,
      maxtime: max && toIso(max.time),
      mean,
      ...(quantity === 'temperature' && { mkt }),
      errors,
      coverage: this.#coverage.of(part),
    }
  }
}

/** All possible keys of a row, separated by commas, in the order of a table's columns. */
export const STATISTICS_COLUMNS =
  'time,localtime,base,serial,name,groupname,channel,label,unit,quantity,count,min,mintime,max,maxtime,mean,mkt,errors,coverage'
