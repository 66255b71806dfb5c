import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { runs } from '../../../support/chance'
import { expectedOccupiedMs, idealSendTimes } from '../../../support/quota/ideal-client'
import { createQuotaSimulation, type Scenario } from '../../../support/quota/quota-simulation'
import { limitRows, soleClient } from '../../../support/quota/scenarios'

/** Maximum time that one request occupies its permit, ms. */
const round = ({ row, up, back }: Scenario) => expectedOccupiedMs(row.window) + up + back

/** Some at once, then one by one at random times; some are aborted; the wall clock jumps. */
async function anyDemand(scenario: Scenario, windows: number, givenUp = 0.1) {
  const simulation = createQuotaSimulation(scenario)
  const { random, clock } = simulation
  simulation.start()
  const most = Math.min(200, scenario.row.limit * windows)
  const step = (round(scenario) * windows) / most
  for (let count = 0; count < most; count += 1) {
    const stop = new AbortController()
    simulation.submit(() => false, stop.signal)
    if (random.chance(givenUp)) clock.after(random.next() * round(scenario), () => stop.abort())
    if (random.chance(0.05)) clock.jump((random.next() - 0.5) * 1e8)
    if (random.chance(0.5)) await clock.pass(random.next() * step * 3)
  }
  return simulation
}

describe('the quota of an account without other clients', function () {
  this.timeout(0)

  it('never exceeds the limit, with any windows, latencies, faults and clocks', () =>
    fc.assert(
      fc.asyncProperty(soleClient, async (scenario) => {
        const simulation = await anyDemand(scenario, 5)
        await simulation.clock.pass(3 * round(scenario))
        assert.deepEqual(simulation.service.refusals(), [])
      }),
      { numRuns: runs(3000) },
    ))

  it('answers every request in the end', () =>
    fc.assert(
      fc.asyncProperty(soleClient, async (scenario) => {
        const simulation = await anyDemand(scenario, 3)
        // After three refusals the limit is closed for a window each time, and every request may be retried.
        for (let count = 0; count < 500 && simulation.open() > 0; count++)
          await simulation.clock.pass(round(scenario))
        assert.equal(simulation.open(), 0)
        await simulation.clock.pass(2 * round(scenario))
        const { running, waiting } = simulation.quota().counts()
        assert.deepEqual([running, waiting, simulation.clock.pending()], [0, 0, 0])
      }),
      { numRuns: runs(300) },
    ))

  it('learns the service’s own limits with the first answer, before it could exceed them', () =>
    fc.assert(
      fc.asyncProperty(soleClient, limitRows(120, 15), async (scenario, table) => {
        const faults = { failed: 0.1 }
        // The first answer arrives before another request is sent without it (5 s).
        const [up, back] = [Math.min(scenario.up, 2000), Math.min(scenario.back, 2000)]
        const simulation = await anyDemand({ ...scenario, up, back, table, headerRate: 1, faults }, 5, 0)
        assert.deepEqual(simulation.service.refusals(), [])
      }),
      { numRuns: runs(300) },
    ))

  /** Endless demand for thirty rounds. */
  async function reachesNearlyAll(scenario: Scenario): Promise<void> {
    const { row, concurrency } = scenario
    const simulation = createQuotaSimulation({ ...scenario, faults: {} })
    const { clock, sent } = simulation
    simulation.start()
    const lasts = 30 * round(scenario)
    const end = clock.monotonic() + lasts
    for (let count = 0; count < concurrency + 3; count++) simulation.submit(() => clock.monotonic() < end)
    await clock.pass(lasts)
    const latencies = sent.map(({ latency }) => latency)
    // The ideal client may send more requests than ours did: the latencies are repeated.
    const best = idealSendTimes({ ...row, concurrency }, [...latencies, ...latencies]).filter(
      (at) => at <= lasts,
    ).length
    assert.ok(sent.length >= 0.95 * best, `${sent.length} of ${best}`)
  }

  it('sends at least 95 % of what an ideal client could send', () =>
    fc.assert(fc.asyncProperty(soleClient, reachesNearlyAll), { numRuns: runs(300) }))

  it('does so too if responses are slow and the service’s windows slide', () => {
    const slow = fc.record({ scenario: soleClient, back: fc.double({ min: 0.05, max: 0.3, noNaN: true }) })
    return fc.assert(
      fc.asyncProperty(slow, ({ scenario, back }) => {
        const { window } = scenario.row
        const row = { ...scenario.row, kind: 'sliding' as const, limit: scenario.row.limit + 2 }
        return reachesNearlyAll({
          ...scenario,
          row,
          headerRate: 1,
          up: 0.02 * window * 1000,
          back: back * window * 1000,
        })
      }),
      { numRuns: runs(300) },
    )
  })
})
