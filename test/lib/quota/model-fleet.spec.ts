import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { runs } from '../../support/chance'
import { released } from '../../support/quota/all-knowing'
import { createFleet, type Fleet, type FleetScenario, type Mishap } from '../../support/quota/fleet'
import { excess } from '../../support/quota/fleet-judge'
import { alone } from '../../support/quota/scenarios'

type Kind = Mishap['kind']

/** Longest way of a request to the service: later than that it is under way for nobody who lost the ledger. */
const UP_MS = 1500
const part = fc.double({ min: 0, max: 1, noNaN: true })

const mishaps = (kinds: readonly Kind[]) =>
  fc.array(
    fc.record({
      kind: fc.constantFrom(...kinds),
      who: fc.nat({ max: 3 }),
      at: part,
      /** In windows. */
      lasts: part.map((share) => share ** 2 * 2),
    }),
    { maxLength: 6 },
  )

/** Two to four processes whose limits can be shared, and some of these mishaps. */
function fleets(kinds: readonly Kind[], over: Partial<FleetScenario> = {}): fc.Arbitrary<FleetScenario> {
  const own = {
    scenario: alone,
    processes: fc.integer({ min: 2, max: 4 }),
    headers: fc.constantFrom('none' as const, 'honest' as const, 'odd' as const),
    slow: fc.constantFrom(0, 10, 900),
    mishaps: mishaps(kinds),
  }
  return fc.record(own).map(({ scenario, mishaps, ...more }) => {
    const { row, up, back } = scenario
    const window = row.window + 4
    const ms = window * 1000
    return {
      ...scenario,
      ...more,
      row: { ...row, window, limit: row.limit + more.processes },
      up: Math.min(up, UP_MS),
      back: Math.min(back, 0.3 * ms),
      mishaps: mishaps.map((one) => ({ ...one, lasts: one.lasts * ms })),
      ...over,
    }
  })
}

/** From one use of a place to the next, ms. */
const round = ({ row, up, back }: FleetScenario) => released(row.window) + (up + back) / 2

async function judge(scenario: FleetScenario): Promise<void> {
  const fleet = createFleet(scenario)
  await fleet.live(Math.max(60_000, 6 * round(scenario)))
  assert.deepEqual(excess(fleet), [])
}

/** What came in the last rounds, and what could have come. */
function throughput({ clock, service, scenario }: Fleet, rounds: number): { came: number; most: number } {
  const { row, processes, concurrency, up, back } = scenario
  const ms = rounds * round(scenario)
  const most = Math.min(row.limit * rounds, (processes * concurrency * ms) / Math.max(1, (up + back) / 2))
  return { came: service.log.filter(({ at }) => at > clock.monotonic() - ms).length, most }
}

/** Nine tenths, but for two at the borders of the time. */
function isNearlyAll({ came, most }: ReturnType<typeof throughput>): void {
  assert.ok(came >= 0.9 * most - 2, `${came} of ${most}`)
}

const repeat = (usual: number) => ({ numRuns: runs(usual) })

describe('two to four processes that share an account, whatever happens to them or to the ledger', function () {
  this.timeout(0)

  const own: Kind[] = ['block', 'kill', 'forget', 'stop', 'deploy']
  const ledgers: Kind[] = ['flush', 'copy', 'failover']
  const ways: Kind[] = ['cut', 'silence', 'outage']

  it('never send one too many while the ways to it are whole, be it slow', () =>
    fc.assert(fc.asyncProperty(fleets(own), judge), repeat(180)))

  it('nor where it is emptied, or an older copy of it takes over', () =>
    fc.assert(fc.asyncProperty(fleets([...ledgers, 'deploy']), judge), repeat(180)))

  it('nor more than one for each that loses it, where any of the ways is cut and mended', () =>
    fc.assert(fc.asyncProperty(fleets([...ways, 'deploy']), judge), repeat(180)))

  it('nor more than that where all of it happens at once', () =>
    fc.assert(fc.asyncProperty(fleets([...own, ...ledgers, ...ways]), judge), repeat(180)))

  for (const processes of [2, 3, 4]) {
    it(`reach nine tenths of what one that knows all could, being ${processes}, while all is well`, () =>
      fc.assert(
        fc.asyncProperty(fleets(own, { processes, faults: {}, slow: 100, mishaps: [] }), async (scenario) => {
          // Headers that tell too little take places away.
          if (scenario.headers === 'odd') return
          const fleet = createFleet(scenario)
          await fleet.live(12 * round(scenario))
          isNearlyAll(throughput(fleet, 10))
        }),
        repeat(48),
      ))
  }

  it('and do so again when all is mended', () =>
    fc.assert(
      fc.asyncProperty(
        fleets([...ways, 'flush', 'block', 'deploy'], { faults: {}, slow: 100 }),
        async (scenario) => {
          if (scenario.headers === 'odd') return
          const early = scenario.mishaps.map((one) => ({ ...one, at: one.at / 4, lasts: one.lasts / 2 }))
          const fleet = createFleet({ ...scenario, mishaps: early })
          await fleet.live(Math.max(120_000, 12 * round(scenario)))
          isNearlyAll(throughput(fleet, 4))
        },
      ),
      repeat(96),
    ))
})
