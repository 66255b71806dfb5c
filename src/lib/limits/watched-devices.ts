import type { Limit } from '../../shared/limits-schema'
import type { Clock } from '../clock'
import { EnvlogError } from '../errors'
import type { AlarmList } from './alarm-list'
import { LimitCondition, WatchedChannel, WatchedDevice } from './condition'
import { limitsFor } from './matching'
import type { MeasuredChannel, MeasuredDevice } from './measurements'
import { fromSavedRun, type SavedChannel, type SavedLimits, toSavedDevice } from './saved-limits'

/** Far more than any account has. */
const MAX_CHANNELS = 100_000
/** Maximum length of a text from a message. */
export const MAX_TEXT_LENGTH = 100

/** The devices whose messages arrive, their channels, and the limits that apply to each channel. */
export class WatchedDevices {
  readonly #clock: Clock
  readonly #alarms: AlarmList
  readonly #byKey = new Map<string, WatchedDevice>()
  #channelCount = 0

  constructor(clock: Clock, alarms: AlarmList) {
    this.#clock = clock
    this.#alarms = alarms
  }

  get all(): Iterable<WatchedDevice> {
    return this.#byKey.values()
  }

  get count(): number {
    return this.#byKey.size
  }

  find(base: string, serial: string): WatchedDevice | undefined {
    return this.#byKey.get(`${base}/${serial}`)
  }

  /** @param ageMs age of the newest measurement */
  add(base: string, serial: string, ageMs = 0): WatchedDevice {
    const device = new WatchedDevice(base, serial, this.#clock.monotonic() - ageMs)
    this.#byKey.set(device.key, device)
    return device
  }

  /** Sets what a message says about a device, and the limits by which its values are judged. */
  update(device: WatchedDevice, { name, group, utcOffset }: MeasuredDevice, limits: readonly Limit[]): void {
    if (name !== '') device.name = name.slice(0, MAX_TEXT_LENGTH)
    if (utcOffset !== null) device.utcOffset = utcOffset
    const hasNewGroup = group !== undefined && group !== device.group
    if (hasNewGroup) device.group = group
    if (hasNewGroup || device.limits !== limits) this.setLimits(device, limits)
  }

  /**
   * Sets what a message says about a channel, which is added if it is new.
   * @param first the newest time in the message, if the channel is new
   * @throws EnvlogError `too-many-channels`
   */
  updateChannel(
    device: WatchedDevice,
    { number, name, unit, quantity }: Omit<MeasuredChannel, 'values'>,
    first: number,
  ): WatchedChannel {
    const known = device.channels.get(number)
    const channel = known ?? this.#addChannel(device, number, first)
    if (name !== '') channel.name = name.slice(0, MAX_TEXT_LENGTH)
    // Without a value, the service may send no unit, and % may be anything without a temperature beside it.
    const isUnknown = known && quantity === null && (unit === '' || unit === known.unit)
    if (isUnknown) return channel
    channel.unit = unit.slice(0, MAX_TEXT_LENGTH)
    if (known?.quantity === quantity) return channel
    channel.quantity = quantity
    this.#applyLimits(channel)
    return channel
  }

  /** What the conditions of other limits have found is forgotten. */
  setLimits(device: WatchedDevice, limits: readonly Limit[]): void {
    device.limits = limits
    for (const channel of device.channels.values()) this.#applyLimits(channel)
  }

  forget(device: WatchedDevice): void {
    for (const condition of device.conditions()) this.#alarms.close(condition)
    this.#channelCount -= device.channels.size
    this.#byKey.delete(device.key)
  }

  /** @param dataAt when a measurement last arrived, monotonic ms */
  toSave(dataAt: number): Pick<SavedLimits, 'devices' | 'limits'> {
    const monotonic = this.#clock.monotonic()
    const limits = [...new Set(Array.from(this.all, (device) => device.limits))]
    const devices = Array.from(this.#byKey, ([key, device]) => [
      key,
      toSavedDevice(device, limits.indexOf(device.limits), {
        unseenMs: monotonic - device.seenAt,
        quietMs: dataAt - device.arrivedAt,
      }),
    ])
    return { devices: Object.fromEntries(devices), limits }
  }

  /** Continues with saved devices. Times that depend on the clock count from now on, or go on if they are long. */
  restore({ devices, limits }: SavedLimits): void {
    for (const [key, { channels, ...saved }] of Object.entries(devices)) {
      const [base = '', serial = ''] = key.split('/')
      const device = this.add(base, serial)
      const {
        name,
        group = null,
        utcOffset = null,
        newest = null,
        unseenMs = 0,
        quietMs = 0,
        silent,
        battery,
      } = saved
      Object.assign(device, { name, group, utcOffset, newest, limits: limits[saved.limits] })
      device.seenAt -= unseenMs
      device.arrivedAt -= quietMs
      this.#alarms.resume(device.silent, silent && fromSavedRun(silent))
      if (battery) this.#alarms.resume(device.battery, fromSavedRun(battery))
      for (const [number, channel] of Object.entries(channels))
        this.#restoreChannel(device, Number(number), channel)
    }
  }

  #restoreChannel(device: WatchedDevice, number: number, saved: SavedChannel): void {
    const { name, unit, quantity = null, first = Number.NEGATIVE_INFINITY, error, limits } = saved
    const channel = this.updateChannel(device, { number, name, unit, quantity }, first)
    this.#alarms.resume(channel.error, error && fromSavedRun(error))
    for (const [limitName, { at, run, late, past = [] }] of limits) {
      const condition = channel.limits.get(limitName)
      if (!condition || at === undefined) continue
      condition.at = at
      condition.past = past
      if (late) condition.late = { at: late[1], run: fromSavedRun(late) }
      this.#alarms.resume(condition, run && fromSavedRun(run))
    }
  }

  /** @throws EnvlogError `too-many-channels` */
  #addChannel(device: WatchedDevice, number: number, first: number): WatchedChannel {
    if (this.#channelCount >= MAX_CHANNELS) throw new EnvlogError('too-many-channels', { most: MAX_CHANNELS })
    this.#channelCount++
    const channel = new WatchedChannel(device, number, first)
    device.channels.set(number, channel)
    this.#alarms.mustSave = true
    return channel
  }

  /** Creates the conditions of a channel. Those of a limit that has changed or no longer applies are forgotten. */
  #applyLimits(channel: WatchedChannel): void {
    const { device } = channel
    const before = channel.limits
    channel.limits = new Map()
    for (const limit of limitsFor(device.limits, device, channel)) {
      const known = before.get(limit.name)
      const isSame = known && boundsText(known.limit) === boundsText(limit)
      channel.limits.set(limit.name, isSame ? known : createCondition(channel, limit))
    }
    const kept = new Set(channel.limits.values())
    for (const condition of before.values()) if (!kept.has(condition)) this.#alarms.close(condition)
  }
}

/** A new limit judges what is measured from now on. */
function createCondition(channel: WatchedChannel, limit: Limit): LimitCondition {
  const condition = new LimitCondition({ device: channel.device, channel }, limit)
  condition.at = channel.device.newest ?? condition.at
  return condition
}

/** The part of a limit that a run depends on. */
function boundsText({ above, below, unit, minutes, margin }: Limit): string {
  return [above, below, unit, minutes, margin].join('|')
}
