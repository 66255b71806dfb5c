import type { Member } from './store'

/** What one process and the ledgers know of each other. It outlives a deploy, which opens another way to them. */
export interface Membership {
  /** Names this process there. */
  member: string
  /** Earlier processes whose state it took over. */
  predecessors: Set<string>
  /** Claims that the ledger may hold as in flight → the limits they are of. */
  claimed: Map<string, string[]>
  /** The ledger was lost, and is not back yet. */
  isAway: boolean
  /** What it was told all of last. */
  epoch?: string
  /** Those that it knew when it was heard of last, and when that was, monotonic. */
  peers: readonly Member[]
  heardAt: number
}

export function createMembership(member: string): Membership {
  return { member, predecessors: new Set(), claimed: new Map(), isAway: false, peers: [], heardAt: 0 }
}
