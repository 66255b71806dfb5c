import type { Settled } from './shared'

/** What is to be settled once the ledger is there again. */
export interface Owed {
  id: string
  settled: readonly Settled[]
  /** When it ended, monotonic. */
  at: number
  /** The ledger was asked for it, and may hold its claim: far longer than its window. */
  claimed: boolean
}

/** What a shared ledger is not told yet. It outlives a deploy, which opens another way to the ledger, or to another. */
export function createArrears() {
  const owed = new Set<Owed>()
  let tell = () => {}

  return {
    owed,
    /** Of the ledger that was told all; another one knows nothing of it. */
    epoch: undefined as string | undefined,
    /** Something went while there was no ledger to be told of it. */
    untold: false,
    /** The ledger was away: others may have spent what it does not know. */
    away: false,
    /** When it came back; at the start of the process nothing was spent without it. */
    backAt: Number.NEGATIVE_INFINITY,

    /** What is released meanwhile is not worth telling. */
    owe(more: Owed): void {
      for (const one of owed) {
        const longest = Math.max(...one.settled.map(({ heldMs }) => heldMs))
        if (!one.claimed && more.at - one.at >= longest) owed.delete(one)
      }
      owed.add(more)
      tell()
    },

    /** Told when there is something to be settled; the latest who asks for it alone. */
    whenOwed(told: () => void): void {
      tell = told
    },
  }
}

export type Arrears = ReturnType<typeof createArrears>
