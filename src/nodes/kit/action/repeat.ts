import type { Clock } from '../../../lib/clock'
import { EnvlogError } from '../../../lib/errors'

const FIRST_LEAST_MS = 1000
const FIRST_SPREAD_MS = 4000
const LONGEST_DISTANCE_MS = 3_600_000

/** No answer, a failing service, refused credentials: asking as often as before would help nobody. */
function backsOff(error: unknown): boolean {
  if (!(error instanceof EnvlogError)) return false
  const { code, reason, cause } = error
  return (
    code === 'ENVLOG_NETWORK' ||
    code === 'ENVLOG_TIMEOUT' ||
    code === 'ENVLOG_AUTH' ||
    reason === 'service-failed' ||
    (cause.status ?? 0) >= 500
  )
}

/**
 * Own triggers every `period` ms: the next comes at the later of last start + distance and last end, the first
 * after 1 to 5 s. After a failure that backs off the distance doubles, up to an hour (or the period, if that
 * is longer), and is normal again after success.
 * @param trigger starts one run; rejects as the run does
 */
export async function runPeriodically(
  period: number,
  ports: { clock: Clock; random(): number },
  signal: AbortSignal,
  trigger: () => Promise<void>,
): Promise<void> {
  const { clock, random } = ports
  let distance = period
  let wait = FIRST_LEAST_MS + random() * FIRST_SPREAD_MS
  while (!signal.aborted) {
    try {
      await clock.sleep(wait, signal)
    } catch {
      return
    }
    const start = clock.monotonic()
    try {
      await trigger()
      distance = period
    } catch (error) {
      if (backsOff(error)) distance = Math.max(period, Math.min(distance * 2, LONGEST_DISTANCE_MS))
    }
    wait = Math.max(0, distance - (clock.monotonic() - start))
  }
}
