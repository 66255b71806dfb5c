import {
  DAY_MS,
  fixedClock,
  formatLocalTime,
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
import type { Device } from './device'
import { recordingInterval } from './recording-interval'
import type { Series, SeriesRecord } from './series'

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
  const { channels, records } = series
  const { receivedAt } = query
  const clock = clockOf(series, query)
  const identity = identityOf(series, query.group)
  const dated = records.filter(hasTime)
  const recordingMs = recordingInterval(dated)
  let next = 0
  for (const [start, end] of intervalsOf(query, clock)) {
    if (start > receivedAt && next === dated.length) return
    const figures = channels.map((channel) => new Figures(channel))
    for (let record = dated[next]; record && record.timestamp < end; record = dated[++next]) {
      for (const channelFigures of figures) channelFigures.add(record)
      yield undefined
    }
    const about = { time: toIso(start), localtime: formatLocalTime(clock, start), ...identity }
    const lengthMs = Math.min(end, receivedAt) - start
    for (const channelFigures of figures) yield { ...about, ...channelFigures.result(recordingMs, lengthMs) }
    if (channels.length === 0) yield { ...about, ...NO_FIGURES, errors: 0, coverage: 0 }
  }
}

type TimedRecord = SeriesRecord & { timestamp: number }
const hasTime = (record: SeriesRecord): record is TimedRecord => record.timestamp !== null
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

/** The share of an interval that is measured, in percent with one decimal. */
function toCoverage(count: number, recordingMs: number | null, lengthMs: number): number | null {
  if (count === 0) return 0
  return recordingMs === null || lengthMs <= 0
    ? null
    : Math.min(100, Math.round((1000 * count * recordingMs) / lengthMs) / 10)
}

const HOUR_MS = 3_600_000

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

const MAX_DECIMALS = 10
const NO_FIGURES = { count: 0, min: null, mintime: null, max: null, maxtime: null, mean: null } as const

/** The figures of a channel in an interval. */
class Figures {
  readonly #channel: Channel
  #count = 0
  #errors = 0
  #min = Number.POSITIVE_INFINITY
  #minAt = 0
  #max = Number.NEGATIVE_INFINITY
  #maxAt = 0
  #mean = 0
  /** The mean of `toRate`; only of temperatures. */
  #meanRate = 0
  /** Decimals of the mean: two, or as many as in the values. */
  #decimals = 2

  constructor(channel: Channel) {
    this.#channel = channel
  }

  add(record: TimedRecord): void {
    const { key, quantity, unit } = this.#channel
    const value = record[key as `ch${number}`]
    if (typeof value !== 'number') {
      this.#errors++
      return
    }
    const { timestamp } = record
    this.#count++
    // A running mean, because a sum loses precision.
    this.#mean += (value - this.#mean) / this.#count
    if (quantity === 'temperature') this.#meanRate += (toRate(value, unit) - this.#meanRate) / this.#count
    if (value < this.#min) {
      this.#min = value
      this.#minAt = timestamp
    }
    if (value > this.#max) {
      this.#max = value
      this.#maxAt = timestamp
    }
    while (this.#decimals < MAX_DECIMALS && Number(value.toFixed(this.#decimals)) !== value) this.#decimals++
  }

  /** @param recordingMs `null` if unknown @param lengthMs length of the interval; until now, if it lasts */
  result(recordingMs: number | null, lengthMs: number) {
    const { number: channel, name: label, unit, quantity } = this.#channel
    const identity = { channel, label, ...(unit !== '' && { unit }), ...(quantity !== null && { quantity }) }
    const mkt = quantity === 'temperature' && {
      mkt: this.#count === 0 ? null : fromRate(this.#meanRate, unit),
    }
    const others = { ...mkt, errors: this.#errors, coverage: toCoverage(this.#count, recordingMs, lengthMs) }
    if (this.#count === 0) return { ...identity, ...NO_FIGURES, ...others }
    return {
      ...identity,
      count: this.#count,
      min: this.#min,
      mintime: toIso(this.#minAt),
      max: this.#max,
      maxtime: toIso(this.#maxAt),
      // 21.43, not 21.433333333333334; never -0.
      mean: Number(this.#mean.toFixed(this.#decimals)) + 0,
      ...others,
    }
  }
}

/** Activation energy divided by the gas constant, K, as usual for medicines. */
const ACTIVATION_K = 10_000
const ZERO_CELSIUS_K = 273.15

/** The rate of ageing at a temperature, exp(-ΔH / RT). */
function toRate(value: number, unit: string): number {
  const celsius = unit === '°F' ? (value - 32) / 1.8 : value
  return Math.exp(-ACTIVATION_K / (ZERO_CELSIUS_K + celsius))
}

/** The temperature for a rate of ageing, with two decimals: for the mean rate, the mean kinetic temperature. */
function fromRate(rate: number, unit: string): number {
  const celsius = -ACTIVATION_K / Math.log(rate) - ZERO_CELSIUS_K
  return Math.round((unit === '°F' ? celsius * 1.8 + 32 : celsius) * 100) / 100 + 0
}

/** All possible keys of a row, separated by commas, in the order of a table's columns. */
export const STATISTICS_COLUMNS =
  'time,localtime,base,serial,name,groupname,channel,label,unit,quantity,count,min,mintime,max,maxtime,mean,mkt,errors,coverage'
