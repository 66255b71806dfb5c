import { isAmong, type Serials } from '../../shared/action'
import type { Limit } from '../../shared/limits-schema'
import { DAY_MS } from '../../shared/local-clock'
import type { Clock } from '../clock'
import { cutText } from '../cut-text'
import { converterOf } from '../readings/convert-temperatures'
import { AlarmList } from './alarm-list'
import type { AlarmSettings } from './alarm-settings'
import { judgeBattery } from './battery'
import { type Condition, MAX_TEXT_LENGTH, type WatchedDevice } from './condition'
import { type Report, toTest } from './event'
import { inOrder, usualPauseOf } from './measurement-order'
import { channelIn, type MeasuredChannel, type MeasuredDevice, type MeasuredValue } from './measurements'
import { NoMatch } from './no-match'
import { Pieces } from './pieces'
import { fromSavedHistory, toSavedOver } from './saved-history'
import { fromSavedAlarm, MIN_SAVED_MS, type SavedLimits, toSavedAlarm } from './saved-limits'
import { Silence } from './silence'
import { WatchedDevices } from './watched-devices'
import { isLateForLong, withoutAhead } from './wrong-clocks'

/** The state of the node for its status. Times are ms since 1970 UTC; `null` if it does not apply. */
export interface Summary {
  mutedUntil: number | null
  /** Number of devices that are muted one by one. */
  mutedDevices: number
  noDataSince: number | null
  /** Number of alarms, and the beginning of the oldest. */
  alarms: number
  since: number | null
  /** Number of alarms that were reported, last or are over, and that nobody has acknowledged. */
  unacknowledged: number
  pending: number
  devices: number
  /** When a measurement last arrived. */
  dataAt: number
}

/** A device that has not been seen for this long is forgotten. */
export const MAX_UNSEEN_MS = 30 * DAY_MS
/** A check that comes later than this after the one before shows that the process stood still. */
const MAX_CHECK_MS = 65_000

/**
 * Watches the measurements of many devices (docs/limits.md). The caller passes measurements, commands and the passing of
 * time, and then collects what has changed from `alarms`.
 */
export class Monitor {
  readonly alarms: AlarmList
  readonly #clock: Clock
  readonly #settings: AlarmSettings
  readonly #devices: WatchedDevices
  readonly #silence: Silence
  readonly #noMatch: NoMatch
  /** When time last passed, monotonic ms. */
  #checkedAt: number

  constructor(clock: Clock, settings: AlarmSettings) {
    this.#clock = clock
    this.#settings = settings
    this.alarms = new AlarmList(clock, settings, (serial) => this.#devices.findBySerial(serial))
    this.#devices = new WatchedDevices(clock, this.alarms)
    this.#silence = new Silence(this.alarms, clock, settings.silentAfterMs)
    this.#noMatch = new NoMatch(this.alarms, clock, settings.silentAfterMs)
    this.#checkedAt = clock.monotonic()
  }

  /** Sets the limits. It is reported if they match nothing. */
  setLimits(limits: readonly Limit[]): void {
    this.#devices.setLimits(limits)
  }

  /**
   * Judges the measurements of a message by these limits.
   * @throws EnvlogError `too-many-channels` after it has judged what it can
   */
  receive(measured: readonly MeasuredDevice[], limits: readonly Limit[]): void {
    if (measured.length === 0) return
    if (this.#silence.noteData(this.#devices.all)) this.#noMatch.gather()
    this.setLimits(limits)
    for (const device of measured) this.#receiveDevice(device)
    this.#devices.checkRefused()
  }

  /** Judges what depends on the clock. Call this every few seconds. */
  passTime(): void {
    const monotonic = this.#clock.monotonic()
    const stoodStill = monotonic - this.#checkedAt > MAX_CHECK_MS
    this.#checkedAt = monotonic
    if (stoodStill) {
      this.#silence.beginAnew(this.#devices.all)
      this.#noMatch.gather()
    }
    for (const condition of this.alarms.open) {
      if (condition.kind !== 'error' || condition.isAlarm) continue
      if (stoodStill) condition.since = monotonic
      else if (monotonic - condition.since >= this.#settings.errorAfterMs) this.alarms.raise(condition)
    }
    for (const device of this.#devices.all)
      if (monotonic - device.seenAt >= MAX_UNSEEN_MS) this.#devices.forget(device)
    this.#silence.passTime(this.#devices.all)
    const { noData, dataAt } = this.#silence
    if (!noData.alarm) this.#noMatch.judge(this.#devices.limits, [...this.#devices.all], dataAt.monotonic)
  }

  /** Forgets devices with everything about them. */
  forget(serials: Serials): void {
    for (const device of this.#devices.all) if (isAmong(device.serial, serials)) this.#devices.forget(device)
    this.alarms.forgetHeld(serials)
    this.#silence.forget(this.#devices.all)
    if (serials === 'all') this.alarms.retire(this.#noMatch.condition)
    this.#noMatch.gather()
    this.alarms.noteChange()
  }

  /** All conditions that have been judged. */
  *conditions(): Generator<Condition> {
    for (const condition of this.#allConditions()) if (condition.sentState !== undefined) yield condition
  }

  *#allConditions(): Generator<Condition> {
    yield this.#silence.noData
    yield this.#noMatch.condition
    for (const device of this.#devices.all) yield* device.conditions()
  }

  /** The event of a test, with the names of a device if it is known. */
  test(serial?: string): Report {
    const device = serial === undefined ? undefined : this.#devices.findBySerial(serial)
    return toTest(this.#clock.now(), device)
  }

  /** The longest usual pause of a device, ms; 0 if none is known. */
  get usualPause(): number {
    let longest = 0
    for (const { usualPause } of this.#devices.all) longest = Math.max(longest, usualPause)
    return longest
  }

  summarize(): Summary {
    return {
      ...this.alarms.count(),
      mutedUntil: this.alarms.mutes.until,
      mutedDevices: this.alarms.mutes.deviceCount,
      noDataSince: this.#silence.noData.alarm?.from ?? null,
      devices: this.#devices.count,
      dataAt: this.#silence.dataAt.now,
    }
  }

  toSave(): SavedLimits {
    const [noData, noMatch] = [this.#silence.noData.alarm, this.#noMatch.condition.alarm]
    const [bases, mutes, { over }] = [this.#silence.toSave(), this.alarms.mutes.toSave(), this.alarms]
    return {
      version: 1,
      ...(noData && { noData: toSavedAlarm(noData) }),
      ...(noMatch && { noMatch: toSavedAlarm(noMatch) }),
      ...(bases.length > 0 && { bases: bases.map(([base, alarm]) => [base, toSavedAlarm(alarm)]) }),
      ...(mutes.length > 0 && { mutes: [...mutes] }),
      ...(over.length > 0 && { over: over.map(toSavedOver) }),
      ...this.#devices.toSave(this.#silence.dataAt.monotonic),
    } as SavedLimits
  }

  /** Continues with a saved state, which contains the limits by which its devices were judged. */
  restore(saved: SavedLimits): void {
    const { noData, noMatch, bases = [], mutes = [], over = [] } = saved
    this.alarms.mutes.restore(mutes)
    this.#silence.restore(
      noData && fromSavedAlarm(noData),
      bases.map(([base, alarm]) => [base, fromSavedAlarm(alarm)] as const),
    )
    this.alarms.resume(this.#noMatch.condition, noMatch && fromSavedAlarm(noMatch))
    this.#devices.restore(saved)
    this.alarms.resumeOver(fromSavedHistory(over, this.#allConditions()))
    // A message may arrive before the first check: the devices of a silent base unit are no news. Its silence may be over.
    this.#silence.passTime(this.#devices.all)
  }

  #receiveDevice(received: MeasuredDevice): void {
    const { base, serial, battery } = received
    const { now, monotonic } = this.#silence.dataAt
    const known = this.#devices.find(base, serial)
    // A device that is seen for the first time may have been silent for long.
    const device = known ?? this.#devices.add(base, serial, Math.max(0, now - (received.newest ?? now)))
    if (!device) return
    device.seenAt = monotonic
    const measured = withoutAhead(device, received, { now, monotonic })
    const { newest } = measured
    this.#devices.update(device, measured)
    if (newest !== null && isLateForLong(device, newest, monotonic)) this.#beginAnew(device, newest)
    for (const channel of measured.channels) this.#receiveChannel(device, channel, newest)
    this.alarms.noteState(device.silent)
    if (battery !== null) judgeBattery(this.alarms, device, battery, newest ?? now)
    if (newest === null || newest < (device.newest ?? newest)) return
    this.#judgeErrors(device, measured, newest)
    if (newest === device.newest) return
    device.newest = newest
    if (known) this.#noteArrival(device)
    this.alarms.end(device.silent, newest)
  }

  #noteArrival(device: WatchedDevice): void {
    const { monotonic } = this.#silence.dataAt
    // After a crash, silence that was saved must not go on, nor the hour of a device that is ahead begin anew.
    if (monotonic - device.arrivedAt >= MIN_SAVED_MS) this.alarms.noteChange()
    device.noteArrival(monotonic)
  }

  #beginAnew(device: WatchedDevice, newest: number): void {
    device.late = undefined
    device.newest = null
    device.betterSince = undefined
    for (const channel of device.channels) {
      channel.first = Math.min(channel.first, newest)
      for (const condition of channel.limits) {
        condition.pieces = new Pieces()
        condition.past = []
        condition.after = undefined
        this.alarms.close(condition)
      }
    }
  }

  #receiveChannel(device: WatchedDevice, measured: MeasuredChannel, newest: number | null): void {
    const channel = this.#devices.updateChannel(device, measured, newest ?? this.#silence.dataAt.now)
    if (!channel) return
    const values = inOrder(measured.values)
    const pause = usualPauseOf(values)
    if (pause !== undefined) channel.pause = pause
    for (const condition of channel.limits) {
      const { limit, pieces, after } = condition
      const convert = converterOf(channel, limit.unit)
      const known = pieces.newest
      const judged = after === undefined ? values : values.filter(({ time }) => time > after)
      const added = pieces.add(convert ? converted(judged, convert) : judged, channel.pause, limit)
      this.alarms.judged(condition, added, known)
    }
  }

  /** Judges which channels have no value in the newest measurement. */
  #judgeErrors(device: WatchedDevice, { channels, isWhole }: MeasuredDevice, newest: number): void {
    for (const { number, error: condition } of device.channels) {
      const measured = channelIn(channels, number)
      const value = measured && valueAt(measured, newest)
      // The other channels of a row, or of a chunk of rows, may be in other messages.
      if (!value && (!isWhole || newest === device.newest)) continue
      if (value && value.value !== null) this.alarms.end(condition, newest)
      else if (!condition.alarm)
        this.alarms.begin(condition, newest, value?.error ? cutText(value.error, MAX_TEXT_LENGTH) : null)
      this.alarms.noteState(condition)
    }
  }
}

const converted = (values: readonly MeasuredValue[], convert: (value: number) => number) =>
  values.map(({ time, value }) => ({ time, value: value === null ? null : convert(value) }))

/** The measurement of a time; of several, one with a value. */
function valueAt({ values }: MeasuredChannel, time: number): MeasuredValue | undefined {
  let found: MeasuredValue | undefined
  for (const value of values) if (value.time === time && (!found || value.value !== null)) found = value
  return found
}
