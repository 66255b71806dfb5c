import type { Clock } from '../clock'
import { EnvlogError } from '../errors'

export interface Limits {
  /** Longest silence, before and within an answer, in ms. */
  silence: number
  /** Longest whole answer in ms. */
  total: number
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
  if (signal.aborted) throw new EnvlogError('closed')
  const inner = new AbortController()
  let over: EnvlogError | undefined
  const end = (error: EnvlogError) => {
    over ??= error
    inner.abort()
  }
  const seconds = (ms: number) => ({ seconds: Math.round(ms / 1000) })
  const onSilence = () => end(new EnvlogError('timeout-silent', seconds(limits.silence)))
  const closed = () => end(new EnvlogError('closed'))

  let cancelSilence = clock.after(limits.silence, onSilence)
  const cancelTotal = clock.after(limits.total, () =>
    end(new EnvlogError('timeout-total', seconds(limits.total))),
  )
  signal.addEventListener('abort', closed, { once: true })
  const alive = () => {
    cancelSilence()
    cancelSilence = clock.after(limits.silence, onSilence)
  }
  try {
    return await work(inner.signal, alive)
  } catch (error) {
    throw over ?? error
  } finally {
    cancelSilence()
    cancelTotal()
    signal.removeEventListener('abort', closed)
  }
}
