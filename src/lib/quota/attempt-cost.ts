import type { QuotaHeaders } from '../api/quota-headers'
import type { Grant } from './account-limiter'
import type { Refused, Tried } from './job'
import type { Allowance } from './window-limiter'

/** What a request cost, and which limit it met: the same for this process and for a shared ledger. */
export interface Bill {
  /** Places and records that are spent of those it took. */
  used: { requests: number; records: number }
  /** Whose limit the service refused for, if it did. */
  refused: Refused | undefined
  /** What nothing more goes to for a window: of a device whose records are left, fewer are asked for at once. */
  closed: Refused | undefined
  /** The refusal has the status for limits. */
  isPlain: boolean
}

export function billOf(grant: Grant, tried: Tried<unknown>): Bill {
  const refused = refusedBy(grant, tried)
  const left = tried.reading?.recordsRemaining ?? 0
  const isLeft = refused === 'device' && left > 0 && left < (grant.number ?? 0)
  return {
    used: { requests: tried.unsent ? 0 : 1, records: tried.unsent ? 0 : recordsOf(grant, tried) },
    refused,
    closed: isLeft ? undefined : refused,
    isPlain: refused !== undefined && 'error' in tried && tried.error.cause.status === 429,
  }
}

/** What came is spent; after a broken answer the header decides, else what was asked for stays reserved. */
function recordsOf({ budget, number: asked = 0 }: Grant, { records, reading }: Tried<unknown>): number {
  const told = reading?.recordsRemaining ?? null
  // No more than all that is gone, whoever took it: what others have reserved may not be counted yet.
  const byHeader = told === null || !budget ? asked : budget.allowance.row().limit - told
  return Math.min(asked, Math.max(0, records ?? byHeader))
}

const NOT_ABOUT_QUOTA = new Set([401, 403])

/** Which limit an answer refused for, if it did (nodes.md, *Quota*: a refusal). */
function refusedBy({ budget }: Grant, tried: Tried<unknown>): Refused | undefined {
  if (!('error' in tried) || !tried.reading) return undefined
  const { status = 0 } = tried.error.cause ?? {}
  const { remaining, recordsRemaining } = tried.reading
  if (status === 429) {
    return budget && ((remaining ?? 0) > 0 || recordsRemaining === 0) ? 'device' : 'endpoint'
  }
  const other = status >= 400 && status < 500 && !NOT_ABOUT_QUOTA.has(status)
  return other && remaining === 0 ? 'endpoint' : undefined
}

/** What the headers of an answer say: its row where they are whole, and what others spent. */
export function learn(
  requests: Allowance,
  { limit, remaining, windowSeconds }: QuotaHeaders,
  now: number,
  mark: number | null,
): void {
  if (limit !== null && limit >= 1 && windowSeconds !== null) {
    requests.tell({ limit, window: windowSeconds }, now)
  }
  if (remaining !== null && mark !== null) requests.remains(remaining, now, mark, limit ?? undefined)
}
