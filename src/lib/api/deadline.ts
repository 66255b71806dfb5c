import { linkAbort, orClosed } from '../abort'
import type { Clock } from '../clock'
import { EnvlogError } from '../errors'

export interface Timeouts {
  /** Longest time without a byte, before and within a response. */
  silenceMs: number
  /** Longest time for a complete exchange. */
  totalMs: number
}

/**
 * Runs one exchange with timeouts. The signal passed to `work` aborts with the caller's signal or after a timeout.
 * `work` must call `onActivity` whenever a byte arrives.
 * @throws EnvlogError `timeout-silent`, `timeout-total`, `closed` if the caller's signal aborts; any error of `work`
 */
export async function withDeadline<T>(
  clock: Clock,
  timeouts: Timeouts,
  signal: AbortSignal,
  work: (signal: AbortSignal, onActivity: () => void) => Promise<T>,
): Promise<T> {
  const exchange = linkAbort(signal)
  let timeout: EnvlogError | undefined
  const abortFor = (reason: 'timeout-silent' | 'timeout-total', ms: number) => () => {
    timeout = new EnvlogError(reason, { seconds: Math.round(ms / 1000) })
    exchange.abort()
  }
  const { silenceMs, totalMs } = timeouts
  const watchSilence = () => clock.after(silenceMs, abortFor('timeout-silent', silenceMs))
  const cancelTotal = clock.after(totalMs, abortFor('timeout-total', totalMs))
  let cancelSilence = watchSilence()
  const onActivity = () => {
    cancelSilence()
    cancelSilence = watchSilence()
  }
  try {
    if (signal.aborted) throw new EnvlogError('closed')
    // Do not wait for `work` after an abort, because it may not notice the abort.
    return await orClosed(work(exchange.signal, onActivity), exchange.signal)
  } catch (error) {
    if (signal.aborted) throw new EnvlogError('closed')
    throw timeout ?? error
  } finally {
    cancelSilence()
    cancelTotal()
    exchange.release()
  }
}
