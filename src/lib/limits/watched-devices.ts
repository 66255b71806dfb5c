import type { Limit } from '../../shared/limits-schema'
import type { Clock } from '../clock'
import { cutText } from '../cut-text'
import { EnvlogError } from '../errors'
import type { AlarmList } from './alarm-list'
import { LimitCondition, MAX_TEXT_LENGTH, toAlarm, WatchedChannel, WatchedDevice } from './condition'
import { limitsFor } from './matching'
import { channelIn, type MeasuredChannel, type MeasuredDevice } from './measurements'
import {
  fromSavedAcknowledgment,
  fromSavedAlarm,
  fromSavedPast,
  type SavedChannel,
  type SavedLimits,
  toSavedDevice,
} from './saved-limits'
import { fromSavedPieces } from './saved-pieces'

/** Far more than any account has. */
export const MAX_CHANNELS = 100_000

/** The devices whose messages arrive, their channels, and the limits that apply to each channel. */
export class WatchedDevices {
  readonly #clock: Clock
  readonly #alarms: AlarmList
  /** By the serial number of the base unit, then by that of the device. */
  readonly #byBase = new Map<string, Map<string, WatchedDevice>>()
  #deviceCount = 0
  #channelCount = 0
  #limits: readonly Limit[] = []
  /** Whether there was no room for a device or a channel. */
  #hasRefused = false

  constructor(clock: Clock, alarms: AlarmList) {
    this.#clock = clock
    this.#alarms = alarms
  }

  get all(): Iterable<WatchedDevice> {
    return devicesIn(this.#byBase.values())
  }

  get count(): number {
    return this.#deviceCount
  }

  /** The device of a serial number that was seen last, because it may have moved to another base unit. */
  findBySerial(serial: string): WatchedDevice | undefined {
    let found: WatchedDevice | undefined
    for (const device of this.all)
      if (device.serial === serial && device.seenAt >= (found?.seenAt ?? device.seenAt)) found = device
    return found
  }

  find(base: string, serial: string): WatchedDevice | undefined {
    return this.#byBase.get(base)?.get(serial)
  }

  /** @param ageMs age of the newest measurement @returns `undefined` if there is no room */
  add(base: string, serial: string, ageMs = 0): WatchedDevice | undefined {
    this.#hasRefused ||= this.#deviceCount >= MAX_CHANNELS
    if (this.#deviceCount >= MAX_CHANNELS) return undefined
    const device = new WatchedDevice(base, serial, this.#clock.monotonic() - ageMs)
    const others = this.#byBase.get(base)
    if (others) others.set(serial, device)
    else this.#byBase.set(base, new Map([[serial, device]]))
    this.#deviceCount++
    return device
  }

  /** @throws EnvlogError `too-many-channels` if there was no room for a device or channel since the last call */
  checkRefused(): void {
    const hasRefused = this.#hasRefused
    this.#hasRefused = false
    if (hasRefused) throw new EnvlogError('too-many-channels', { most: MAX_CHANNELS })
  }

  /** Sets what a message says about a device. */
  update(device: WatchedDevice, measured: MeasuredDevice): void {
    const { name, baseName, group, utcOffset } = measured
    // An equal text is not replaced: thousands of new ones with each message would cost garbage collection.
    if (name !== '' && name !== device.name) device.name = cutText(name, MAX_TEXT_LENGTH)
    if (baseName !== '' && baseName !== device.baseName) device.baseName = cutText(baseName, MAX_TEXT_LENGTH)
    if (utcOffset !== null) device.utcOffset = utcOffset
    if (group === undefined || group === device.group) return
    device.group = group
    this.#applyToDevice(device)
  }

  /**
   * Sets what a message says about a channel, which is added if it is new.
   * @param first the newest time in the message, if the channel is new
   * @returns `undefined` if there is no room
   */
  updateChannel(
    device: WatchedDevice,
    { number, name, unit, quantity }: Omit<MeasuredChannel, 'values'>,
    first: number,
  ): WatchedChannel | undefined {
    const known = channelIn(device.channels, number)
    const channel = known ?? this.#addChannel(device, number, first)
    if (!channel) return undefined
    if (name !== '' && name !== channel.name) channel.name = cutText(name, MAX_TEXT_LENGTH)
    // Without a value, the service may send no unit, and % may be anything without a temperature beside it.
    const isUnknown = known && quantity === null && (unit === '' || unit === known.unit)
    if (isUnknown) return channel
    if (unit !== channel.unit) channel.unit = cutText(unit, MAX_TEXT_LENGTH)
    if (known?.quantity === quantity) return channel
    channel.quantity = quantity
    this.#applyLimits(channel, known ? device.newest : null)
    return channel
  }

  /** By which all values are judged. */
  get limits(): readonly Limit[] {
    return this.#limits
  }

  /** What the conditions of other limits have found is forgotten. */
  setLimits(limits: readonly Limit[]): void {
    // Those that are read for each message are another array each time.
    const areSame = limits === this.#limits || JSON.stringify(limits) === JSON.stringify(this.#limits)
    if (areSame) return
    this.#limits = limits
    for (const device of this.all) this.#applyToDevice(device)
  }

  forget(device: WatchedDevice): void {
    for (const condition of device.conditions()) this.#alarms.retire(condition)
    this.#channelCount -= device.channels.length
    this.#deviceCount--
    const others = this.#byBase.get(device.base)
    others?.delete(device.serial)
    if (others?.size === 0) this.#byBase.delete(device.base)
  }

  /** @param dataAt when a measurement last arrived, monotonic ms */
  toSave(dataAt: number): Pick<SavedLimits, 'devices' | 'limits'> {
    const monotonic = this.#clock.monotonic()
    const devices = Array.from(this.all, (device) => [
      `${device.base}/${device.serial}`,
      toSavedDevice(device, {
        unseenMs: monotonic - device.seenAt,
        quietMs: dataAt - device.arrivedAt,
        aheadMs: monotonic - (device.aheadSince ?? monotonic),
      }),
    ])
    return { devices: Object.fromEntries(devices), limits: this.#limits }
  }

  /** Continues with saved devices. Times that depend on the clock count from now on, or go on if they are long. */
  restore({ devices, limits }: SavedLimits): void {
    this.#limits = limits
    for (const [key, { channels, ...saved }] of Object.entries(devices)) {
      const [base = '', serial = ''] = key.split('/')
      const device = this.add(base, serial)
      if (!device) continue
      const { name, baseName = '', group = null, utcOffset = null, newest = null, betterSince } = saved
      Object.assign(device, { name, baseName, group, utcOffset, newest, betterSince })
      device.seenAt -= saved.unseenMs ?? 0
      device.arrivedAt -= saved.quietMs ?? 0
      if (saved.aheadMs !== undefined) device.aheadSince = this.#clock.monotonic() - saved.aheadMs
      this.#alarms.resume(device.silent, saved.silent && fromSavedAlarm(saved.silent))
      if (saved.battery || saved.hasBattery)
        this.#alarms.resume(device.battery, saved.battery && fromSavedAlarm(saved.battery))
      for (const [number, channel] of Object.entries(channels))
        this.#restoreChannel(device, Number(number), channel)
    }
  }

  #restoreChannel(device: WatchedDevice, number: number, saved: SavedChannel): void {
    const { name, unit, quantity = null, first = Number.NEGATIVE_INFINITY, error, limits } = saved
    const channel = this.updateChannel(device, { number, name, unit, quantity }, first)
    if (!channel) return
    channel.pause = saved.pause ?? channel.pause
    this.#alarms.resume(channel.error, error && fromSavedAlarm(error))
    for (const [limitName, { after, pieces, reported, past = [] }] of limits) {
      const condition = limitOf(channel, limitName)
      if (!condition) continue
      condition.after = after
      condition.pieces = fromSavedPieces(pieces)
      condition.past = past.map(fromSavedPast)
      const run = condition.pieces.runOf(condition.limit)
      const [key = run?.from, reportedAt = null, acknowledged = null] = reported ?? []
      this.#alarms.resume(
        condition,
        run &&
          toAlarm({
            ...run,
            key: key ?? run.from,
            reportedAt,
            acknowledged: fromSavedAcknowledgment(acknowledged),
          }),
      )
    }
  }

  #addChannel(device: WatchedDevice, number: number, first: number): WatchedChannel | undefined {
    this.#hasRefused ||= this.#channelCount >= MAX_CHANNELS
    if (this.#channelCount >= MAX_CHANNELS) return undefined
    this.#channelCount++
    const channel = new WatchedChannel(device, number, first)
    device.channels.push(channel)
    this.#alarms.noteChange()
    return channel
  }

  #applyToDevice(device: WatchedDevice): void {
    for (const channel of device.channels) this.#applyLimits(channel, device.newest)
  }

  /**
   * Creates the conditions of a channel. Those of a limit that has changed or no longer applies are forgotten.
   * @param after a new limit judges what is measured after this time, or everything
   */
  #applyLimits(channel: WatchedChannel, after: number | null): void {
    const { device } = channel
    const before = channel.limits
    const about = { device, channel }
    channel.limits = limitsFor(this.#limits, device, channel).map((limit) => {
      const known = limitOf(channel, limit.name)
      const isSame = known && boundsText(known.limit) === boundsText(limit)
      return isSame ? known : new LimitCondition(about, limit, after ?? undefined)
    })
    for (const condition of before) if (!channel.limits.includes(condition)) this.#alarms.retire(condition)
  }
}

function* devicesIn(groups: Iterable<ReadonlyMap<string, WatchedDevice>>): Generator<WatchedDevice> {
  for (const devices of groups) yield* devices.values()
}

const limitOf = ({ limits }: WatchedChannel, name: string) => limits.find(({ limit }) => limit.name === name)

/** The part of a limit that a run depends on. */
function boundsText({ above, below, unit, minutes, margin }: Limit): string {
  return [above, below, unit, minutes, margin].join('|')
}
