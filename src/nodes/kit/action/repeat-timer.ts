import { systemClock } from '../../../lib/clock'
import { EnvlogError, type Reason, SERVICE_FAILURES } from '../../../lib/errors'
import { MAX_ALIGNED_SECONDS } from '../../../shared/action'

/** The first run starts at a random time, 1 to 5 seconds after a deploy, so that nodes do not all start at once. */
export const firstDelayMs = () => 1000 + Math.random() * 4000

const FIRST_BACKOFF_MS = 60_000
const MAX_BACKOFF_MS = 300_000
/** Longer, because repeated requests with a refused login may lock it. */
const MAX_LOGIN_BACKOFF_MS = 3_600_000

/** The service refuses the requests of the whole account. */
const REFUSALS_OF_ALL: ReadonlySet<Reason> = new Set(['service-refused', 'path-not-found'])

/** Whether an error is likely to persist: there was no response, the service fails, or the credentials are refused. */
function needsBackoff({ code, reason }: EnvlogError): boolean {
  const isPersistent = code === 'ENVLOG_NETWORK' || code === 'ENVLOG_TIMEOUT' || code === 'ENVLOG_AUTH'
  return isPersistent || REFUSALS_OF_ALL.has(reason) || SERVICE_FAILURES.has(reason)
}

/**
 * Triggers a node repeatedly, one run at a time, a period after the start of the last run or, if it is aligned, at
 * multiples of the period since the process started, so that nodes run at the same time and share a response. A run that
 * becomes due before the response of the one before is left out.
 * After an error that needs a backoff, the next run starts after a minute, two, four, up to five minutes, or up to an
 * hour if the login is refused.
 */
export class RepeatTimer {
  readonly #periodMs: number
  readonly #trigger: () => void
  /** The backoff after the last failure; 0 after a success. */
  #backoffMs = 0
  readonly #onDue: () => void
  readonly #isAligned: boolean
  /** When the next run is due, monotonic ms. */
  #dueAt: number
  #isRunning = false
  #cancel = () => {}
  #hasStopped = false

  /**
   * @param trigger sends a message to the node, which must call `started` and `ended` for it
   * @param onDue called if the next run is due before the current one has ended
   * @param plannedAt when the first run is due at the earliest, because the node has run before, ms since 1970 UTC
   */
  constructor(
    periodMs: number,
    trigger: () => void,
    onDue: () => void,
    { plannedAt = 0, isAligned = false }: { plannedAt?: number | undefined; isAligned?: boolean } = {},
  ) {
    this.#isAligned = isAligned && periodMs <= 1000 * MAX_ALIGNED_SECONDS
    this.#periodMs = periodMs
    this.#trigger = trigger
    this.#onDue = onDue
    // The clock may have been set back.
    const plannedMs = Math.min(periodMs, plannedAt - systemClock.now())
    this.#dueAt = systemClock.monotonic() + Math.max(firstDelayMs(), plannedMs)
    this.#schedule()
  }

  /** When the next run starts, ms since 1970 UTC; `undefined` if one is running, or the last one has failed. */
  get nextAt(): number | undefined {
    return this.#isRunning || this.#backoffMs > 0 ? undefined : this.#startsAt()
  }

  /** Call this when the node starts to process the message. */
  started(): void {
    this.#isRunning = true
    this.#after(this.#onDue)
  }

  /**
   * Call this when the run for the message has ended.
   * @param respondedAt when its first response arrived, monotonic ms
   * @returns when the next one starts, ms since 1970 UTC
   */
  ended(respondedAt = systemClock.monotonic(), error?: unknown): number {
    this.#isRunning = false
    this.#backoffMs = this.#backoffAfter(error)
    if (this.#backoffMs > 0) this.#dueAt = systemClock.monotonic() + this.#backoffMs
    const missed = Math.floor((respondedAt - this.#dueAt) / this.#periodMs) + 1
    this.#dueAt += Math.max(0, missed) * this.#periodMs
    this.#schedule()
    return this.#startsAt()
  }

  stop(): void {
    this.#hasStopped = true
    this.#cancel()
  }

  #startsAt(): number {
    return systemClock.now() + Math.max(0, this.#dueAt - systemClock.monotonic())
  }

  #start(): void {
    // A timer may fire slightly early.
    const startedAt = Math.max(this.#dueAt, systemClock.monotonic())
    this.#dueAt = startedAt - (this.#isAligned ? startedAt % this.#periodMs : 0) + this.#periodMs
    // The next run is scheduled in advance, because a hook of Node-RED may drop the message.
    this.#schedule()
    this.#trigger()
  }

  #schedule(): void {
    this.#after(() => this.#start())
  }

  #after(onDue: () => void): void {
    this.#cancel()
    const delayMs = Math.max(0, this.#dueAt - systemClock.monotonic())
    if (!this.#hasStopped) this.#cancel = systemClock.after(delayMs, onDue)
  }

  #backoffAfter(error: unknown): number {
    if (!(error instanceof EnvlogError && needsBackoff(error))) return 0
    const maxMs = error.code === 'ENVLOG_AUTH' ? MAX_LOGIN_BACKOFF_MS : MAX_BACKOFF_MS
    return Math.min(Math.max(FIRST_BACKOFF_MS, 2 * this.#backoffMs), maxMs)
  }
}
