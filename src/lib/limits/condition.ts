import type { ConditionName, Limit } from '../../shared/limits-schema'
import type { Quantity } from '../../shared/quantity'
import type { Lane, Run } from './judge'

/** What a condition is about. */
export interface About {
  device?: WatchedDevice
  channel?: WatchedChannel
}

/** Something that is in alarm or not: a value outside a limit, a channel without values, a silent device, … */
export class Condition {
  readonly kind: 'limit' | Exclude<ConditionName, 'above' | 'below'>
  readonly about: About
  run: Run | undefined
  /** When the run began to count, and when it was last reported, monotonic ms. */
  since = 0
  reportedAt = 0
  /** The state that was last sent; `undefined` before the first one. */
  sentState: boolean | undefined

  constructor(kind: Condition['kind'], about: About) {
    this.kind = kind
    this.about = about
  }

  get isAlarm(): boolean {
    return this.run?.isAlarm ?? false
  }
}

/** Number of past alarms that a limit remembers. */
const MAX_PAST = 3

/** A limit of a channel. */
export class LimitCondition extends Condition implements Lane {
  /** Time of the newest judged value, ms since 1970 UTC. */
  at = Number.NEGATIVE_INFINITY
  late: Lane | undefined
  /** Beginning and end of the last alarms that were reported and are over, ms since 1970 UTC. */
  past: [from: number, until: number][] = []

  constructor(
    about: Required<About>,
    readonly limit: Limit,
  ) {
    super('limit', about)
  }

  /** Whether a run that begins at this time is part of an alarm that was reported, as when values arrive twice. */
  wasReported(from: number): boolean {
    return this.past.some(([begin, end]) => from === begin || (from > begin && from < end))
  }

  remember(from: number, until: number): void {
    const past: [number, number][] = [...this.past, [from, until]]
    this.past = past.sort(([a], [b]) => a - b).slice(-MAX_PAST)
  }
}

/** A channel of a device. */
export class WatchedChannel {
  name = ''
  unit = ''
  quantity: Quantity | null = null
  readonly error: Condition
  /** By the name of the limit. */
  limits = new Map<string, LimitCondition>()

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
  group: string | null = null
  /** Minutes ahead of UTC; `null` if unknown. */
  utcOffset: number | null = null
  /** Time of the newest measurement, ms since 1970 UTC; `null` if there is none. */
  newest: number | null = null
  /** When a measurement last arrived, monotonic ms. */
  seenAt: number
  /** The newest time since only older measurements arrive, and when that began, monotonic ms. */
  late: { at: number; since: number } | undefined
  readonly channels = new Map<number, WatchedChannel>()
  /** By which its values are judged. */
  limits: readonly Limit[] = []
  readonly silent = new Condition('silent', { device: this })
  readonly battery = new Condition('battery', { device: this })

  /** @param arrivedAt when a newer measurement last arrived, monotonic ms */
  constructor(
    readonly base: string,
    readonly serial: string,
    public arrivedAt: number,
  ) {
    this.seenAt = arrivedAt
  }

  get key(): string {
    return `${this.base}/${this.serial}`
  }

  *conditions(): Generator<Condition> {
    yield this.silent
    yield this.battery
    for (const { error, limits } of this.channels.values()) {
      yield error
      yield* limits.values()
    }
  }
}
