import { linkAbort } from '../abort'
import type { Clock } from '../clock'
import { EnvlogError } from '../errors'

export interface Limits {
  /** Longest silence, before and within an answer, in ms. */
  silence: number
  /** Longest whole answer in ms. */
  total: number
}

/** Rejects as soon as the signal aborts. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new EnvlogError('closed')), { once: true })
  })
}

/**
 * Runs one exchange under a deadline. `work` gets a signal that aborts when the caller gives up or time is
 * over, and `alive`, to be called whenever a byte arrives.
 * @throws EnvlogError `timeout-silent`, `timeout-total`, `closed`, or what `work` throws
 */
export async function withDeadline<T>(
  clock: Clock,
  limits: Limits,
  signal: AbortSignal,
  work: (signal: AbortSignal, alive: () => void) => Promise<T>,
): Promise<T> {
  const exchange = linkAbort(signal)
  let over: EnvlogError | undefined
  const end = (reason: 'timeout-silent' | 'timeout-total', ms: number) => () => {
    over = new EnvlogError(reason, { seconds: Math.round(ms / 1000) })
    exchange.abort()
  }
  const watchSilence = () => clock.after(limits.silence, end('timeout-silent', limits.silence))
  const cancelTotal = clock.after(limits.total, end('timeout-total', limits.total))
  let cancelSilence = watchSilence()
  const alive = () => {
    cancelSilence()
    cancelSilence = watchSilence()
  }
  try {
    if (signal.aborted) throw new EnvlogError('closed')
    // A peer may keep work from noticing that it was aborted.
    return await Promise.race([work(exchange.signal, alive), aborted(exchange.signal)])
  } catch (error) {
    if (signal.aborted) throw new EnvlogError('closed')
    throw over ?? error
  } finally {
    cancelSilence()
    cancelTotal()
    exchange.release()
  }
}
