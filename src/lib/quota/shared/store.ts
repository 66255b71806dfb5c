/** Asks for permits of one limit: of an endpoint's requests, or of a device's records. */
export interface ReserveRequest {
  /** Which limit. */
  name: string
  wanted: number
  /** With how few the request is sent. */
  minimum: number
  limit: number
  /** How long a permit stays occupied after the response. */
  occupiedMs: number
}

/** What a process used, with an id that no other entry of any process has: reported twice, it counts once. */
export interface ReportedUsage {
  id: string
  amount: number
  ageMs: number
}

/** What became of a reservation, by the response. */
export interface CommitRequest {
  name: string
  limit: number
  occupiedMs: number
  /** The entry that its usage was merged into, with all that is in it; nothing if nothing was used. */
  used?: ReportedUsage | undefined
  /** What the service reported as remaining just now; `null` if it did not. */
  remaining: number | null
  /** How long the request was in flight: what expired meanwhile may still have been counted. */
  flightMs: number
  /** How long the limit is closed, because the service refused the request; 0 if it did not. */
  closedMs: number
}

/** All that a process uses of a limit. */
export interface UsageReplay {
  name: string
  occupiedMs: number
  used: readonly ReportedUsage[]
  inFlight: readonly { id: string; amount: number }[]
  /** Reservations that are over. */
  ended: readonly string[]
  closedMs: number
}

export type ReserveResult =
  /** Per request: how much was granted, and how much all members use then. */
  | { granted: readonly number[]; totals: readonly number[] }
  /**
   * Nothing was granted, because one request cannot be met: `shortIndex`, of whose limit all members use `total`. Try
   * again after `waitMs`; with `inFlight`, some of it is only reserved and may become free earlier.
   */
  | { waitMs: number; shortIndex: number; total: number; inFlight: boolean }

/** A process that shares the quota, and the time since its last contact. */
export interface Member {
  id: string
  ageMs: number
}

/** What a process and the store know of each other. It outlives a deploy, which opens another connection. */
export interface Membership {
  memberId: string
  /** Earlier processes whose state this one has taken over. */
  predecessors: Set<string>
  /** Reservations that the store may hold as in flight, and their limits: that they are over has to be reported. */
  outbox: Map<string, string[]>
  /** The store was lost, and is not back yet. */
  isLost: boolean
  /** The instance that all usage was last reported to. */
  instanceId?: string
  /** The members when the store last answered, and when that was, in monotonic ms. */
  members: readonly Member[]
  heardAt: number
}

export function createMembership(memberId: string): Membership {
  return { memberId, predecessors: new Set(), outbox: new Map(), isLost: false, members: [], heardAt: 0 }
}

export interface Heartbeat {
  memberId: string
  /** The instance that all usage was reported to: if the data still has that id, the member counts as alive. */
  reportedTo?: string | undefined
  isLeaving: boolean
  /** The members that this one knows, for a store that has lost them. */
  members: readonly Member[]
  /** Earlier processes that this one has replaced; they have ended. */
  predecessors: readonly string[]
}

export interface HeartbeatReply {
  /** Id of the data in the store. With another one than before, its data was lost, or it is another store. */
  instanceId: string
  /** How long the data has had that id. */
  ageMs: number
  /** Members of the last day, the caller included. */
  members: readonly Member[]
}

/** Limits that one command replays. */
export const MAX_REPLAY_BATCH = 100

/**
 * A member without contact for this time, or since the store lost its data, is silent: it may be using its
 * share without the store.
 */
export const MEMBER_TIMEOUT_MS = 6000

/** After it lost its data, the store is not used for so long: members report meanwhile what they used. */
export const REPLAY_PERIOD_MS = 5000

/**
 * A store that several processes keep an account's quota in. Each call is atomic there, may be repeated, and rejects if
 * the store cannot be reached, with `code` if that says why. Calls with an instance id do nothing if the data has
 * another one by now: `stale`.
 */
export interface SharedQuotaStore {
  heartbeat(heartbeat: Heartbeat): Promise<HeartbeatReply>
  /** Grants all of the requests, or none. */
  reserve(
    instanceId: string,
    memberId: string,
    id: string,
    requests: readonly ReserveRequest[],
  ): Promise<ReserveResult | 'stale'>
  commit(instanceId: string, id: string, commits: readonly CommitRequest[]): Promise<'committed' | 'stale'>
  replay(instanceId: string, replays: readonly UsageReplay[]): Promise<'replayed' | 'stale'>
  /** Opens another connection, because the present one is of no use. */
  reconnect(): void
  close(): Promise<void>
}
