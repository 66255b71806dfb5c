import { type EnvlogError, SERVICE_FAILURES } from '../errors'

const BASE_DELAY_MS = 1000
const MAX_DELAY_MS = 30_000

/** Delay before retry `retry`, counted from 0: min(30 s, 1 s · 2^retry), ± 50 % jitter (`random`: 0 ≤ random < 1). */
export function retryDelayMs(retry: number, random: number): number {
  return Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** retry) * (0.5 + random)
}

/** Statuses of other servers than the service with which they ask for another attempt. */
const TRY_AGAIN = [408, 425]

/**
 * Whether there was no response, or the service failed. A request is not retried if its response cannot be decoded, or
 * if another server has refused it.
 */
export function isRetryable(error: EnvlogError): boolean {
  if (error.reason === 'no-certificate' || error.reason === 'certificate-time') return false
  if (error.reason === 'gateway-responded') return TRY_AGAIN.includes(error.cause.status ?? 0)
  return (
    error.code === 'ENVLOG_NETWORK' || error.code === 'ENVLOG_TIMEOUT' || SERVICE_FAILURES.has(error.reason)
  )
}
