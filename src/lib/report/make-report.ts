import type { Limit } from '../../shared/limits-schema'
import { MINUTE_MS } from '../../shared/local-clock'
import type { Account } from '../account'
import { collectCurrent } from '../collect/current'
import type { DeviceFailure, Selection } from '../collect/devices'
import { forEachConcurrent } from '../collect/for-each'
import { EnvlogError } from '../errors'
import { convertReading } from '../readings/convert-temperatures'
import type { Span } from '../readings/coverage'
import type { Reading } from '../readings/current'
import type { RequestContext } from '../request'
import { checkDevice } from './check'
import { Checksum } from './checksum'
import { absentDevice, channelsOf, describeDevice, failedDevice, findOpenEnds, startDevice } from './device'
import { boundsOf, type RequestedPeriod, toReportClock, toReportPeriod, usualClock } from './period'
import { collectRecords } from './records'
import type { Missing, ReportClock, ReportData, ReportedDevice, ReportHead } from './report-data'
import { toVerdict } from './verdict'

export interface ReportQuery {
  selection: Selection
  /** Excluded serials. */
  exclude: readonly string[]
  period: RequestedPeriod
  /** The rows by which it is judged; `null` for none. */
  limits: readonly Limit[] | null
  /** A device that has not measured for longer is silent, ms; `null`: none is. */
  silentAfterMs: number | null
  head: ReportHead
  /** For a trial: the first device only, with at most two requests. */
  isTrial?: boolean
}

/** How many devices of a report are done. */
export interface Progress {
  /** Of the period. */
  key: string
  done: number
  total: number
}

/**
 * Makes a report: one request for current readings, and then the records of one device after the other, of which only
 * what the report shows is kept. Devices that are refused or fail are in the report.
 * @throws EnvlogError if the account fails; `period-empty`, `report-too-long`, `account-empty`, `devices-excluded`
 */
export async function makeReport(
  account: Account,
  query: ReportQuery,
  context: RequestContext,
  onProgress: (progress: Progress) => void = () => {},
): Promise<ReportData> {
  const made = account.now()
  const { readings, failed } = await requestReadings(account, query, context)
  const clocks = readings.map((reading) => toReportClock(account.localTime, reading.utcOffset))
  const clock = usualClock(clocks, made) ?? toReportClock(account.localTime, null)
  const period = toReportPeriod(query.period, clock, made)
  const report = new ReportInProgress(account, query, made)
  report.devices.push(...failed.map((failure) => absentDevice(failure, clock, period)))
  const progress = { key: period.key, done: 0, total: readings.length }
  onProgress(progress)
  await forEachConcurrent(readings, 1, context.signal, {
    work: async (reading, signal) => {
      await report.add(reading, { ...context, signal }).finally(() => progress.done++)
      onProgress(progress)
    },
    reportFailure: (reading, error) => report.addFailed(reading, error),
    hasFailedAmbiguously: () => false,
  })
  const devices = report.devices.sort(inOrder(query.head.language))
  return {
    ...{ head: query.head, period, made, clock, limits: query.limits, devices },
    verdict: toVerdict(devices, { reachesNow: period.to >= made }),
    sha256: report.checksum.result(),
  }
}

async function requestReadings(
  account: Account,
  { selection, exclude, isTrial }: ReportQuery,
  context: RequestContext,
): Promise<{ readings: readonly Reading[]; failed: readonly DeviceFailure[] }> {
  const query = { selection, exclude, time: account.localTime, staleAfter: null, format: 'read' } as const
  const collected = await collectCurrent(account, query, context)
  if (collected?.content.kind !== 'current') throw new EnvlogError('devices-excluded')
  const { readings } = collected.content
  const { failed = [] } = collected
  if (readings.length + failed.length === 0)
    throw new EnvlogError(exclude.length > 0 ? 'devices-excluded' : 'account-empty')
  return isTrial ? { readings: readings.slice(0, 1), failed: [] } : { readings, failed }
}

/** The devices of a report, one after the other. */
class ReportInProgress {
  readonly devices: ReportedDevice[] = []
  readonly checksum = new Checksum()
  readonly #account: Account
  readonly #query: ReportQuery
  readonly #made: number

  constructor(account: Account, query: ReportQuery, made: number) {
    this.#account = account
    this.#query = query
    this.#made = made
  }

  /** @throws EnvlogError if a request fails */
  async add(reading: Reading, context: RequestContext): Promise<void> {
    const { limits, head, isTrial = false } = this.#query
    const { temperatureUnit: unit } = this.#account
    const rows = limits ?? []
    const started = this.#start(reading)
    if (this.#query.period === 'now') {
      const converted = convertReading(reading, unit)
      await this.checksum.addReading(converted)
      this.devices.push(checkDevice(started, converted, rows))
      return
    }
    const period = { from: started.from, to: started.to }
    if (period.from === period.to) {
      this.addFailed(reading, new EnvlogError('period-empty'))
      return
    }
    const marginMs = MINUTE_MS * Math.max(0, ...rows.map(({ minutes }) => minutes))
    const records = await collectRecords(
      this.#account,
      { serial: reading.serial, base: reading.base.serial },
      { period, marginMs, now: this.#made, unit, isTrial },
      (series) => findOpenEnds(series, channelsOf(series, reading, rows), period),
      context,
    )
    await this.checksum.addRecords(records.series, period)
    this.devices.push(await describeDevice(started, reading, records, rows, head))
  }

  addFailed(reading: Reading, error: EnvlogError): void {
    this.devices.push(failedDevice(this.#start(reading), error))
  }

  #start(reading: Reading): ReportedDevice {
    const clock = toReportClock(this.#account.localTime, reading.utcOffset)
    const period = this.#boundsOf(clock)
    const missing: Missing[] =
      period.to >= this.#made && this.#isSilent(reading) ? [{ kind: 'silent', since: reading.timestamp }] : []
    return { ...startDevice(reading, clock, period), missing }
  }

  /** By the clock of a device, the period may not have begun. Then it is empty. */
  #boundsOf(clock: ReportClock): Span {
    try {
      return boundsOf(this.#query.period, clock, this.#made)
    } catch (error) {
      if (!(error instanceof EnvlogError) || error.reason !== 'period-empty') throw error
      return { from: this.#made, to: this.#made }
    }
  }

  #isSilent({ timestamp }: Reading): boolean {
    const { silentAfterMs } = this.#query
    if (silentAfterMs === null) return false
    return timestamp === null || this.#made - timestamp > silentAfterMs
  }
}

/** By group (those without one last), name and serial number. */
function inOrder(language: string) {
  const { compare } = new Intl.Collator(language, { numeric: true })
  return (a: ReportedDevice, b: ReportedDevice) =>
    Number(a.group === '') - Number(b.group === '') ||
    compare(a.group, b.group) ||
    compare(a.name, b.name) ||
    compare(a.serial, b.serial)
}
