import { isAmong } from '../../shared/action'
import type { Limit } from '../../shared/limits-schema'
import { DAY_MS } from '../../shared/local-clock'
import type { Clock } from '../clock'
import { converterOf } from '../readings/convert-temperatures'
import { AlarmList, type AlarmSettings } from './alarm-list'
import { Condition, type LimitCondition, type WatchedDevice } from './condition'
import { judge, lateLane, type Timed } from './judge'
import type { MeasuredChannel, MeasuredDevice } from './measurements'
import { NoMatch } from './no-match'
import { fromSavedRun, MIN_SAVED_MS, type SavedLimits, toSavedRun } from './saved-limits'
import { MAX_TEXT_LENGTH, WatchedDevices } from './watched-devices'

export interface MonitorSettings extends AlarmSettings {
  /** Whether alarms are left out that were over before their channel was first seen. */
  leavesOutPast: boolean
}

/** The state of the node for its status. Times are ms since 1970 UTC; `null` if it does not apply. */
export interface Summary {
  mutedUntil: number | null
  noDataSince: number | null
  /** Number of alarms, and the beginning of the oldest. */
  alarms: number
  since: number
  pending: number
  devices: number
  /** When a measurement last arrived. */
  dataAt: number
}

/** A device that has not been seen for this long is forgotten. */
const MAX_UNSEEN_MS = 30 * DAY_MS
/** A device that sends only older measurements for this long begins anew. */
const MAX_LATE_MS = 3_600_000
const BATTERY_RANKS: Readonly<Record<string, number>> = { 'replace-soon': 1, 'replace-now': 2 }

/**
 * Watches the measurements of many devices (docs/limits.md). The caller passes measurements, commands and the passing of
 * time, and then collects what has changed from `alarms`.
 */
export class Monitor {
  readonly alarms: AlarmList
  readonly #clock: Clock
  readonly #settings: MonitorSettings
  readonly #devices: WatchedDevices
  /** The limits of the last message. */
  #lastLimits: readonly Limit[] = []
  readonly #noData = new Condition('no-data', {})
  readonly #noMatch: NoMatch
  /** When a measurement last arrived, or the node started: monotonic ms, and ms since 1970 UTC. */
  #dataAt: { monotonic: number; now: number }

  constructor(clock: Clock, settings: MonitorSettings) {
    this.#clock = clock
    this.#settings = settings
    this.alarms = new AlarmList(clock, settings)
    this.#devices = new WatchedDevices(clock, this.alarms)
    this.#dataAt = this.#times()
    this.#noMatch = new NoMatch(this.alarms, clock, settings.silentAfterMs)
  }

  /** Sets the limits of all devices, as after a deploy. It is reported if they match nothing. */
  setLimits(limits: readonly Limit[]): void {
    this.#noMatch.limits = limits
    for (const device of this.#devices.all) this.#devices.setLimits(device, limits)
  }

  /**
   * Judges the measurements of a message by these limits.
   * @throws EnvlogError `too-many-channels` after it has judged what it can
   */
  receive(measured: readonly MeasuredDevice[], limits: readonly Limit[]): void {
    if (measured.length === 0) return
    const isBack = this.#noData.run !== undefined
    this.#dataAt = this.#times()
    this.alarms.end(this.#noData, this.#dataAt.now)
    if (isBack) {
      this.#noMatch.gather()
      for (const device of this.#devices.all) device.arrivedAt = this.#dataAt.monotonic
    }
    const known = this.#intern(limits)
    let problem: unknown
    for (const device of measured) {
      try {
        this.#receiveDevice(device, known)
      } catch (error) {
        problem = error
      }
    }
    if (problem !== undefined) throw problem
  }

  /** Judges what depends on the clock. Call this every few seconds. */
  passTime(): void {
    const { errorAfterMs, silentAfterMs } = this.#settings
    const { now, monotonic } = this.#times()
    for (const condition of this.alarms.open) {
      const isPending = condition.kind === 'error' && !condition.isAlarm
      if (isPending && monotonic - condition.since >= errorAfterMs) this.alarms.raise(condition)
    }
    if (!this.#noData.run && monotonic - this.#dataAt.monotonic >= silentAfterMs)
      this.#beginAlarm(this.#noData, this.#dataAt.now)
    for (const device of this.#devices.all) {
      const { seenAt, arrivedAt, silent, newest } = device
      // While no measurements arrive at all, that is reported instead.
      const isSilent = this.#dataAt.monotonic - arrivedAt >= silentAfterMs
      if (monotonic - seenAt >= MAX_UNSEEN_MS) this.#devices.forget(device)
      else if (isSilent && !silent.run) this.#beginAlarm(silent, newest ?? now)
    }
    if (!this.#noData.run) this.#noMatch.judge([...this.#devices.all], this.#dataAt.monotonic)
    this.alarms.endMutes()
  }

  /** Forgets devices with everything about them. */
  forget(serials: readonly string[] | 'all'): void {
    for (const device of this.#devices.all) if (isAmong(device.serial, serials)) this.#devices.forget(device)
    if (serials === 'all') {
      this.alarms.close(this.#noData)
      this.alarms.close(this.#noMatch.condition)
      this.#dataAt = this.#times()
    }
    this.#noMatch.gather()
    this.alarms.mustSave = true
  }

  /** All conditions that have been judged. */
  *conditions(): Generator<Condition> {
    for (const condition of [this.#noData, this.#noMatch.condition])
      if (condition.sentState !== undefined) yield condition
    for (const device of this.#devices.all)
      for (const condition of device.conditions()) if (condition.sentState !== undefined) yield condition
  }

  summarize(): Summary {
    return {
      ...this.alarms.count(),
      mutedUntil: this.alarms.mutes.get('') ?? null,
      noDataSince: this.#noData.run?.from ?? null,
      devices: this.#devices.count,
      dataAt: this.#dataAt.now,
    }
  }

  toSave(): SavedLimits {
    const [noData, noMatch] = [this.#noData.run, this.#noMatch.condition.run]
    return {
      version: 1,
      ...(noData && { noData: toSavedRun(noData) }),
      ...(noMatch && { noMatch: toSavedRun(noMatch) }),
      ...(this.alarms.mutes.size > 0 && { mutes: [...this.alarms.mutes] }),
      ...this.#devices.toSave(this.#dataAt.monotonic),
    }
  }

  /** Continues with a saved state, which contains the limits by which its devices were judged. */
  restore(saved: SavedLimits): void {
    const { noData, noMatch, mutes = [] } = saved
    for (const [serial, until] of mutes) this.alarms.mutes.set(serial, until)
    this.alarms.resume(this.#noData, noData && fromSavedRun(noData))
    this.alarms.resume(this.#noMatch.condition, noMatch && fromSavedRun(noMatch))
    this.#devices.restore(saved)
  }

  #receiveDevice(measured: MeasuredDevice, limits: readonly Limit[]): void {
    const { base, serial, newest, battery } = measured
    const { now, monotonic } = this.#times()
    const known = this.#devices.find(base, serial)
    // A device that is seen for the first time may have been silent for long.
    const device = known ?? this.#devices.add(base, serial, Math.max(0, now - (newest ?? now)))
    device.seenAt = monotonic
    this.#devices.update(device, measured, limits)
    if (newest !== null && this.#isLateForLong(device, newest)) this.#beginAnew(device, newest)
    for (const channel of measured.channels.values()) this.#receiveChannel(device, channel, newest)
    this.alarms.noteState(device.silent)
    if (battery !== null) this.#judgeBattery(device, battery, newest ?? now)
    if (newest === null || newest < (device.newest ?? newest)) return
    this.#judgeErrors(device, measured, newest)
    if (newest === device.newest) return
    device.newest = newest
    if (known) this.#noteArrival(device)
    this.alarms.end(device.silent, newest)
  }

  #noteArrival(device: WatchedDevice): void {
    const { monotonic } = this.#times()
    // Silence that was saved must not go on after a crash.
    if (monotonic - device.arrivedAt > MIN_SAVED_MS) this.alarms.mustSave = true
    device.arrivedAt = monotonic
  }

  /** The same limits as before, if they are equal, because those of a message are another array each time. */
  #intern(limits: readonly Limit[]): readonly Limit[] {
    if (limits !== this.#lastLimits && JSON.stringify(limits) !== JSON.stringify(this.#lastLimits))
      this.#lastLimits = limits
    return this.#lastLimits
  }

  /** Whether a device has sent only older measurements for an hour, as after its clock was set back. */
  #isLateForLong(device: WatchedDevice, newest: number): boolean {
    const { monotonic } = this.#times()
    const { late } = device
    device.late = undefined
    if (newest >= (device.newest ?? newest)) return false
    // Blocks of older measurements, the newest block first, are no sign of a clock that was set back.
    device.late = { at: newest, since: late && newest >= late.at ? late.since : monotonic }
    return newest !== late?.at && monotonic - device.late.since >= MAX_LATE_MS
  }

  #beginAnew(device: WatchedDevice, newest: number): void {
    device.late = undefined
    device.newest = null
    for (const channel of device.channels.values()) {
      channel.first = Math.min(channel.first, newest)
      for (const condition of channel.limits.values()) {
        condition.at = Number.NEGATIVE_INFINITY
        condition.late = undefined
        condition.past = []
        this.alarms.close(condition)
      }
    }
  }

  #receiveChannel(device: WatchedDevice, measured: MeasuredChannel, newest: number | null): void {
    const first = this.#settings.leavesOutPast ? (newest ?? this.#clock.now()) : Number.NEGATIVE_INFINITY
    const channel = this.#devices.updateChannel(device, measured, first)
    const timed = measured.values
      .filter((value): value is Timed & typeof value => value.value !== null)
      .sort((a, b) => a.time - b.time)
    for (const condition of channel.limits.values()) {
      const convert = converterOf(channel, condition.limit.unit)
      for (const { time, value } of timed)
        this.#judgeValue(condition, { time, value: convert ? convert(value) : value })
      const late = condition.late?.run
      if (late?.isAlarm && late.reportedAt === null) this.alarms.noteEnded(condition, late, { late: true })
    }
  }

  #judgeValue(condition: LimitCondition, value: Timed): void {
    if (value.time > condition.at) this.#judge(condition, value)
    // The newest value again may end a run of older ones, if a whole message arrives twice.
    else if (value.time < condition.at || condition.late?.run) this.#judgeLate(condition, value)
  }

  #judge(condition: LimitCondition, value: Timed): void {
    const { run, isAlarm, limit } = condition
    const ended = judge(condition, value, limit)
    this.alarms.update(condition, run, isAlarm)
    if (ended) this.alarms.noteEnd(condition, ended.run, ended.time, ended.value)
  }

  /** Judges a value that is older than the newest judged one. It does not affect the current run, nor do values within. */
  #judgeLate(condition: LimitCondition, value: Timed): void {
    const { run, limit, late } = condition
    const isWithinRun = run !== undefined && value.time >= run.from
    condition.late = isWithinRun ? undefined : lateLane(late, value.time, limit)
    if (!condition.late || value.time === condition.late.at) return
    const before = condition.late.run
    const ended = judge(condition.late, value, limit)
    if (condition.late.run !== before) this.alarms.mustSave = true
    if (ended?.run.isAlarm && ended.run.reportedAt === null)
      this.alarms.noteEnded(condition, ended.run, { until: ended.time, value: ended.value, late: true })
  }

  /** Judges which channels have no value in the newest measurement. */
  #judgeErrors(device: WatchedDevice, { channels, isWhole }: MeasuredDevice, newest: number): void {
    for (const { number, error: condition } of device.channels.values()) {
      const values = channels.get(number)?.values.filter(({ time }) => time === newest) ?? []
      // The other channels of a row, or of a chunk of rows, may be in other messages.
      if (values.length === 0 && (!isWhole || newest === device.newest)) continue
      if (values.some(({ value }) => value !== null)) this.alarms.end(condition, newest)
      else if (!condition.run)
        this.alarms.begin(condition, newest, values[0]?.error?.slice(0, MAX_TEXT_LENGTH) ?? null)
      this.alarms.noteState(condition)
    }
  }

  #judgeBattery({ battery }: WatchedDevice, level: string, at: number): void {
    const rank = BATTERY_RANKS[level] ?? 0
    const reported = BATTERY_RANKS[battery.run?.detail ?? ''] ?? 0
    if (rank > reported) this.#beginAlarm(battery, at, level)
    if (rank === 0 && level !== 'unknown') this.alarms.end(battery, at)
  }

  #beginAlarm(condition: Condition, from: number, detail: string | null = null): void {
    this.alarms.begin(condition, from, detail)
    this.alarms.raise(condition)
  }

  #times() {
    return { now: this.#clock.now(), monotonic: this.#clock.monotonic() }
  }
}
