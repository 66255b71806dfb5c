import { systemClock } from '../../../lib/clock'
import { EnvlogError, SERVICE_FAILURES } from '../../../lib/errors'

/** The first run starts at a random time in this range after a deploy, so that nodes do not all start at once. */
const MIN_FIRST_DELAY_MS = 1000
const FIRST_DELAY_SPREAD_MS = 4000
const MAX_BACKOFF_MS = 300_000
/** Longer, because repeated requests with a refused login may lock it. */
const MAX_LOGIN_BACKOFF_MS = 3_600_000

/** Whether an error is likely to persist: there was no response, the service fails, or the credentials are refused. */
function needsBackoff({ code, reason }: EnvlogError): boolean {
  const isPersistent = code === 'ENVLOG_NETWORK' || code === 'ENVLOG_TIMEOUT' || code === 'ENVLOG_AUTH'
  return isPersistent || reason === 'service-refused' || SERVICE_FAILURES.has(reason)
}

/**
 * Triggers a node repeatedly, one run at a time. A run starts one interval after the start of the previous run, or at
 * its end if that is later. Errors that need a backoff double the interval, up to five minutes, or an hour if the login
 * is refused, but never below the period. A success resets it.
 */
export class RepeatTimer {
  readonly #periodMs: number
  readonly #trigger: () => void
  #intervalMs: number
  /** Start of the last run, monotonic ms. */
  #startedAt = 0
  #cancel: () => void
  #hasStopped = false

  /** @param trigger sends a message to the node, which must call `started` and `ended` for it */
  constructor(periodMs: number, trigger: () => void) {
    this.#periodMs = periodMs
    this.#intervalMs = periodMs
    this.#trigger = trigger
    const firstDelayMs = MIN_FIRST_DELAY_MS + Math.random() * FIRST_DELAY_SPREAD_MS
    this.#cancel = systemClock.after(firstDelayMs, () => this.#start())
  }

  /** Call this when the node starts to process the message. */
  started(): void {
    this.#cancel()
  }

  /** Call this when the run for the message has ended. @returns when the next one starts, ms since 1970 UTC */
  ended(error?: unknown): number {
    this.#intervalMs = this.#intervalAfter(error)
    const delayMs = Math.max(0, this.#startedAt + this.#intervalMs - systemClock.monotonic())
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
    this.#schedule(this.#intervalMs)
    this.#trigger()
  }

  #schedule(delayMs: number): void {
    this.#cancel()
    if (!this.#hasStopped) this.#cancel = systemClock.after(delayMs, () => this.#start())
  }

  #intervalAfter(error: unknown): number {
    if (error === undefined) return this.#periodMs
    if (!(error instanceof EnvlogError && needsBackoff(error))) return this.#intervalMs
    const maxMs = error.code === 'ENVLOG_AUTH' ? MAX_LOGIN_BACKOFF_MS : MAX_BACKOFF_MS
    return Math.max(this.#periodMs, Math.min(this.#intervalMs * 2, maxMs))
  }
}
