import { type Limit, readLimits } from '../../shared/limits-schema'
import type { Clock } from '../clock'
import { EnvlogError } from '../errors'
import { converterOf } from '../readings/temperature'
import { AlarmList, type Changes, isAmong } from './alarm-list'
import { Condition, LimitCondition, WatchedChannel, WatchedDevice } from './condition'
import { judge, lateLane, type Timed } from './judge'
import { limitsFor } from './matching'
import type { MeasuredChannel, MeasuredDevice } from './measurements'
import {
  fromSavedRun,
  type SavedChannel,
  type SavedDevice,
  type SavedLimits,
  toSavedRun,
} from './saved-limits'

export interface MonitorSettings {
  /** `null` for never. */
  errorAfterMs: number | null
  silentAfterMs: number | null
  battery: boolean
  /** Time between reminders; 0 for none. */
  remindMs: number
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
const MAX_UNSEEN_MS = 30 * 86_400_000
/** Shorter times are not saved. */
const MIN_UNSEEN_MS = 3_600_000
/** A device that sends only older measurements for this long begins anew. */
const MAX_LATE_MS = 3_600_000
/** Far more than any account has. */
const MAX_CHANNELS = 100_000
const MAX_TEXT_LENGTH = 100
const BATTERY_RANKS: Readonly<Record<string, number>> = { 'replace-soon': 1, 'replace-now': 2 }

/**
 * Watches the measurements of many devices (docs/limits.md). The caller passes measurements, commands and the passing of
 * time, and then collects what has changed.
 */
export class Monitor {
  readonly alarms: AlarmList
  readonly #clock: Clock
  readonly #settings: MonitorSettings
  #limits: readonly Limit[] = []
  /** The limits of the last message. */
  #lastLimits: readonly Limit[] = []
  readonly #devices = new Map<string, WatchedDevice>()
  #channelCount = 0
  readonly #noData = new Condition('no-data', {})
  /** When a measurement last arrived, or the node started: monotonic ms, and ms since 1970 UTC. */
  #dataAt: { monotonic: number; now: number }

  constructor(clock: Clock, settings: MonitorSettings) {
    this.#clock = clock
    this.#settings = settings
    this.alarms = new AlarmList(clock, settings.remindMs)
    this.#dataAt = this.#times()
  }

  /** Sets the limits of all devices. What the conditions of other limits have found is forgotten. */
  setLimits(limits: readonly Limit[]): void {
    this.#limits = limits
    for (const device of this.#devices.values()) this.#applyLimits(device, limits)
  }

  /**
   * Judges the measurements of a message by these limits; by default, by those of `setLimits`.
   * @throws EnvlogError `too-many-channels`
   */
  receive(measured: readonly MeasuredDevice[], limits = this.#limits): void {
    if (measured.length === 0) return
    const isBack = this.#noData.run !== undefined
    this.#dataAt = this.#times()
    if (this.#settings.silentAfterMs !== null) this.alarms.end(this.#noData, this.#dataAt.now)
    if (isBack) for (const device of this.#devices.values()) device.arrivedAt = this.#dataAt.monotonic
    const known = this.#intern(limits)
    for (const device of measured) this.#receiveDevice(device, known)
  }

  /** Judges what depends on the clock. Call this every few seconds. */
  passTime(): void {
    const { errorAfterMs, silentAfterMs } = this.#settings
    const { now, monotonic } = this.#times()
    const isDue = (since: number, afterMs: number | null) => afterMs !== null && monotonic - since >= afterMs
    for (const condition of this.alarms.open) {
      const isError = condition.kind === 'error' && !condition.isAlarm
      if (isError && isDue(condition.since, errorAfterMs)) this.alarms.raise(condition)
    }
    if (!this.#noData.run && isDue(this.#dataAt.monotonic, silentAfterMs))
      this.#beginAlarm(this.#noData, this.#dataAt.now)
    for (const device of this.#devices.values()) {
      const { seenAt, arrivedAt, silent, newest } = device
      if (monotonic - seenAt >= MAX_UNSEEN_MS) this.#forgetDevice(device)
      else if (silent.run || silentAfterMs === null) continue
      // While no measurements arrive at all, that is reported instead.
      else if (this.#dataAt.monotonic - arrivedAt >= silentAfterMs) this.#beginAlarm(silent, newest ?? now)
    }
    this.alarms.endMutes()
  }

  /**
   * What is to be sent after measurements, a command or the passing of time.
   * @param isByClock whether time has passed, so that what was left out before is left for the next message
   */
  collect(isByClock = false): Changes {
    return this.alarms.collect(isByClock)
  }

  /** Forgets devices with everything about them. */
  forget(serials: readonly string[] | 'all'): void {
    for (const device of this.#devices.values()) if (isAmong(device, serials)) this.#forgetDevice(device)
    if (serials === 'all') {
      this.alarms.close(this.#noData)
      this.#dataAt = this.#times()
    }
    this.alarms.mustSave = true
  }

  /** All conditions that have been judged. */
  *conditions(): Generator<Condition> {
    if (this.#noData.sentState !== undefined) yield this.#noData
    for (const device of this.#devices.values())
      for (const condition of device.conditions()) if (condition.sentState !== undefined) yield condition
  }

  summarize(): Summary {
    const { alarms, since, pending } = this.alarms.count()
    return {
      mutedUntil: this.alarms.mutes.get('') ?? null,
      noDataSince: this.#noData.run?.from ?? null,
      alarms,
      since,
      pending,
      devices: this.#devices.size,
      dataAt: this.#dataAt.now,
    }
  }

  toSave(): SavedLimits {
    const { monotonic } = this.#times()
    const limits = [...new Set(Array.from(this.#devices.values(), (device) => device.limits))]
    const devices = Array.from(this.#devices, ([key, device]) => {
      const saved = toSavedDevice(device, monotonic)
      return [key, { ...saved, limits: limits.indexOf(device.limits) }]
    })
    return {
      version: 1,
      ...(this.#noData.run && { noData: toSavedRun(this.#noData.run) }),
      ...(this.alarms.mutes.size > 0 && { mutes: Object.fromEntries(this.alarms.mutes) }),
      devices: Object.fromEntries(devices),
      limits,
    }
  }

  /**
   * Continues with a saved state, which contains the limits to which it belongs. Times that depend on the clock count
   * from now on. Conditions that are no longer watched are forgotten.
   */
  restore({ limits, noData, mutes = {}, devices }: SavedLimits): void {
    const known = limits.map((rows) => {
      const found = readLimits(rows)
      return 'problem' in found ? [] : found
    })
    for (const [serial, until] of Object.entries(mutes)) this.alarms.mutes.set(serial, until)
    const { silentAfterMs, battery: watchesBattery } = this.#settings
    if (silentAfterMs !== null) this.alarms.resume(this.#noData, noData && fromSavedRun(noData))
    for (const [key, { channels, ...saved }] of Object.entries(devices)) {
      const [base = '', serial = ''] = key.split('/')
      const device = this.#addDevice(base, serial)
      device.limits = known[saved.limits] ?? []
      const { name, group = null, utcOffset = null, newest = null, unseenMs = 0, silent, battery } = saved
      Object.assign(device, { name, group, utcOffset, newest })
      device.seenAt -= unseenMs
      if (silentAfterMs !== null) this.alarms.resume(device.silent, silent && fromSavedRun(silent))
      if (battery && watchesBattery) this.alarms.resume(device.battery, fromSavedRun(battery), battery[5])
      for (const [number, channel] of Object.entries(channels))
        this.#restoreChannel(device, Number(number), channel)
    }
  }

  #restoreChannel(device: WatchedDevice, number: number, saved: SavedChannel): void {
    const { name, unit, quantity = null, first = Number.NEGATIVE_INFINITY, error, limits } = saved
    const channel = this.#addChannel(device, { number, name, unit, quantity }, first)
    if (this.#settings.errorAfterMs !== null)
      this.alarms.resume(channel.error, error && fromSavedRun(error), error?.[5])
    for (const [limitName, { at, run, late, past = [] }] of Object.entries(limits)) {
      const condition = channel.limits.get(limitName)
      if (!condition || at === undefined) continue
      condition.at = at
      condition.past = past
      if (late) condition.late = { at: late[1], run: fromSavedRun(late) }
      this.alarms.resume(condition, run && fromSavedRun(run))
    }
  }

  #receiveDevice(measured: MeasuredDevice, limits: readonly Limit[]): void {
    const { base, serial, name, group, utcOffset, newest, battery } = measured
    const { now, monotonic } = this.#times()
    const known = this.#devices.get(`${base}/${serial}`)
    // A device that is seen for the first time may have been silent for long.
    const device = known ?? this.#addDevice(base, serial, Math.max(0, now - (newest ?? now)))
    device.seenAt = monotonic
    if (name !== '') device.name = name.slice(0, MAX_TEXT_LENGTH)
    if (utcOffset !== null) device.utcOffset = utcOffset
    const hasNewGroup = group !== undefined && group !== device.group
    if (hasNewGroup) device.group = group
    if (hasNewGroup || device.limits !== limits) this.#applyLimits(device, limits)
    if (newest !== null && this.#isLateForLong(device, newest)) this.#beginAnew(device, newest)
    for (const channel of measured.channels.values()) this.#receiveChannel(device, channel, newest)
    const watchesSilence = this.#settings.silentAfterMs !== null
    if (watchesSilence) this.alarms.noteState(device.silent)
    if (this.#settings.battery && battery !== null) this.#judgeBattery(device, battery, newest ?? now)
    if (newest === null || newest < (device.newest ?? newest)) return
    if (this.#settings.errorAfterMs !== null) this.#judgeErrors(device, measured, newest)
    if (newest === device.newest) return
    device.newest = newest
    if (known) device.arrivedAt = monotonic
    if (watchesSilence) this.alarms.end(device.silent, newest)
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
    const { name, unit, quantity, values } = measured
    const first = this.#settings.leavesOutPast ? (newest ?? this.#clock.now()) : Number.NEGATIVE_INFINITY
    const channel = device.channels.get(measured.number) ?? this.#addChannel(device, measured, first)
    if (name !== '') channel.name = name.slice(0, MAX_TEXT_LENGTH)
    channel.unit = unit.slice(0, MAX_TEXT_LENGTH)
    if (quantity !== channel.quantity) {
      channel.quantity = quantity
      this.#applyLimitsTo(channel)
    }
    const timed = values.filter((value): value is Timed & typeof value => value.value !== null)
    if (timed.some(({ time }, index) => time < (timed[index - 1]?.time ?? time)))
      timed.sort((a, b) => a.time - b.time)
    for (const condition of channel.limits.values()) {
      const convert = converterOf(measured, condition.limit.unit)
      for (const { time, value } of timed) {
        const converted = { time, value: convert ? convert(value) : value }
        if (time > condition.at) this.#judge(condition, converted)
        // The newest value again may end a run of older ones, if a whole message arrives twice.
        else if (time < condition.at || condition.late?.run) this.#judgeLate(condition, converted)
      }
      const { late } = condition
      if (late?.run?.isAlarm && !late.run.isReported)
        this.alarms.noteEnded(condition, late.run, { late: true })
    }
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
    if (ended?.run.isAlarm && !ended.run.isReported)
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
    const reported = battery.run ? (BATTERY_RANKS[battery.detail ?? ''] ?? 0) : 0
    if (rank > reported) this.#beginAlarm(battery, at, level)
    if (level === 'unknown' || rank > 0) return
    this.alarms.end(battery, at)
  }

  #beginAlarm(condition: Condition, from: number, detail: string | null = null): void {
    this.alarms.begin(condition, from, detail)
    this.alarms.raise(condition)
  }

  /** @param ageMs age of the newest measurement */
  #addDevice(base: string, serial: string, ageMs = 0): WatchedDevice {
    const device = new WatchedDevice(base, serial, this.#clock.monotonic() - ageMs)
    this.#devices.set(device.key, device)
    return device
  }

  /** @throws EnvlogError `too-many-channels` */
  #addChannel(
    device: WatchedDevice,
    { number, name, unit, quantity }: Omit<MeasuredChannel, 'values'>,
    first: number,
  ): WatchedChannel {
    if (this.#channelCount >= MAX_CHANNELS) throw new EnvlogError('too-many-channels', { most: MAX_CHANNELS })
    this.#channelCount++
    const channel = new WatchedChannel(device, number, first)
    Object.assign(channel, { name, unit, quantity })
    device.channels.set(number, channel)
    this.alarms.hasNew = true
    this.#applyLimitsTo(channel)
    return channel
  }

  #applyLimits(device: WatchedDevice, limits: readonly Limit[]): void {
    device.limits = limits
    for (const channel of device.channels.values()) this.#applyLimitsTo(channel)
  }

  /** Creates the conditions of a channel. Those of a limit that has changed or no longer applies are forgotten. */
  #applyLimitsTo(channel: WatchedChannel): void {
    const { device } = channel
    const before = channel.limits
    channel.limits = new Map()
    for (const limit of limitsFor(device.limits, device, channel)) {
      const known = before.get(limit.name)
      const isSame = known && boundsText(known.limit) === boundsText(limit)
      channel.limits.set(limit.name, isSame ? known : this.#createCondition(channel, limit))
    }
    const kept = new Set(channel.limits.values())
    for (const condition of before.values()) if (!kept.has(condition)) this.alarms.close(condition)
  }

  /** A new limit judges what is measured from now on. */
  #createCondition(channel: WatchedChannel, limit: Limit): LimitCondition {
    const condition = new LimitCondition({ device: channel.device, channel }, limit)
    if (channel.device.channels.has(channel.number)) condition.at = channel.device.newest ?? condition.at
    return condition
  }

  #forgetDevice(device: WatchedDevice): void {
    for (const condition of device.conditions()) this.alarms.close(condition)
    this.#channelCount -= device.channels.size
    this.#devices.delete(device.key)
  }

  #times() {
    return { now: this.#clock.now(), monotonic: this.#clock.monotonic() }
  }
}

function toSavedDevice(device: WatchedDevice, monotonic: number): Omit<SavedDevice, 'limits'> {
  const { name, group, utcOffset, newest, seenAt, silent, battery, channels } = device
  const unseenMs = Math.round(monotonic - seenAt)
  const savedChannels = Array.from(channels.values(), (channel) => [channel.number, toSavedChannel(channel)])
  return {
    name,
    ...(group !== null && { group }),
    ...(utcOffset !== null && { utcOffset }),
    ...(newest !== null && { newest }),
    ...(unseenMs > MIN_UNSEEN_MS && { unseenMs }),
    ...(silent.run && { silent: toSavedRun(silent.run) }),
    ...(battery.run && { battery: toSavedRun(battery.run, battery.detail) }),
    channels: Object.fromEntries(savedChannels),
  }
}

function toSavedChannel({ name, unit, quantity, first, error, limits }: WatchedChannel): SavedChannel {
  const savedLimits = Array.from(limits, ([limitName, { at, run, late, past }]) => [
    limitName,
    {
      ...(Number.isFinite(at) && { at }),
      ...(run && { run: toSavedRun(run) }),
      ...(late?.run && { late: toSavedRun(late.run) }),
      ...(past.length > 0 && { past }),
    },
  ])
  return {
    name,
    unit,
    ...(quantity !== null && { quantity }),
    ...(Number.isFinite(first) && { first }),
    ...(error.run && { error: toSavedRun(error.run, error.detail) }),
    limits: Object.fromEntries(savedLimits),
  }
}

/** The part of a limit that a run depends on. */
function boundsText({ above, below, unit, minutes, margin }: Limit): string {
  return [above, below, unit, minutes, margin].join('|')
}
