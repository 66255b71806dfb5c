import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { MAX_AGE_MS } from '../../../../src/lib/request'
import { runs } from '../../../support/chance'
import { expectedOccupiedMs, idealSendTimes } from '../../../support/quota/ideal-client'
import { limitRows, otherLimits, soleClient } from '../../../support/quota/scenarios'
import { type OwnLimit, type Scenario, Simulation } from '../../../support/quota/simulation'

/** Maximum time for which one request occupies its permit, ms. */
const round = ({ row, up, back }: Scenario) => expectedOccupiedMs(row.window) + up + back

interface DemandOptions {
  /** Share of requests that are abandoned. */
  givenUp?: number
  /** Limits of other account nodes and of forms, which open and close. */
  others?: readonly OwnLimit[]
}

/**
 * Some requests at once, then individually at random times; some are abandoned; the wall clock jumps; flows are
 * deployed.
 */
async function anyDemand(
  scenario: Scenario,
  windows: number,
  { givenUp = 0.1, others = [] }: DemandOptions = {},
) {
  const simulation = new Simulation(scenario)
  const { random, clock } = simulation
  const most = Math.min(200, scenario.row.limit * windows)
  const step = (round(scenario) * windows) / most
  for (let count = 0; count < most; count += 1) {
    const stop = new AbortController()
    simulation.request(() => false, stop)
    if (random.chance(givenUp)) clock.after(random.next() * round(scenario), () => stop.abort())
    if (random.chance(0.05)) clock.jump((random.next() - 0.5) * 1e8)
    if (random.chance(0.02)) simulation.deploy()
    for (const other of others) if (random.chance(0.1)) simulation.toggle(other)
    if (random.chance(0.5)) await clock.pass(random.next() * step * 3)
  }
  return simulation
}

/** Endless demand for this many rounds. */
async function endlessDemand(scenario: Scenario, rounds: number) {
  const simulation = new Simulation(scenario)
  const { clock } = simulation
  const end = clock.monotonic() + rounds * round(scenario)
  for (let count = 0; count < scenario.concurrency + 3; count++)
    simulation.request(() => clock.monotonic() < end)
  await clock.pass(end - clock.monotonic())
  return simulation
}

describe('the quota of an account, with a model of the service', function () {
  this.timeout(0)

  it('never exceeds the limit, with any windows, latencies, faults, deploys and clocks', () =>
    fc.assert(
      fc.asyncProperty(soleClient, async (scenario) => {
        const simulation = await anyDemand(scenario, 5)
        await simulation.clock.pass(3 * round(scenario))
        assert.deepEqual(simulation.service.refusals(), [])
      }),
      { numRuns: runs(3000) },
    ))

  it('never exceeds a limit of any account node or form that is open, while these open and close', () =>
    fc.assert(
      fc.asyncProperty(soleClient, otherLimits, async (scenario, others) => {
        const simulation = await anyDemand(scenario, 5, { others })
        await simulation.clock.pass(3 * round(scenario))
        assert.deepEqual(simulation.service.refusals(), [])
        assert.deepEqual(simulation.excesses(), [])
      }),
      { numRuns: runs(3000) },
    ))

  it('eventually settles every request', () =>
    fc.assert(
      fc.asyncProperty(soleClient, async (scenario) => {
        const simulation = await anyDemand(scenario, 3)
        // Each refusal closes the limit for a window, and each request fails only after its third refusal.
        for (let count = 0; count < 500 && simulation.unanswered() > 0; count++)
          await simulation.clock.pass(round(scenario))
        assert.equal(simulation.unanswered(), 0)
        // Until then, responses are kept for other nodes.
        await simulation.clock.pass(2 * round(scenario) + MAX_AGE_MS)
        const { running, waiting } = simulation.quota.counts()
        assert.deepEqual([running, waiting, simulation.clock.pending()], [0, 0, 0])
      }),
      { numRuns: runs(300) },
    ))

  it("obeys the service's own limit from the first response on if the account's is different", () =>
    fc.assert(
      fc.asyncProperty(soleClient, limitRows(120, 15), async (scenario, table) => {
        // If the account's window is shorter, the reported limit applies only for that time.
        const { window } = scenario.row
        const own = { ...table, window: Math.max(table.window, window) }
        const faults = { failed: 0.1 }
        const simulation = await anyDemand({ ...scenario, table: own, headerRate: 1, faults }, 5, {
          givenUp: 0,
        })
        assert.deepEqual(simulation.service.refusals(), [])
      }),
      { numRuns: runs(300) },
    ))

  it('sends at least 95 % of what an ideal client could send', () =>
    fc.assert(
      fc.asyncProperty(soleClient, async (scenario) => {
        const { row, concurrency } = scenario
        const simulation = await endlessDemand({ ...scenario, faults: {} }, 30)
        const latencies = simulation.sent().map(({ latency }) => latency)
        // The ideal client may send more requests than ours: the latencies are repeated.
        const ideal = idealSendTimes({ ...row, concurrency }, [...latencies, ...latencies])
        const best = ideal.filter((at) => at <= 30 * round(scenario)).length
        const { length } = simulation.sent()
        assert.ok(length >= 0.95 * best, `${length} of ${best}`)
      }),
      { numRuns: runs(300) },
    ))
})
