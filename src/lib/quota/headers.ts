import { LONGEST_WINDOW } from '../../shared/limits'
/** What an answer's rate headers say (*Common conventions*); `null` where absent or no whole number. */
export interface QuotaReading {
  limit: number | null
  remaining: number | null
  /** The window's length, not the time left (field note *X-RateLimit-Reset*). */
  windowSeconds: number | null
  /** `data` and `data-relay` only. */
  recordsRemaining: number | null
}

type Headers = Record<string, string | string[] | undefined>

export function readQuota(headers: Headers): QuotaReading {
  return {
    limit: whole(headers['x-ratelimit-limit']),
    remaining: whole(headers['x-ratelimit-remaining']),
    windowSeconds: windowLength(whole(headers['x-ratelimit-reset'])),
    recordsRemaining: whole(headers['x-ratelimit-remaining-datacount']),
  }
}

function windowLength(seconds: number | null): number | null {
  return seconds !== null && seconds >= 1 && seconds <= LONGEST_WINDOW ? seconds : null
}

function whole(value: string | string[] | undefined): number | null {
  const text = Array.isArray(value) ? value[0] : value
  if (text === undefined || !/^\s*\d{1,15}\s*$/.test(text)) return null
  return Number(text)
}
