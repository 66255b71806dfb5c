/** A monitor whose state is saved and restored as by the node, with the messages that it receives. */
import type { Clock } from '../../../src/lib/clock'
import type { AlarmSettings } from '../../../src/lib/limits/alarm-settings'
import { type Condition, LimitCondition } from '../../../src/lib/limits/condition'
import type { LimitEvent } from '../../../src/lib/limits/event'
import { readMeasurements } from '../../../src/lib/limits/measurements'
import { Monitor } from '../../../src/lib/limits/monitor'
import { readSavedLimits } from '../../../src/lib/limits/saved-limits'
import { type Limit, readLimits } from '../../../src/shared/limits-schema'
import { createVirtualClock, type VirtualClock } from '../clock'

export const MINUTE = 60_000
/** 2026-11-20T08:00:00Z */
export const AT_8 = Date.UTC(2026, 10, 20, 8)

const SETTINGS: AlarmSettings = {
  errorAfterMs: 10 * MINUTE,
  silentAfterMs: 60 * MINUTE,
  battery: true,
  remindMs: 0,
}

/** Rows of the form, as users write them. */
export function limitsOf(...rows: object[]): readonly Limit[] {
  const limits = readLimits(rows)
  if ('problem' in limits) throw new Error(JSON.stringify(limits))
  return limits
}

/** The details of a command that nobody signs. */
export const UNSIGNED = { by: null, note: null, ms: null }

export type Value = number | string | null

/** A series of a freezer. A text is the service's error; a record may have a value for each of several channels. */
export function seriesOf(
  records: readonly (readonly [time: number, ...values: Value[]])[],
  more: object = {},
) {
  const count = Math.max(1, ...records.map(([, ...values]) => values.length))
  const channels = Array.from({ length: count }, (_, index) => ({
    key: `ch${index + 1}`,
    number: index + 1,
    name: index === 0 ? 'Inside' : `Input ${index + 1}`,
    unit: '°C',
    quantity: 'temperature',
  }))
  return {
    serial: '5212A1B2',
    name: 'Freezer 3',
    base: { serial: '5839F001', name: 'Hall 1' },
    group: { number: 1, name: 'Cold chain' },
    utcOffset: 540,
    channels,
    records: records.map(([timestamp, ...values]) => {
      const parts = values.map((value, index) => [`ch${index + 1}`, typeof value === 'number' ? value : null])
      const errors = values.flatMap((value, index) =>
        typeof value === 'string' ? [[`ch${index + 1}`, value]] : [],
      )
      return { timestamp, ...Object.fromEntries(parts), errors: Object.fromEntries(errors) }
    }),
    ...more,
  }
}

/** A current reading of a freezer. */
export function readingOf(timestamp: number | null, value: Value, more: object = {}) {
  const error = typeof value === 'string' ? value : null
  const { records: _, ...about } = seriesOf([])
  const channels = about.channels.map((channel) => ({
    ...channel,
    value: error === null ? value : null,
    error,
  }))
  return { ...about, timestamp, battery: { code: 5, level: 'sufficient' }, channels, ...more }
}

export class Monitoring {
  readonly clock: VirtualClock
  #settings: AlarmSettings
  #limits: readonly Limit[]
  #monitor: Monitor
  /** The states that were sent, such as `too warm 5212A1B2 true`: plain ones, and those kept until acknowledged. */
  readonly sent: { states: string[]; latched: string[] } = { states: [], latched: [] }
  /** The state as it was last written before something was sent. */
  #written: string | undefined
  /** Whether it will be written within half a minute. */
  #isDue = false

  constructor(rows: readonly object[], settings: Partial<AlarmSettings> = {}, clock = createVirtualClock()) {
    this.clock = clock
    this.#settings = { ...SETTINGS, ...settings }
    this.#limits = limitsOf(...rows)
    this.#monitor = this.#start()
  }

  get monitor(): Monitor {
    return this.#monitor
  }

  /** The events caused by a payload, which arrives when its newest measurement is known, or later. */
  receive(payload: unknown, limits = this.#limits): LimitEvent[] {
    const { devices } = readMeasurements(payload)
    const newest = Math.max(...devices.map((device) => device.newest ?? 0))
    this.clock.jump(Math.max(0, newest - this.clock.now()))
    return this.receiveAhead(payload, limits)
  }

  /** The events caused by a payload whose measurements may be ahead of the clock. */
  receiveAhead(payload: unknown, limits = this.#limits): LimitEvent[] {
    this.#monitor.receive(readMeasurements(payload).devices, limits)
    return this.#collect()
  }

  /** The events caused by time. The clock is checked every minute. */
  wait(minutes: number): LimitEvent[] {
    const events: LimitEvent[] = []
    for (let minute = 0; minute < minutes; minute++) {
      this.clock.advance(MINUTE)
      this.#monitor.passTime()
      events.push(...this.#collect(true))
    }
    return events
  }

  command(apply: (monitor: Monitor) => void): LimitEvent[] {
    apply(this.#monitor)
    return this.#collect()
  }

  /** Stops and starts, so that the whole state is written. */
  restart(rows?: readonly object[], settings: Partial<AlarmSettings> = {}): void {
    this.#write()
    this.#settings = { ...this.#settings, ...settings }
    this.kill(rows)
  }

  /** Starts with what was written last. */
  kill(rows?: readonly object[]): void {
    if (rows) this.#limits = limitsOf(...rows)
    this.#monitor = this.#start()
  }

  get size(): number {
    return JSON.stringify(this.#monitor.toSave()).length
  }

  #collect(isByClock?: boolean): LimitEvent[] {
    const { alarms } = this.#monitor
    const { reports, states, latched, save } = alarms.collect(isByClock)
    this.sent.states.push(...states.map((condition) => `${nameOf(condition)} ${condition.isAlarm}`))
    this.sent.latched.push(
      ...latched.map((condition) => `${nameOf(condition)} ${alarms.isLatched(condition)}`),
    )
    this.#isDue ||= save === 'soon'
    if (save === 'now' || (isByClock && this.#isDue)) this.#write()
    return reports.map(({ event }) => event)
  }

  #write(): void {
    this.#isDue = false
    this.#written = JSON.stringify(this.#monitor.toSave())
  }

  #start(): Monitor {
    const monitor = new Monitor(this.clock as Clock, this.#settings)
    const saved = readSavedLimits(this.#written && JSON.parse(this.#written))
    if (saved) monitor.restore(saved)
    if (this.#limits.length > 0) monitor.setLimits(this.#limits)
    return monitor
  }
}

/** A condition as `too warm 5212A1B2`. */
export const nameOf = (condition: Condition) => {
  const name = condition instanceof LimitCondition ? condition.limit.name : condition.kind
  return `${name} ${condition.about.device?.serial ?? ''}`.trim()
}

/** Events as `alarm above 5212A1B2 1`: state, condition, serial number, channel. */
export const brief = (events: readonly LimitEvent[]) =>
  events.map(({ state, condition, serial, channel }) => [state, condition, serial, channel].join(' ').trim())

/** The time of a measurement at the current time of the clock. */
export const nowIn = ({ clock }: Monitoring) => clock.now()

/** A device of another serial number. */
export const other = (time: number, value: number) =>
  readingOf(time, value, { serial: '5212A1B3', name: 'Freezer 4' })
