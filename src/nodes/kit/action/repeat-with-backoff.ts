import type { Clock } from '../../../lib/clock'
import { EnvlogError, SERVICE_FAILURES } from '../../../lib/errors'

/** The first run starts at a random time in this range after a deploy, so that nodes do not all start at once. */
const MIN_FIRST_DELAY_MS = 1000
const FIRST_DELAY_SPREAD_MS = 4000
const MAX_BACKOFF_MS = 300_000
/** Requests with a refused login may lock it. */
const MAX_LOGIN_BACKOFF_MS = 3_600_000

/** True for errors that more requests cannot fix: no response, a failing service, refused credentials. */
function needsBackoff(error: unknown): boolean {
  if (!(error instanceof EnvlogError)) return false
  const { code, reason } = error
  return (
    code === 'ENVLOG_NETWORK' ||
    code === 'ENVLOG_TIMEOUT' ||
    code === 'ENVLOG_AUTH' ||
    reason === 'service-refused' ||
    SERVICE_FAILURES.has(reason)
  )
}

/**
 * Runs `trigger` every `periodMs` until the signal aborts, one run at a time: a run starts one interval after the start
 * of the previous run, or at its end if that is later. Errors that need a backoff double the interval, up to five
 * minutes, or an hour if the login is refused, or the period if that is longer; a success resets it.
 * @param trigger starts one run, and rejects if the run fails; `nextAfter` returns when the next run starts if this one
 * ends now with that error, ms since 1970 UTC
 */
export async function runPeriodically(
  periodMs: number,
  ports: { clock: Clock; random(): number },
  signal: AbortSignal,
  trigger: (nextAfter: (error: unknown) => number) => Promise<void>,
): Promise<void> {
  const { clock, random } = ports
  let intervalMs = periodMs
  let delayMs = MIN_FIRST_DELAY_MS + random() * FIRST_DELAY_SPREAD_MS
  while (!signal.aborted) {
    try {
      await clock.sleep(delayMs, signal)
    } catch {
      return
    }
    const startedAt = clock.monotonic()
    const delayIn = (interval: number) => Math.max(0, interval - (clock.monotonic() - startedAt))
    const intervalAfter = (error: unknown) => {
      if (!needsBackoff(error)) return intervalMs
      const isLogin = error instanceof EnvlogError && error.code === 'ENVLOG_AUTH'
      const maxMs = isLogin ? MAX_LOGIN_BACKOFF_MS : MAX_BACKOFF_MS
      return Math.max(periodMs, Math.min(intervalMs * 2, maxMs))
    }
    try {
      await trigger((error) => clock.now() + delayIn(intervalAfter(error)))
      intervalMs = periodMs
    } catch (error) {
      intervalMs = intervalAfter(error)
    }
    delayMs = delayIn(intervalMs)
  }
}
