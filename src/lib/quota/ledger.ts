import type { Entry, OwnLimits, Use } from './window'

/**
 * A ledger counts the requests of all processes that share an account (docs/shared-quota.md). With one, `Quota` asks it
 * for each request; without one, it decides alone. `shared-quota` keeps it in Redis.
 */
export interface Ledger {
  /** `opening`: requests wait until it has responded or failed, because it may know more than this process. */
  readonly state: 'opening' | 'connected' | 'away'
  /** The reason for the missing connection in one word, if known. */
  readonly code: string | undefined
  /**
   * Reserves the needs of a request, while it is connected.
   * @returns the granted amount of each need, possibly fewer records than wanted; `Denied` if other processes use them;
   * `undefined` if the connection was lost, or the reply came too late
   */
  reserve(id: string, needs: Need[]): Promise<number[] | Denied | undefined>
  /** Ends a reservation. If it is away, its next report does that. Never rejects. */
  settle(id: string, needs: Need[], uses: SharedUse[], flightMs: number): Promise<void>
  /** Requests in flight can still be settled for a moment. */
  close(): void
}

/** Opens the ledger of an account for a process. Participants with the same one share it. */
export type OpenLedger = (process: LedgerProcess) => Ledger

export interface LedgerProcess {
  /** The ids of its reservations begin with it and a colon. */
  id: string
  /** All usage of this process. */
  usage(): Usage[]
  /**
   * Called when the first connection succeeds or fails, when it is lost or restored, or when the reason for the loss
   * changes.
   */
  onChange(): void
}

/** The requests of an endpoint, or the records of a device. */
interface Counted {
  name: string
  /** Those of this process, from its settings or the service's table. */
  limits: OwnLimits
}

/** What a request needs of the limits. */
export interface Need extends Counted {
  wanted: number
  /** The request is sent only if at least this amount is available. */
  minimum: number
}

/** The current and past usage of the limits by this process. */
export interface Usage extends Counted {
  entries: Entry[]
}

/** Use that is settled. */
export interface SharedUse extends Use {
  /** Whether the service has refused the request because of this limit. */
  isClosed: boolean
}

/** A denial, because other processes use what the request needs. */
export interface Denied {
  /** Index of the need (0: requests, 1: records). */
  need: number
  /** Time until the request should ask again, in ms. */
  retryMs: number
  /** Time until the need is expected to be available, in ms, if all requests in flight were completed now. */
  estimateMs: number
}
