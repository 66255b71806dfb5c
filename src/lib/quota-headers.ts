import { MAX_WINDOW_SECONDS } from '../shared/service-limits'

/** The rate-limit headers of a response (docs/service.md, *Limits*); `null` if absent or not a whole number in its range. */
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
    limit: readWhole(headers['x-ratelimit-limit'], 1),
    remaining: readWhole(headers['x-ratelimit-remaining']),
    windowSeconds: readWhole(headers['x-ratelimit-reset'], 1, MAX_WINDOW_SECONDS),
    recordsRemaining: readWhole(headers['x-ratelimit-remaining-datacount']),
  }
}

/** Reads a whole number. Proxies may duplicate a header, so the first value counts. */
function readWhole(
  value: string | string[] | undefined,
  min = 0,
  max = Number.MAX_SAFE_INTEGER,
): number | null {
  const text = Array.isArray(value) ? value[0] : value
  if (text === undefined || !/^\s*\d{1,15}\s*$/.test(text)) return null
  const number = Number(text)
  return number >= min && number <= max ? number : null
}
