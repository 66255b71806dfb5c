import type { Clock } from '../clock'
import { EnvlogError } from '../errors'
import type { HttpExchange } from './transport'

/** Longest time for a complete response in seconds, given the longest silence. */
export const maxResponseSeconds = (timeout: number) => timeout * 10

/**
 * Waits for the result of an exchange. It is abandoned after a timeout, or when the signal aborts.
 * @param timeout longest time without a byte, before and within a response, in seconds
 * @param start starts the exchange, which must call `onActivity` whenever bytes arrive
 * @throws EnvlogError `timeout-silent`, `timeout-total`, `closed` if the signal aborts; any error of the exchange
 */
export async function withDeadline<T>(
  clock: Clock,
  timeout: number,
  signal: AbortSignal,
  start: (onActivity: () => void) => HttpExchange<T>,
): Promise<T> {
  if (signal.aborted) throw new EnvlogError('closed')
  const totalAt = clock.monotonic() + maxResponseSeconds(timeout) * 1000
  let silentAt = 0
  const onActivity = () => {
    silentAt = clock.monotonic() + timeout * 1000
  }
  onActivity()
  const exchange = start(onActivity)
  let stopWaiting = () => {}
  const abandoned = new Promise<never>((_, reject) => {
    const abandon = (error: EnvlogError) => {
      exchange.abandon()
      reject(error)
    }
    const close = () => abandon(new EnvlogError('closed'))
    let cancelTimer = () => {}
    const checkTime = () => {
      const leftMs = Math.min(silentAt, totalAt) - clock.monotonic()
      if (leftMs > 0) cancelTimer = clock.after(Math.ceil(leftMs), checkTime)
      else if (silentAt < totalAt) abandon(new EnvlogError('timeout-silent', { seconds: timeout }))
      else abandon(new EnvlogError('timeout-total', { seconds: maxResponseSeconds(timeout) }))
    }
    checkTime()
    signal.addEventListener('abort', close)
    stopWaiting = () => {
      cancelTimer()
      signal.removeEventListener('abort', close)
    }
  })
  // Do not wait for the result of an abandoned exchange, because it may stay pending.
  return await Promise.race([exchange.result, abandoned]).finally(stopWaiting)
}
