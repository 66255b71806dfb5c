/** A limit that several processes keep together: so much of it, for so long after the answer. */
export interface ReserveRequest {
  /** Which limit: an endpoint's requests, or a device's records. */
  name: string
  wanted: number
  /** With how little it would go. */
  least: number
  limit: number
  /** From the answer to the release. */
  occupiedMs: number
}

/** What a process spent, by a name that no other entry of any process has: told twice, it counts once. */
export interface Entry {
  id: string
  amount: number
  ageMs: number
}

/** What became of a claim once its answer was there. */
export interface CommitRequest {
  name: string
  limit: number
  occupiedMs: number
  /** The entry that it went into, with all that is in there; nothing where nothing was spent. */
  spent?: Entry | undefined
  /** What the service said remains just now; `null` where it did not. */
  remaining: number | null
  /** How long the request was on its way: what was released meanwhile may still have been counted. */
  flightMs: number
  /** How long nothing goes because the service refused; 0 where it did not. */
  closedMs: number
}

/** All that a process uses of a limit. */
export interface UsageReplay {
  name: string
  occupiedMs: number
  spent: readonly Entry[]
  inFlight: readonly { id: string; amount: number }[]
  /** Claims that are over. */
  ended: readonly string[]
  closedMs: number
}

export type ReserveResult =
  /** Taken, and what is spent of each limit now, by all. */
  | { taken: readonly number[]; spent: readonly number[] }
  /**
   * Nothing was taken: worth another try after so long, for want of this claim, of which so much is spent.
   * `inFlight`: some of it is reserved for requests under way, and may be given back any time.
   */
  | { waitMs: number; short: number; spent: number; inFlight: boolean }

/** A process, and how long ago the ledger heard of it last. */
export interface Member {
  id: string
  ageMs: number
}

export interface Heartbeat {
  member: string
  /** The epoch that has been told all that it spent: where it still is that one, the member counts as alive. */
  toldTo?: string | undefined
  isLeaving: boolean
  /** Those that it knows, for a ledger that has lost them. */
  peers: readonly Member[]
  /** Earlier processes in its place: they are no more. */
  predecessors: readonly string[]
}

export interface HeartbeatReply {
  /** Names what the ledger holds: another name than before, and it lost what was written, or is another ledger. */
  epoch: string
  /** How long it has had that name. */
  ageMs: number
  /** Members of the last day, the one that asks included. */
  peers: readonly Member[]
}

/** Limits that one command replays. */
export const MAX_REPLAY_BATCH = 100

/**
 * A member that has not been heard of for so long, or not since the ledger lost its data, is silent: it may be spending
 * its share without the ledger.
 */
export const MEMBER_TIMEOUT_MS = 6000

/** After it has lost its data a ledger gives nothing for so long: members tell it meanwhile what they spent. */
export const REPLAY_PERIOD_MS = 5000

/**
 * A ledger that several processes write into. Each call is atomic there, may be repeated, and rejects where the ledger
 * is away, with `code` where that tells why. Those with an epoch do nothing where it is another one: `stale`.
 */
export interface SharedQuotaStore {
  hello(hello: Heartbeat): Promise<HeartbeatReply>
  /** All of the claims or none. */
  claim(
    epoch: string,
    member: string,
    id: string,
    claims: readonly ReserveRequest[],
  ): Promise<ReserveResult | 'stale'>
  settle(epoch: string, id: string, settled: readonly CommitRequest[]): Promise<'settled' | 'stale'>
  replay(epoch: string, usages: readonly UsageReplay[]): Promise<'replayed' | 'stale'>
  /** The connection is of no use: another one. */
  reset(): void
  close(): Promise<void>
}
