import { linkAbort, orClosed } from '../abort'
import type { Clock } from '../clock'
import { EnvlogError } from '../errors'

/** Longest time for a complete response in seconds, given the longest silence. */
export const maxResponseSeconds = (timeout: number) => timeout * 10

/**
 * Runs one exchange with timeouts. The signal passed to `work` aborts with the caller's signal or after a timeout.
 * `work` must call `onActivity` whenever a byte arrives.
 * @param timeout longest time without a byte, before and within a response, in seconds
 * @throws EnvlogError `timeout-silent`, `timeout-total`, `closed` if the caller's signal aborts; any error of `work`
 */
export async function withDeadline<T>(
  clock: Clock,
  timeout: number,
  signal: AbortSignal,
  work: (signal: AbortSignal, onActivity: () => void) => Promise<T>,
): Promise<T> {
  const exchange = linkAbort(signal)
  let exceeded: EnvlogError | undefined
  const startTimer = (reason: 'timeout-silent' | 'timeout-total', seconds: number) =>
    clock.after(seconds * 1000, () => {
      exceeded = new EnvlogError(reason, { seconds })
      exchange.abort()
    })
  const cancelTotal = startTimer('timeout-total', maxResponseSeconds(timeout))
  let cancelSilence = startTimer('timeout-silent', timeout)
  const onActivity = () => {
    cancelSilence()
    cancelSilence = startTimer('timeout-silent', timeout)
  }
  try {
    if (signal.aborted) throw new EnvlogError('closed')
    // Do not wait for `work` after an abort, because it may not notice the abort.
    return await orClosed(work(exchange.signal, onActivity), exchange.signal)
  } catch (error) {
    if (signal.aborted) throw new EnvlogError('closed')
    throw exceeded ?? error
  } finally {
    cancelSilence()
    cancelTotal()
    exchange.abort('done')
  }
}
