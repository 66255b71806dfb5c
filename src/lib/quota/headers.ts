import { MAX_WINDOW_SECONDS } from '../../shared/service-limits'

/** The rate-limit headers of a response (docs/service.md, *Limits*); `null` if absent or not a non-negative integer. */
export interface QuotaHeaders {
  /** `X-RateLimit-Limit`. */
  limit: number | null
  /** `X-RateLimit-Remaining`. */
  remaining: number | null
  /** `X-RateLimit-Reset`. This service sends the length of the window, not the time until its end. */
  windowSeconds: number | null
  /** `X-RateLimit-Remaining-DataCount`, the remaining records of the device. Only `data` and `data-relay` send it. */
  recordsRemaining: number | null
}

type Headers = Record<string, string | string[] | undefined>

/** Reads the rate-limit headers. Keys of `headers` are in lower case. */
export function readQuotaHeaders(headers: Headers): QuotaHeaders {
  return {
    limit: readWhole(headers['x-ratelimit-limit']),
    remaining: readWhole(headers['x-ratelimit-remaining']),
    windowSeconds: readWindow(headers['x-ratelimit-reset']),
    recordsRemaining: readWhole(headers['x-ratelimit-remaining-datacount']),
  }
}

function readWindow(value: string | string[] | undefined): number | null {
  const seconds = readWhole(value)
  return seconds !== null && seconds >= 1 && seconds <= MAX_WINDOW_SECONDS ? seconds : null
}

/** Reads a whole number. Proxies may duplicate a header, so the first value counts. */
function readWhole(value: string | string[] | undefined): number | null {
  const text = Array.isArray(value) ? value[0] : value
  if (text === undefined || !/^\s*\d{1,15}\s*$/.test(text)) return null
  return Number(text)
}
