import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { runs } from '../../../support/chance'
import { expectedOccupiedMs } from '../../../support/quota/ideal-client'
import { findRefusals, watchOtherUsage } from '../../../support/quota/other-usage'
import { createQuotaSimulation, type Scenario } from '../../../support/quota/quota-simulation'
import { soleClient } from '../../../support/quota/scenarios'

const shared = fc.record({
  scenario: soleClient.map(({ faults, ...rest }) => ({
    ...rest,
    faults: 'lost' in faults ? { lost: 0.1, failed: 0.1 } : {},
  })),
  /** Requests of other clients in a window, as a share of the limit. */
  others: fc.double({ min: 0, max: 1.5, noNaN: true }),
  /** Number of requests they send at once. */
  burst: fc.integer({ min: 1, max: 5 }),
})

/** Endless demand while others use the account. */
async function together(scenario: Scenario, others: number, burst: number) {
  const simulation = createQuotaSimulation(scenario)
  const { clock, random, service } = simulation
  const { row, up, back, concurrency } = scenario
  const watched = watchOtherUsage(simulation, row)
  simulation.start()
  simulation.listen(watched)
  const end = clock.monotonic() + 8 * (expectedOccupiedMs(row.window) + up + back)
  const more = () => clock.monotonic() < end
  for (let count = 0; count < concurrency + 3; count++) simulation.submit(more)
  const gap = (row.window * 1000 * burst) / Math.max(0.01, others * row.limit)
  const use = () => {
    for (let count = 0; count < burst; count++) service.foreign()
    if (more()) clock.after(random.next() * 2 * gap, use)
  }
  clock.after(random.next() * 2 * gap, use)
  await clock.pass(end - clock.monotonic())
  return { simulation, excused: findRefusals(service.log, watched.sendings, row) }
}

describe('the quota of an account that others use too', function () {
  this.timeout(0)

  it('is refused only for usage that no client could know of', () =>
    fc.assert(
      fc.asyncProperty(shared, async ({ scenario, others, burst }) => {
        const { simulation, excused } = await together({ ...scenario, headerRate: 1 }, others, burst)
        for (const { unknown, before } of excused)
          assert.ok(unknown > before, `${unknown} unknown, ${before} before`)
        const foreign = simulation.service.log.filter(({ who, counts }) => who === 'foreign' && counts).length
        if (!scenario.refusedCounts) assert.ok(excused.length <= foreign)
      }),
      { numRuns: runs(1000) },
    ))

  it('is so too if some responses have no headers', () =>
    fc.assert(
      fc.asyncProperty(shared, async ({ scenario, others, burst }) => {
        const { excused } = await together({ ...scenario, headerRate: 0.5 }, others, burst)
        for (const { unknown } of excused) assert.ok(unknown > 0)
      }),
      { numRuns: runs(300) },
    ))

  it('closes for a window after a refusal', () =>
    fc.assert(
      fc.asyncProperty(shared, async ({ scenario, others, burst }) => {
        const { simulation } = await together({ ...scenario, headerRate: 1 }, others, burst)
        const { refusals, sent } = { refusals: simulation.refused, sent: simulation.sent }
        for (const at of refusals) {
          const early = sent.filter((one) => one.at > at && one.at < at + scenario.row.window * 1000)
          assert.deepEqual(early, [])
        }
      }),
      { numRuns: runs(300) },
    ))
})
