import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { runs } from '../../../support/chance'
import { createFleet, type Fleet, type FleetScenario, type Incident } from '../../../support/quota/fleet'
import { excess } from '../../../support/quota/fleet-oracle'
import { expectedOccupiedMs, idealSendTimes } from '../../../support/quota/ideal-client'
import { soleClient } from '../../../support/quota/scenarios'

type Kind = Incident['kind']

/** Maximum latency of a request to the service; after it, no request of a process that lost its state is in flight. */
const UP_MS = 1500
const part = fc.double({ min: 0, max: 1, noNaN: true })

const incidents = (kinds: readonly Kind[]) =>
  fc.array(
    fc.record({
      kind: fc.constantFrom(...kinds),
      who: fc.nat({ max: 3 }),
      /** After all processes have found each other. */
      at: part.map((share) => 0.1 + 0.9 * share),
      /** Number of windows. */
      lasts: part.map((share) => share ** 2 * 2),
    }),
    { maxLength: 6 },
  )

/** Two to four processes whose limits can be shared, and some of these incidents. */
function fleets(kinds: readonly Kind[], over: Partial<FleetScenario> = {}): fc.Arbitrary<FleetScenario> {
  const own = {
    scenario: soleClient,
    processes: fc.integer({ min: 2, max: 4 }),
    headers: fc.constantFrom('none' as const, 'honest' as const, 'odd' as const),
    slow: fc.constantFrom(0, 10, 900),
    incidents: incidents(kinds),
  }
  return fc.record(own).map(({ scenario, incidents, ...more }) => {
    const { row, up, back } = scenario
    const window = row.window + 4
    const ms = window * 1000
    return {
      ...scenario,
      ...more,
      row: { ...row, window, limit: row.limit + more.processes },
      up: Math.min(up, UP_MS),
      back: Math.min(back, 0.3 * ms),
      incidents: incidents.map((one) => ({ ...one, lasts: one.lasts * ms })),
      ...over,
    }
  })
}

/** Time between two uses of a permit, ms. */
const round = ({ row, up, back }: FleetScenario) => expectedOccupiedMs(row.window) + (up + back) / 2

async function judge(scenario: FleetScenario): Promise<void> {
  const fleet = createFleet(scenario)
  await fleet.run(Math.max(60_000, 6 * round(scenario)))
  assert.deepEqual(excess(fleet), [])
}

/**
 * Throughput of the last rounds relative to an ideal client that knows all usage, has all connections, and has the
 * same latencies.
 */
function throughput({ service, latencies, scenario }: Fleet, rounds: number): number {
  const { row, processes, concurrency } = scenario
  const count = rounds * row.limit
  const all = { ...row, concurrency: processes * concurrency }
  const ideal = idealSendTimes(all, latencies.slice(-count - 2 * row.limit))
  const took = (list: readonly number[]) => (list.at(-1) ?? 0) - (list.at(-1 - count) ?? 0)
  return took(ideal) / took(service.log.map(({ at }) => at))
}

const repeat = (usual: number) => ({ numRuns: runs(usual) })

describe('two to four processes that share an account, whatever happens to them or to the shared store', function () {
  this.timeout(0)

  const own: Kind[] = ['block', 'kill', 'forget', 'stop', 'deploy']
  const sharedStores: Kind[] = ['flush', 'copy', 'failover']
  const ways: Kind[] = ['cut', 'silence', 'outage']

  it('never exceed the limit while the connections to it are intact, even if it is slow', () =>
    fc.assert(fc.asyncProperty(fleets(own), judge), repeat(240)))

  it('never exceed the limit if it is emptied, or replaced by an older copy', () =>
    fc.assert(fc.asyncProperty(fleets([...sharedStores, 'deploy']), judge), repeat(240)))

  it('exceed it by at most one for each that loses it, if connections are cut and restored', () =>
    fc.assert(fc.asyncProperty(fleets([...ways, 'deploy']), judge), repeat(240)))

  it('exceed it by no more than that if all of this happens together', () =>
    fc.assert(fc.asyncProperty(fleets([...own, ...sharedStores, ...ways]), judge), repeat(240)))

  for (const processes of [2, 3, 4]) {
    it(`reach 90 % of an ideal client with ${processes} processes, without incidents`, () =>
      fc.assert(
        fc.asyncProperty(
          fleets(own, { processes, faults: {}, slow: 100, incidents: [] }),
          async (scenario) => {
            // Headers that report too little quota reduce the permits.
            if (scenario.headers === 'odd') return
            const fleet = createFleet(scenario)
            await fleet.run(14 * round(scenario))
            const share = throughput(fleet, 9)
            assert.ok(share >= 0.9, `${share}`)
          },
        ),
        repeat(48),
      ))
  }

  it('reach that again after all incidents', () =>
    fc.assert(
      fc.asyncProperty(
        fleets([...ways, 'flush', 'block', 'deploy'], { faults: {}, slow: 100 }),
        async (scenario) => {
          if (scenario.headers === 'odd') return
          const early = scenario.incidents.map((one) => ({ ...one, at: one.at / 4, lasts: one.lasts / 2 }))
          const fleet = createFleet({ ...scenario, incidents: early })
          await fleet.run(Math.max(120_000, 18 * round(scenario)))
          // Requests come in bursts: where the measurement begins and ends within one adds up to half a round.
          const share = throughput(fleet, 9)
          assert.ok(share >= 0.9, `${share}`)
        },
      ),
      repeat(96),
    ))
})
