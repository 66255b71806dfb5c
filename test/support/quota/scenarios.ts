import * as fc from 'fast-check'
import type { Scenario } from './simulation'

const seed = fc.integer({ min: 0, max: 0xffff_ffff })
const share = fc.double({ min: 0, max: 1, noNaN: true })

/** Latencies as shares of the window: none, usual ones, and some that exceed it. */
const latencies = fc.oneof(
  { weight: 2, arbitrary: fc.constant(0) },
  { weight: 6, arbitrary: fc.double({ min: 0, max: 0.05, noNaN: true }) },
  { weight: 3, arbitrary: fc.double({ min: 0.05, max: 0.5, noNaN: true }) },
  { weight: 1, arbitrary: fc.double({ min: 0.5, max: 2, noNaN: true }) },
)

export const limitRows = (longest: number, most: number) =>
  fc
    .record({
      limit: fc.integer({ min: 1, max: most }),
      window: fc.integer({ min: 1, max: longest }),
      kind: fc.constantFrom('fixed' as const, 'sliding' as const),
      phase: share,
    })
    .map(({ phase, ...row }) => ({ ...row, phase: Math.floor(phase * row.window * 1000) }))

const FAULTS = { failed: 0.05, lost: 0.1, refused: 0.02, denied: 0.02, unsent: 0.03 }

/** An account without other clients: everything else may go wrong. */
export const soleClient: fc.Arbitrary<Scenario> = fc
  .record({
    seed,
    row: limitRows(120, 15),
    concurrency: fc.integer({ min: 1, max: 8 }),
    up: latencies,
    back: latencies,
    refusedCounts: fc.boolean(),
    headerRate: fc.constantFrom(0, 0.5, 1),
    faults: fc.constantFrom({}, FAULTS),
  })
  .map(({ up, back, ...rest }) => ({
    ...rest,
    up: up * rest.row.window * 1000,
    back: back * rest.row.window * 1000,
  }))

/** Limits of other account nodes and of forms with the same API key. */
export const otherLimits = fc.array(limitRows(120, 15), { minLength: 1, maxLength: 3 })
