import type { Limit } from '../../shared/limits-schema'
import type { LocalClock } from '../../shared/local-clock'
import type { Quantity } from '../../shared/quantity'
import type { ReportLanguage } from '../../shared/report-schema'
import type { EnvlogError } from '../errors'
import type { Side } from '../limits/judge'
import type { BatteryLevel } from '../readings/battery'
import type { Span } from '../readings/coverage'
import type { Measured } from '../readings/figures'

/**
 * A finished report, from which the page and the table are made (docs/report.md). Instants are ms since 1970 UTC, and a
 * clock shows them. Values are in the unit of their channel. Everything is bounded: see `report-bounds.ts`.
 */
export interface ReportData {
  head: ReportHead
  period: ReportPeriod
  /** When it was made. Limits are as of then. */
  made: number
  /** The clock of `made` and, unless a device has its own, of the period: the account's zone, or most devices' offset. */
  clock: ReportClock
  verdict: Verdict
  /** The rows by which it is judged; `null` if none were chosen. */
  limits: readonly Limit[] | null
  /** In the order in which they are shown, also those, and groups, that the account does not have. */
  devices: readonly ReportedDevice[]
  /** Of the records of the period, in hexadecimal (docs/report.md, *Checksum*); of the readings if the kind is `now`. */
  sha256: string
}

/** The settings that the page shows. */
export interface ReportHead {
  /** Never blank. */
  title: string
  /** Blank if none. */
  site: string
  responsible: string
  language: ReportLanguage
  /** Whether there is a place for a signature, and a line for cause and action at each excursion. */
  signature: boolean
  /** Percent of the time that must be measured. */
  coverage: number
  /** Minutes: a channel with a longer gap is incomplete. */
  gap: number
  account: string
  /** Of this package. */
  version: string
}

/** `now`: a check of the current readings. */
export type PeriodKind = 'day' | 'week' | 'month' | 'custom' | 'now'

export interface ReportPeriod {
  kind: PeriodKind
  /** `2026-10-10`, of a week its Monday, of a month `2026-10`; otherwise the date on which it begins. */
  key: string
  /** From inclusive, to exclusive. Devices with their own clock have their own bounds. Of `now`: both are `made`. */
  from: number
  to: number
}

export interface ReportClock extends LocalClock {
  /** Such as `Europe/Berlin` or `+09:00`; `null` for the offset that the device reports, without daylight saving time. */
  zone: string | null
}

export type ReportLevel = 'good' | 'warning' | 'bad' | 'not-done'

export interface Verdict {
  level: Exclude<ReportLevel, 'not-done'>
  counts: VerdictCounts
}

/** What the verdict's sentence consists of. */
export interface VerdictCounts {
  /** Devices in the report, those without any checked channel, and those in *What is missing*. */
  devices: number
  unchecked: number
  missing: number
  /** Channels that were checked, and those of them without limits. */
  channels: number
  withoutLimits: number
  /** Excursions that overlap the period. Of `now`: channels outside a limit. */
  excursions: number
  /** Channels without a value, and incomplete ones. 0 for `now`, of which such channels fail. */
  noValue: number
  incomplete: number
  /** Devices of which some records, or parts of the reading, cannot be read. */
  unreadable: number
  /** Devices; 0 unless the period reaches to now. */
  silent: number
  battery: number
  /** Channels of `now` that fail the check, for whatever reason, and those that pass. 0 for all other kinds. */
  failed: number
  passed: number
}

export interface ReportedDevice {
  /** Blank for a group that no device belongs to. */
  serial: string
  /** Blank if it has none. */
  name: string
  /** Serial number of the base unit; that of the device if it is standalone, blank if unknown. */
  base: string
  /** Name of the base unit, or its serial number; blank if the device is standalone. */
  baseName: string
  /** Name of the group; blank if none. */
  group: string
  clock: ReportClock
  /** The bounds of the period by its clock. */
  from: number
  to: number
  /** `null` if the account does not have the device. */
  battery: BatteryLevel | null
  /** Whether at least one of its channels was checked. */
  isChecked: boolean
  /** By number. Empty for `now`. */
  channels: readonly ReportedChannel[]
  /** By number. Empty unless the kind is `now`. */
  checks: readonly CheckedChannel[]
  missing: readonly Missing[]
}

/** What was not checked, or only in part. */
export type Missing =
  /** The service refused it or its request failed, the account does not have it, or its records cannot be read. */
  | { kind: 'failed'; error: EnvlogError }
  | { kind: 'no-channels' }
  /** `isRemote`: of a remote unit, the service keeps only the newest 1,500 records. */
  | { kind: 'no-records'; isRemote: boolean }
  /** A channel of the current reading that the records do not have. */
  | { kind: 'channel-absent'; name: string }
  | { kind: 'no-value' | 'incomplete'; channel: ReportedChannel }
  /** The service no longer has the records of this time, or left out some; `null`: it is not known which. */
  | { kind: 'lost'; period: Span | null }
  /** Parts of a response that could not be read. The others are in the report. */
  | { kind: 'left-out'; error: EnvlogError }
  /** No newer measurement; `null`: none at all. Only if the period reaches to now. */
  | { kind: 'silent'; since: number | null }

interface ReportedName {
  number: number
  /** Never blank: `ch1` without a name. */
  name: string
  /** Blank if unknown. */
  unit: string
  quantity: Quantity | null
  /** Most decimals of its values, at most 2. */
  decimals: number
  /** The limits that apply, one for each name. */
  limits: readonly AppliedLimit[]
}

/** The figures of a channel in the period. */
export interface ReportedChannel extends ReportedName {
  state: 'complete' | 'incomplete' | 'no-value'
  /** Records with a value; how many there would be without gaps (`null` if unknown); records without a value. */
  count: number
  expected: number | null
  errors: number
  /** The text that the service sent instead of the first missing value; blank if nothing. */
  errorText: string
  min: Measured | null
  max: Measured | null
  mean: number | null
  /** Mean kinetic temperature; `null` unless it is a temperature whose mean is above 0 °C. */
  mkt: number | null
  /** Percent of the period that was measured, with one decimal; `null` if it cannot be known. */
  coverage: number | null
  /** The longest time that was not measured. */
  longestGap: Span | null
  /** Those that are longer than *Longest gap*, by their beginning; `gapsLeftOut`: how many more there are. */
  gaps: readonly Span[]
  gapsLeftOut: number
  /** Those that overlap the period, by their beginning; `leftOut`: how many more there are. */
  excursions: readonly Excursion[]
  leftOut: number
  /** Minutes of all of them. */
  excursionMinutes: number
  /** What is outside at the end of the period, and not yet as long as *For* as far as is known. */
  outsideAtEnd: readonly Outside[]
  chart: Chart
}

/** A limit that applies to a channel. */
export interface AppliedLimit {
  /** Blank if it has none. */
  name: string
  /** As in the row, in `unit`. */
  above: number | null
  below: number | null
  /** °C or °F as the row says; of other quantities, that of the channel. */
  unit: string
  minutes: number
  margin: number
  /** In the unit of the channel, rounded to two decimals, for the chart. */
  drawnAbove: number | null
  drawnBelow: number | null
}

/** A run of values outside a limit, which may not last yet as long as *For*. */
export interface Outside {
  /** By which it is judged. */
  limit: AppliedLimit
  side: Side
  from: number
  /** The value that is furthest outside. */
  extreme: number
}

/** A run that lasted as long as *For*, with its true beginning and end, also outside the period. */
export interface Excursion extends Outside {
  /** The first value inside, or the last value that is known. */
  until: number
  /** If false: since before `from`. */
  isFromKnown: boolean
  /** If false: lasts beyond `until`. */
  isUntilKnown: boolean
  /** Whole minutes from `from` to `until`, as in the events of envlog-alarms. */
  minutes: number
}

/** What a chart shows of a channel. The points of a period are at most as many as `report-bounds.ts` says. */
export interface Chart {
  /** By time. The line is broken between two points with a break between them. */
  points: readonly ChartPoint[]
  /** Times without records or, if `isError`, of records without a value; those that are wide enough to be seen. */
  breaks: readonly ChartBreak[]
}

/** The values of a slot of the period. */
export interface ChartPoint {
  /** Of its first value. */
  time: number
  low: number
  high: number
  mean: number
}

export interface ChartBreak extends Span {
  isError: boolean
}

/** A channel of a check of the current readings. */
export interface CheckedChannel extends ReportedName {
  value: number | null
  /** The text that the service sent instead of a value; `null` if there is a value. */
  error: string | null
  /** Of its measurement. */
  time: number | null
  /** `none`: it has a value, but no limit. */
  result: 'pass' | 'fail' | 'none'
  /** The limits that the value is outside of. *For* is not considered. */
  outside: readonly { limit: AppliedLimit; side: Side }[]
}
