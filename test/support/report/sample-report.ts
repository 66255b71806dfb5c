/** Reports for tests and pictures of their pages, without records behind them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MAX_POINTS } from '../../../src/lib/report/report-bounds'
import type {
  AppliedLimit,
  ChartPoint,
  CheckedChannel,
  Excursion,
  ReportClock,
  ReportData,
  ReportedChannel,
  ReportedDevice,
  ReportHead,
} from '../../../src/lib/report/report-data'
import { createTranslate, type Translate } from '../../../src/lib/texts'
import { TimeZone, toInstant } from '../../../src/shared/local-clock'
import { root } from '../package'

export const MINUTE = 60_000
export const HOUR = 3_600_000
export const DAY = 86_400_000

/** The texts of the source, so that tests need no build. */
export function translateIn(language: string): Translate {
  const read = (file: string) => JSON.parse(readFileSync(join(root, 'locales', language, file), 'utf8'))
  return createTranslate({ ...read('common.json'), ...read('page.json') }, language)
}

/** A clock with a time zone, or with the offset of devices. */
export function clockOf(zone: string, isOfDevices = false): ReportClock {
  const clock = new TimeZone(zone)
  return { zone: isOfDevices ? null : zone, offsetAt: (instant) => clock.offsetAt(instant) }
}

export const head: ReportHead = {
  title: 'Daily report',
  site: '',
  responsible: '',
  language: 'en-US',
  signature: true,
  coverage: 95,
  gap: 60,
  account: 'Plant A',
  version: '0.1.0',
}

interface Wish {
  date?: string
  days?: number
  kind?: ReportData['period']['kind']
  clock?: ReportClock
  head?: Partial<ReportHead>
  devices: readonly ReportedDevice[]
  limits?: ReportData['limits']
  level?: ReportData['verdict']['level']
}

export const defaultClock = clockOf('Asia/Tokyo')

/** The bounds of days by a clock. */
export function spanOf(date = '2026-11-27', days = 1, clock = defaultClock): { from: number; to: number } {
  const first = Date.parse(date)
  return { from: toInstant(clock, first), to: toInstant(clock, first + days * DAY) }
}

/** A report of devices, whose verdict counts what they say. */
export function reportOf(wish: Wish): ReportData {
  const { date = '2026-11-27', days = 1, clock = defaultClock, kind = 'day', devices, limits = null } = wish
  const { from, to } = spanOf(date, days, clock)
  const channels = devices.flatMap((device) => [...device.channels, ...device.checks])
  const states = channels.map((channel) => ('state' in channel ? channel.state : 'complete'))
  const count = <T>(list: readonly T[], fits: (each: T) => boolean) => list.filter(fits).length
  const excursions = devices.flatMap((device) =>
    device.channels.map((each) => each.excursions.length + each.leftOut),
  )
  const results = devices.flatMap(({ checks }) => checks.map(({ result }) => result))
  const counts = {
    devices: devices.length,
    unchecked: count(devices, ({ isChecked }) => !isChecked),
    missing: count(devices, ({ missing }) => missing.length > 0),
    channels: channels.length,
    withoutLimits: count(channels, (channel) => channel.limits.length === 0),
    excursions: excursions.reduce((sum, each) => sum + each, 0),
    noValue: count(states, (state) => state === 'no-value'),
    incomplete: count(states, (state) => state === 'incomplete'),
    unreadable: 0,
    silent: 0,
    battery: 0,
    failed: count(results, (result) => result === 'fail'),
    passed: count(results, (result) => result === 'pass'),
  }
  const isBad = counts.excursions > 0 || counts.failed > 0
  const level = wish.level ?? (isBad ? 'bad' : counts.missing > 0 ? 'warning' : 'good')
  return {
    head: { ...head, ...wish.head },
    period: { kind, key: date, ...(kind === 'now' ? { from: to, to } : { from, to }) },
    made: to + HOUR / 2,
    clock,
    verdict: { level, counts },
    limits,
    devices,
    sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  }
}

/** A device with channels, or without if it could not be checked. */
export function deviceOf(wish: Partial<ReportedDevice>): ReportedDevice {
  const { clock = defaultClock, channels = [], checks = [] } = wish
  const span = spanOf(undefined, 1, clock)
  return {
    serial: '52A10001',
    name: 'Freezer 1',
    base: '40000001',
    baseName: '',
    group: '',
    clock,
    ...span,
    battery: 'sufficient',
    isChecked: channels.length + checks.length > 0,
    channels,
    checks,
    missing: [],
    ...wish,
  }
}

export const limitOf = (wish: Partial<AppliedLimit> = {}): AppliedLimit => {
  const { above = -15, below = null } = wish
  return {
    name: '',
    above,
    below,
    unit: '°C',
    minutes: 10,
    margin: 1,
    drawnAbove: above,
    drawnBelow: below,
    ...wish,
  }
}

export function excursionOf(wish: Partial<Excursion> & { from: number; until: number }): Excursion {
  const minutes = Math.round((wish.until - wish.from) / MINUTE)
  return {
    limit: limitOf(),
    side: 'above',
    extreme: -9.8,
    isFromKnown: true,
    isUntilKnown: true,
    minutes,
    ...wish,
  }
}

/** A channel of a check, which passes. */
export const checkOf = (wish: Partial<CheckedChannel> = {}): CheckedChannel => ({
  number: 1,
  name: 'Inside',
  unit: '°C',
  quantity: 'temperature',
  decimals: 1,
  limits: [],
  value: -18.5,
  error: null,
  time: spanOf().to - 3 * MINUTE,
  result: 'pass',
  outside: [],
  ...wish,
})

interface ChannelWish extends Partial<ReportedChannel> {
  from?: number
  to?: number
  /** The value at a time. */
  valueAt?: (time: number) => number
  /** ms between records */
  step?: number
}

/** A channel with records of all its times but those of its breaks. */
export function channelOf(wish: ChannelWish = {}): ReportedChannel {
  const { from, to } = { ...spanOf(), ...wish }
  const { valueAt = () => -18.5, step = MINUTE, chart, ...own } = wish
  const breaks = chart?.breaks ?? []
  const points = pointsOf(from, to, step, (time) =>
    breaks.some((each) => each.from < time && time < each.to) ? null : valueAt(time),
  )
  const lows = points.toSorted((a, b) => a.low - b.low)
  const highs = points.toSorted((a, b) => b.high - a.high)
  const [low, high] = [lows[0], highs[0]]
  const mean = points.reduce((sum, point) => sum + point.mean, 0) / points.length
  const count = Math.round((to - from) / step)
  return {
    number: 1,
    name: 'Inside',
    unit: '°C',
    quantity: 'temperature',
    decimals: 1,
    limits: [],
    state: points.length === 0 ? 'no-value' : 'complete',
    count: points.length === 0 ? 0 : count,
    expected: count,
    errors: 0,
    errorText: '',
    min: low ? { value: low.low, time: low.time } : null,
    max: high ? { value: high.high, time: high.time } : null,
    mean: points.length > 0 ? mean : null,
    mkt: null,
    coverage: points.length > 0 ? 100 : 0,
    longestGap: null,
    gaps: [],
    gapsLeftOut: 0,
    excursions: [],
    leftOut: 0,
    excursionMinutes: 0,
    outsideAtEnd: [],
    ...own,
    chart: { points, breaks },
  }
}

function pointsOf(
  from: number,
  to: number,
  step: number,
  valueAt: (time: number) => number | null,
): ChartPoint[] {
  const slots = new Map<number, { time: number; values: number[] }>()
  for (let time = from; time < to; time += step) {
    const value = valueAt(time)
    if (value === null) continue
    const slot = Math.floor(((time - from) / (to - from)) * MAX_POINTS)
    const found = slots.get(slot) ?? { time, values: [] }
    found.values.push(Math.round(value * 10) / 10)
    slots.set(slot, found)
  }
  return [...slots.values()].map(({ time, values }) => ({
    time,
    low: Math.min(...values),
    high: Math.max(...values),
    mean: values.reduce((sum, each) => sum + each, 0) / values.length,
  }))
}
