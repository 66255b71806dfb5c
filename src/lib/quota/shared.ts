/** A limit that several processes keep together: so much of it, for so long after the answer. */
export interface Claim {
  /** Which limit: an endpoint's requests, or a device's records. */
  name: string
  wanted: number
  /** With how little it would go. */
  least: number
  limit: number
  /** From the answer to the release. */
  heldMs: number
}

/** What became of a claim once its answer was there. */
export interface Settled {
  name: string
  taken: number
  used: number
  limit: number
  heldMs: number
  /** What the service said remains; `null` where it did not. */
  remaining: number | null
  /** How long the request was on its way: what was released meanwhile may still have been counted. */
  flightMs: number
  /** The service refused: nothing goes for so long. */
  refused: boolean
}

/** What this process spent and the ledger lost. */
export interface Missed {
  name: string
  heldMs: number
  spent: readonly { ageMs: number; amount: number }[]
}

export type Claimed =
  /** Taken, and what is spent of each limit now, by all. */
  | { taken: readonly number[]; spent: readonly number[] }
  /**
   * Nothing was taken: worth another try after so long, for want of this claim, of which so much is spent.
   * `flying`: some of it is reserved for requests under way, and may be given back any time.
   */
  | { waitMs: number; short: number; spent: number; flying: boolean }

/** A ledger that several processes write into; each call is atomic there, and rejects where it is away. */
export interface SharedLedger {
  /** All of the claims or none. */
  claim(id: string, claims: readonly Claim[]): Promise<Claimed>
  /** `ageMs`: how long ago the answer came. */
  settle(id: string, settled: readonly Settled[], ageMs: number): Promise<void>
  /** Names what it holds: another name than before, and it lost what was written, or is another ledger. */
  epoch(): Promise<string>
  catchUp(missed: readonly Missed[]): Promise<void>
  close(): Promise<void>
}
