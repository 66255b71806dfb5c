import type { Clock } from '../clock'
import type { AlarmList } from './alarm-list'
import { type Alarm, Condition, type WatchedDevice } from './condition'

/** How long a silent device waits for the others of its base unit, so that one event can be about all. */
export const BASE_WAIT_MS = 600_000

/** Silent remote units, and what arrives from the others of their base unit. */
interface Unit {
  devices: WatchedDevice[]
  silent: number
  /** When one of them last measured, monotonic ms, and the time of their newest measurement. */
  arrivedAt: number
  newest: number | null
}

/** Reports devices that send nothing new: one, all of a base unit, or all (docs/judging.md, *Silence*). */
export class Silence {
  readonly noData = new Condition('no-data', {})
  readonly #alarms: AlarmList
  readonly #clock: Clock
  readonly #afterMs: number
  /** When a measurement last arrived, or the node started: monotonic ms, and ms since 1970 UTC. */
  #dataAt: { monotonic: number; now: number }
  /** By serial number: the silence of base units, and when it was over, monotonic ms. */
  readonly #bases = new Map<string, Condition>()
  readonly #backAt = new Map<string, number>()

  constructor(alarms: AlarmList, clock: Clock, afterMs: number) {
    this.#alarms = alarms
    this.#clock = clock
    this.#afterMs = afterMs
    this.#dataAt = this.#times()
  }

  /** When a measurement last arrived: monotonic ms, and ms since 1970 UTC. */
  get dataAt(): { monotonic: number; now: number } {
    return this.#dataAt
  }

  /** Measurements have arrived. @returns whether none had arrived for long */
  noteData(devices: Iterable<WatchedDevice>): boolean {
    const isBack = this.noData.alarm !== undefined
    this.#dataAt = this.#times()
    this.#alarms.end(this.noData, this.#dataAt.now)
    this.#alarms.noteState(this.noData)
    if (isBack) for (const device of devices) device.arrivedAt = this.#dataAt.monotonic
    return isBack
  }

  /** Begins the minutes anew, as after a start. */
  beginAnew(devices: Iterable<WatchedDevice>): void {
    this.#dataAt = { ...this.#dataAt, monotonic: this.#clock.monotonic() }
    for (const device of devices) device.arrivedAt = this.#dataAt.monotonic
  }

  /** Forgets that nothing arrives, and base units without devices. */
  forget(devices: Iterable<WatchedDevice>): void {
    const bases = new Set(Array.from(devices, ({ base }) => base))
    for (const base of this.#bases.keys()) if (!bases.has(base)) this.#closeBase(base)
    if (bases.size > 0) return
    this.#alarms.retire(this.noData)
    this.#dataAt = this.#times()
  }

  passTime(devices: Iterable<WatchedDevice>): void {
    const { now, monotonic } = this.#times()
    if (!this.noData.alarm && monotonic - this.#dataAt.monotonic >= this.#afterMs)
      this.#alarms.beginAlarm(this.noData, this.#dataAt.now)
    const units = new Map<string, Unit>()
    for (const device of devices) {
      const { arrivedAt, silent, newest } = device
      // While no measurements arrive at all, that is reported instead.
      const isSilent = this.#dataAt.monotonic - arrivedAt >= this.#afterMs
      if (isSilent && !silent.alarm) this.#alarms.beginAlarm(silent, newest ?? now)
      // A new device that has not yet measured shows nothing about its base unit.
      if (device.base !== device.serial && (newest !== null || silent.alarm)) addTo(units, device)
    }
    for (const [base, unit] of units) this.#judgeBase(base, unit)
    for (const base of [...this.#bases.keys(), ...this.#backAt.keys()])
      if (!units.has(base)) this.#closeBase(base)
  }

  toSave(): [base: string, alarm: Alarm][] {
    return Array.from(this.#bases).flatMap(([base, { alarm }]) => (alarm ? [[base, alarm]] : []))
  }

  restore(noData: Alarm | undefined, bases: readonly (readonly [base: string, alarm: Alarm])[]): void {
    this.#alarms.resume(this.noData, noData)
    for (const [base, alarm] of bases) this.#alarms.resume(this.#conditionOf(base), alarm)
  }

  #judgeBase(base: string, unit: Unit): void {
    const { devices, silent, newest } = unit
    const lasting = this.#bases.get(base)
    const isSilent = silent === devices.length && (lasting !== undefined || silent >= 2)
    const isRestored = lasting?.about.base?.silences.length === 0
    if (isSilent || isRestored)
      this.#conditionOf(base).about.base = {
        serial: base,
        name: devices[0]?.baseName ?? '',
        silences: devices.map((device) => device.silent),
      }
    if (lasting && !isSilent) {
      this.#alarms.end(lasting, newest ?? this.#clock.now())
      this.#bases.delete(base)
      this.#backAt.set(base, this.#clock.monotonic())
    } else if (lasting) this.#alarms.setDetail(lasting, String(silent))
    else if (isSilent)
      this.#alarms.beginAlarm(this.#conditionOf(base), newest ?? this.#clock.now(), String(silent))
    this.#cover(base, unit, isSilent)
  }

  /** Decides whether the silence of devices is reported, or that of their base unit stands for it. */
  #cover(base: string, unit: Unit, isSilent: boolean): void {
    for (const { silent: condition, arrivedAt } of unit.devices) {
      const isReported = condition.alarm?.reportedAt != null
      condition.coveredBy = isSilent ? this.#bases.get(base) : undefined
      condition.isCovered = isSilent || (!isReported && this.#waits(condition, arrivedAt, base, unit))
    }
  }

  /** Whether a silent device waits for the others of its base unit: they may be silent soon, or measure again soon. */
  #waits({ since }: Condition, arrivedAt: number, base: string, unit: Unit): boolean {
    const monotonic = this.#clock.monotonic()
    const backAt = this.#backAt.get(base) ?? Number.NEGATIVE_INFINITY
    const othersMeasure =
      since > backAt && unit.arrivedAt > arrivedAt && monotonic - unit.arrivedAt < BASE_WAIT_MS
    return unit.devices.length >= 2 && !othersMeasure && monotonic - Math.max(since, backAt) < BASE_WAIT_MS
  }

  #conditionOf(base: string): Condition {
    const condition =
      this.#bases.get(base) ?? new Condition('silent', { base: { serial: base, name: '', silences: [] } })
    this.#bases.set(base, condition)
    return condition
  }

  #closeBase(base: string): void {
    const condition = this.#bases.get(base)
    if (condition) this.#alarms.close(condition)
    this.#bases.delete(base)
    this.#backAt.delete(base)
  }

  #times() {
    return { now: this.#clock.now(), monotonic: this.#clock.monotonic() }
  }
}

function addTo(units: Map<string, Unit>, device: WatchedDevice): void {
  const { base, silent, arrivedAt, newest } = device
  const nothing: Unit = { devices: [], silent: 0, arrivedAt: Number.NEGATIVE_INFINITY, newest: null }
  const unit = units.get(base) ?? nothing
  units.set(base, unit)
  unit.devices.push(device)
  if (silent.alarm) unit.silent++
  unit.arrivedAt = Math.max(unit.arrivedAt, arrivedAt)
  if (newest !== null) unit.newest = Math.max(unit.newest ?? newest, newest)
}
