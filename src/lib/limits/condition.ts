import type { ConditionName, Limit } from '../../shared/limits-schema'
import type { Quantity } from '../../shared/quantity'
import type { Run, Timed } from './judge'
import { Pieces } from './pieces'

/** Maximum length of a text from a message. */
export const MAX_TEXT_LENGTH = 100

/** What a condition is about: a channel, a device, or a base unit with the silence of its devices. */
export interface About {
  device?: WatchedDevice
  channel?: WatchedChannel
  base?: { serial: string; name: string; silences: readonly Condition[] }
}

/** Who has seen an alarm, and when, ms since 1970 UTC. Reminders go on after `ms`, or never if it is `null`. */
export interface Acknowledgment {
  at: number
  by: string | null
  note: string | null
  ms: number | null
}

/** A condition while it lasts: values outside a limit, or something else, which has no values. */
export interface Alarm extends Pick<Run, 'from' | 'at' | 'side' | 'isAlarm'> {
  value: number | null
  extreme: number | null
  /** Its beginning when it was first reported, which its id contains. Values that arrive late may change `from`. */
  key: number
  /** When it was last reported as an alarm or a reminder, ms since 1970 UTC; `null` if it was not. */
  reportedAt: number | null
  acknowledged: Acknowledgment | null
  /** For `error`, the text of the service; for `battery`, the level; for `no-match`, what nothing matches. */
  detail: string | null
}

/** An alarm that was reported and is over, and the value that ended it. */
export interface PastAlarm extends Timed {
  alarm: Alarm
}

/** A condition that begins now, or the alarm of a run. */
export function toAlarm(run: Partial<Alarm> & { from: number }): Alarm {
  const { from, key = from, at = from, side = 'above', isAlarm = false, value = null, extreme = null } = run
  const { reportedAt = null, acknowledged = null, detail = null } = run
  return { key, from, at, side, isAlarm, value, extreme, reportedAt, acknowledged, detail }
}

/** Before it happens. Not 0: the first fraction in its place would make V8 convert all conditions. */
const NEVER = Number.NEGATIVE_INFINITY

/** Something that is in alarm or not: a value outside a limit, a channel without values, a silent device, … */
export class Condition {
  readonly kind: 'limit' | Exclude<ConditionName, 'above' | 'below'>
  readonly about: About
  /** Change it with `AlarmList` only, which notices what must be saved. */
  alarm: Alarm | undefined
  /** When it began to count, when it was last reported, and when it was acknowledged, monotonic ms. */
  since = NEVER
  reportedAt = NEVER
  acknowledgedAt = NEVER
  /** The furthest value that was saved. */
  savedExtreme: number | null = null
  /** Whether it is not reported, because that of its base unit is, or may be soon. */
  isCovered = false
  /** The silence of its base unit, while that is reported in its place. */
  coveredBy: Condition | undefined
  /** The states that were last sent: plain, and kept until it is acknowledged; `undefined` before the first one. */
  sentState: boolean | undefined
  sentLatched: boolean | undefined

  constructor(kind: Condition['kind'], about: About) {
    this.kind = kind
    this.about = about
  }

  get isAlarm(): boolean {
    return this.alarm?.isAlarm ?? false
  }
}

/** A limit of a channel. */
export class LimitCondition extends Condition {
  pieces = new Pieces()
  /** Alarms that were reported and are over, but that values for a hole may still change. */
  past: readonly PastAlarm[] = []

  /** @param after what was measured until then is not judged, because the limit is newer, ms since 1970 UTC */
  constructor(
    about: Required<Omit<About, 'base'>>,
    readonly limit: Limit,
    public after: number | undefined,
  ) {
    super('limit', about)
  }
}

/** Whether a change must be saved before anything is sent. */
export function hasChanged(before: Alarm | undefined, alarm: Alarm | undefined): boolean {
  if (!before || !alarm) return before !== alarm
  return (['from', 'isAlarm', 'reportedAt', 'acknowledged', 'detail'] as const).some(
    (property) => before[property] !== alarm[property],
  )
}

/** Whether the furthest value is so far from the saved one that it must be saved, too. */
export function hasGrown(condition: Condition, alarm: Alarm | undefined): boolean {
  const { savedExtreme } = condition
  if (!(condition instanceof LimitCondition) || savedExtreme === null || !alarm?.isAlarm) return false
  return Math.abs((alarm.extreme ?? savedExtreme) - savedExtreme) >= Math.max(1, condition.limit.margin)
}

/** A channel of a device. */
export class WatchedChannel {
  name = ''
  unit = ''
  quantity: Quantity | null = null
  /** The usual pause between its measurements, ms; infinite if unknown, so that no pause is longer. */
  pause = Number.POSITIVE_INFINITY
  readonly error: Condition
  /** One for each name. */
  limits: readonly LimitCondition[] = []

  /** @param first the newest time in the message that first contained the channel, ms since 1970 UTC */
  constructor(
    readonly device: WatchedDevice,
    readonly number: number,
    public first: number,
  ) {
    this.error = new Condition('error', { device, channel: this })
  }
}

/** A device whose messages arrive. */
export class WatchedDevice {
  name = ''
  baseName = ''
  group: string | null = null
  /** Minutes ahead of UTC; `null` if unknown. */
  utcOffset: number | null = null
  /** Time of the newest measurement, ms since 1970 UTC; `null` if there is none. */
  newest: number | null = null
  /** Since when its battery has been better than reported, ms since 1970 UTC. */
  betterSince: number | undefined
  /** When a measurement last arrived, monotonic ms. */
  seenAt: number
  /** When a newer measurement last arrived, monotonic ms, also if `arrivedAt` began anew, and the last two waits, ms. */
  #newerAt: number
  #wait = 0
  #waitBefore = 0
  /** The newest time since only older measurements arrive, and when that began, monotonic ms. */
  late: { at: number; since: number } | undefined
  /** Since when only measurements ahead of the clock arrive, monotonic ms. */
  aheadSince: number | undefined
  readonly channels: WatchedChannel[] = []
  readonly silent = new Condition('silent', { device: this })
  readonly battery = new Condition('battery', { device: this })

  /** @param arrivedAt when a newer measurement last arrived, monotonic ms */
  constructor(
    readonly base: string,
    readonly serial: string,
    public arrivedAt: number,
  ) {
    this.seenAt = arrivedAt
    this.#newerAt = arrivedAt
  }

  /** A newer measurement arrives. @param at monotonic ms */
  noteArrival(at: number): void {
    this.#waitBefore = this.#wait
    this.#wait = at - this.#newerAt
    this.#newerAt = at
    this.arrivedAt = at
  }

  /**
   * The usual pause between its measurements, or between their arrivals if that is longer, ms; 0 if unknown. The shorter of
   * the last two waits, because one may be an outage.
   */
  get usualPause(): number {
    return Math.max(Math.min(this.#wait, this.#waitBefore), this.measuringPause)
  }

  /** The usual pause between its measurements, ms; 0 if unknown. */
  get measuringPause(): number {
    const pauses = this.channels.map(({ pause }) => pause).filter(Number.isFinite)
    return Math.max(0, ...pauses)
  }

  *conditions(): Generator<Condition> {
    yield this.silent
    yield this.battery
    for (const { error, limits } of this.channels) {
      yield error
      yield* limits
    }
  }
}
