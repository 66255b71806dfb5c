import { systemClock } from '../../../lib/clock'
import { EnvlogError, SERVICE_FAILURES } from '../../../lib/errors'

/** The first run starts at a random time in this range after a deploy, so that nodes do not all start at once. */
const MIN_FIRST_DELAY_MS = 1000
const FIRST_DELAY_SPREAD_MS = 4000
const FIRST_BACKOFF_MS = 60_000
const MAX_BACKOFF_MS = 300_000
/** Longer, because repeated requests with a refused login may lock it. */
const MAX_LOGIN_BACKOFF_MS = 3_600_000

/** Whether an error is likely to persist: there was no response, the service fails, or the credentials are refused. */
function needsBackoff({ code, reason }: EnvlogError): boolean {
  const isPersistent = code === 'ENVLOG_NETWORK' || code === 'ENVLOG_TIMEOUT' || code === 'ENVLOG_AUTH'
  return isPersistent || reason === 'service-refused' || SERVICE_FAILURES.has(reason)
}

/**
 * Triggers a node repeatedly, one run at a time. A run starts one period after the start of the previous run, or at its
 * end if that is later. After an error that needs a backoff, it starts after a minute, two, four, up to five minutes, or
 * up to an hour if the login is refused.
 */
export class RepeatTimer {
  readonly #periodMs: number
  readonly #trigger: () => void
  /** The backoff after the last failure; 0 after a success. */
  #backoffMs = 0
  readonly #onDue: () => void
  /** Start of the last run, monotonic ms. */
  #startedAt = 0
  #cancel: () => void
  #hasStopped = false

  /**
   * @param trigger sends a message to the node, which must call `started` and `ended` for it
   * @param onDue called if the next run is due before the current one has ended
   */
  constructor(periodMs: number, trigger: () => void, onDue: () => void) {
    this.#periodMs = periodMs
    this.#trigger = trigger
    this.#onDue = onDue
    const firstDelayMs = MIN_FIRST_DELAY_MS + Math.random() * FIRST_DELAY_SPREAD_MS
    this.#cancel = systemClock.after(firstDelayMs, () => this.#start())
  }

  /** Call this when the node starts to process the message. */
  started(): void {
    this.#cancel()
    const delayMs = Math.max(0, this.#startedAt + this.#periodMs - systemClock.monotonic())
    if (!this.#hasStopped) this.#cancel = systemClock.after(delayMs, this.#onDue)
  }

  /** Call this when the run for the message has ended. @returns when the next one starts, ms since 1970 UTC */
  ended(error?: unknown): number {
    this.#backoffMs = this.#backoffAfter(error)
    const dueMs = Math.max(0, this.#startedAt + this.#periodMs - systemClock.monotonic())
    const delayMs = this.#backoffMs || dueMs
    this.#schedule(delayMs)
    return systemClock.now() + delayMs
  }

  stop(): void {
    this.#hasStopped = true
    this.#cancel()
  }

  #start(): void {
    this.#startedAt = systemClock.monotonic()
    // The next run is scheduled in advance, because a hook of Node-RED may drop the message.
    this.#schedule(this.#periodMs)
    this.#trigger()
  }

  #schedule(delayMs: number): void {
    this.#cancel()
    if (!this.#hasStopped) this.#cancel = systemClock.after(delayMs, () => this.#start())
  }

  #backoffAfter(error: unknown): number {
    if (!(error instanceof EnvlogError && needsBackoff(error))) return 0
    const maxMs = error.code === 'ENVLOG_AUTH' ? MAX_LOGIN_BACKOFF_MS : MAX_BACKOFF_MS
    return Math.min(Math.max(FIRST_BACKOFF_MS, 2 * this.#backoffMs), maxMs)
  }
}
