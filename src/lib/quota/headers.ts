import { MAX_WINDOW_SECONDS } from '../../shared/service-limits'

/** The rate-limit headers of a response (docs/service.md, *Limits*); `null` where absent or not a whole number. */
export interface QuotaHeaders {
  /** `X-RateLimit-Limit`. */
  limit: number | null
  /** `X-RateLimit-Remaining`. */
  remaining: number | null
  /** `X-RateLimit-Reset`: here it is the length of the window, not the time that is left of it. */
  windowSeconds: number | null
  /** `X-RateLimit-Remaining-DataCount`: records of the device; only `data` and `data-relay` send it. */
  recordsRemaining: number | null
}

type Headers = Record<string, string | string[] | undefined>

/** Reads the rate-limit headers. The names of `headers` are in lower case. */
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

/** Proxies may send a header twice: the first one counts. */
function readWhole(value: string | string[] | undefined): number | null {
  const text = Array.isArray(value) ? value[0] : value
  if (text === undefined || !/^\s*\d{1,15}\s*$/.test(text)) return null
  return Number(text)
}
