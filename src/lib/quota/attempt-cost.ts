import type { QuotaHeaders } from '../api/quota-headers'
import type { Reservation } from './account-limiter'
import type { AttemptResult, LimitScope } from './job'
import type { WindowLimiter } from './window-limiter'

/** What a request cost, and which limit it met: the same for this process and for a shared ledger. */
export interface AttemptCost {
  /** AccountLimiter and records that are spent of those it took. */
  used: { requests: number; records: number }
  /** Whose limit the service refused for, if it did. */
  refused: LimitScope | undefined
  /** What nothing more goes to for a window: of a device whose records are left, fewer are asked for at once. */
  closed: LimitScope | undefined
  /** The refusal has the status for limits. */
  isPlain: boolean
}

export function costOf(reservation: Reservation, result: AttemptResult<unknown>): AttemptCost {
  const refused = refusedBy(reservation, result)
  const left = result.reading?.recordsRemaining ?? 0
  const isLeft = refused === 'device' && left > 0 && left < (reservation.number ?? 0)
  return {
    used: { requests: result.unsent ? 0 : 1, records: result.unsent ? 0 : recordsOf(reservation, result) },
    refused,
    closed: isLeft ? undefined : refused,
    isPlain: refused !== undefined && 'error' in result && result.error.cause.status === 429,
  }
}

/** What came is spent; after a broken answer the header decides, else what was asked for stays reserved. */
function recordsOf(
  { budget, number: asked = 0 }: Reservation,
  { records, reading }: AttemptResult<unknown>,
): number {
  const told = reading?.recordsRemaining ?? null
  // No more than all that is gone, whoever took it: what others have reserved may not be counted yet.
  const byHeader = told === null || !budget ? asked : budget.limiter.row().limit - told
  return Math.min(asked, Math.max(0, records ?? byHeader))
}

const NOT_ABOUT_QUOTA = new Set([401, 403])

/** Which limit an answer refused for, if it did (nodes.md, *Quota*: a refusal). */
function refusedBy({ budget }: Reservation, result: AttemptResult<unknown>): LimitScope | undefined {
  if (!('error' in result) || !result.reading) return undefined
  const { status = 0 } = result.error.cause ?? {}
  const { remaining, recordsRemaining } = result.reading
  if (status === 429) {
    return budget && ((remaining ?? 0) > 0 || recordsRemaining === 0) ? 'device' : 'endpoint'
  }
  const other = status >= 400 && status < 500 && !NOT_ABOUT_QUOTA.has(status)
  return other && remaining === 0 ? 'endpoint' : undefined
}

/** What the headers of an answer say: its row where they are whole, and what others spent. */
export function learn(
  requests: WindowLimiter,
  { limit, remaining, windowSeconds }: QuotaHeaders,
  now: number,
  mark: number | null,
): void {
  if (limit !== null && limit >= 1 && windowSeconds !== null) {
    requests.tell({ limit, window: windowSeconds }, now)
  }
  if (remaining !== null && mark !== null) requests.remains(remaining, now, mark, limit ?? undefined)
}
