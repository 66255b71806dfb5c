import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { runs } from '../../../support/chance'
import { expectedOccupiedMs } from '../../../support/quota/ideal-client'
import { createMemoryStore, type MemoryStore } from '../../../support/quota/memory-store'
import {
  createQuotaSimulation,
  type QuotaSimulation,
  type Scenario,
} from '../../../support/quota/quota-simulation'
import { soleClient } from '../../../support/quota/scenarios'

interface Lives {
  store(simulation: QuotaSimulation): MemoryStore | undefined
  /** Ends a process. */
  end(simulation: QuotaSimulation, store: MemoryStore | undefined): Promise<void>
}

/** Five processes one after the other, of up to two windows each, with endless demand. */
async function fiveLives(scenario: Scenario, lives: Lives) {
  const simulation = createQuotaSimulation(scenario)
  const { clock, random } = simulation
  const { row, up, back, concurrency } = scenario
  const round = expectedOccupiedMs(row.window) + up + back
  const store = lives.store(simulation)
  // A jump shifts the age of saved state: it must be loaded before the jump and saved again after it.
  const saves = async (times: number) => {
    const enough = (store?.writes() ?? 0) + times
    for (let count = 0; count < 40 && store && store.writes() < enough; count++) await clock.pass(round / 4)
  }
  for (let life = 0; life < 5; life++) {
    simulation.start(store)
    for (let count = 0; count < concurrency + 3; count++) simulation.submit(() => true)
    await clock.pass(random.next() * round)
    if (random.chance(0.5)) {
      await saves(1)
      clock.jump((random.next() - 0.5) * 1e7)
      await saves(2)
    }
    await lives.end(simulation, store)
    if (random.chance(0.5)) await clock.pass(random.next() * round)
    if (random.chance(0.2)) clock.jump(-random.next() * 1e7)
  }
  return simulation
}

/** Refusals whose answer arrives. */
const refusals = ({ service }: QuotaSimulation) =>
  service.refusals().filter(({ answered }) => answered).length

/** The first answer arrives before other requests stop waiting for it (5 s). */
const prompt = ({ up, back, ...rest }: Scenario) => ({
  ...rest,
  ...{ up: Math.min(up, 2000), back: Math.min(back, 2000), headerRate: 1 },
})

const killed = async (simulation: QuotaSimulation) => simulation.kill()

describe('the quota of an account after a restart', function () {
  this.timeout(0)

  it('continues where it stopped, with a store that writes immediately, whenever the process dies', () =>
    fc.assert(
      fc.asyncProperty(soleClient, async (scenario) => {
        const simulation = await fiveLives(scenario, {
          store: ({ clock }) => createMemoryStore(clock),
          end: killed,
        })
        assert.deepEqual(simulation.service.refusals(), [])
      }),
      { numRuns: runs(800) },
    ))

  it('does so with a slow store, which Node-RED lets finish', () =>
    fc.assert(
      fc.asyncProperty(soleClient, async (scenario) => {
        const simulation = await fiveLives(scenario, {
          store: ({ clock, random }) => createMemoryStore(clock, { delays: () => random.next() * 4000 }),
          async end({ clock, stop }, store) {
            stop()
            while (store?.isBusy()) await clock.pass(100)
          },
        })
        assert.deepEqual(simulation.service.refusals(), [])
      }),
      { numRuns: runs(400) },
    ))

  it('is refused at most once per restart without a store: the first request is sent alone', () =>
    fc.assert(
      fc.asyncProperty(soleClient, async (scenario) => {
        const simulation = await fiveLives(prompt(scenario), { store: () => undefined, end: killed })
        assert.ok(refusals(simulation) <= 4, `${refusals(simulation)} refusals after 4 restarts`)
      }),
      { numRuns: runs(400) },
    ))

  it('treats a store that fails at any time like no store', () =>
    fc.assert(
      fc.asyncProperty(soleClient, async (scenario) => {
        const simulation = await fiveLives(prompt(scenario), {
          store: ({ clock }) => createMemoryStore(clock, { fails: () => true }),
          end: killed,
        })
        assert.ok(refusals(simulation) <= 4, `${refusals(simulation)} refusals after 4 restarts`)
      }),
      { numRuns: runs(300) },
    ))

  it('is refused only for usage that a slow store had not written when the process died', () =>
    fc.assert(
      fc.asyncProperty(soleClient, async (scenario) => {
        let lost = 0
        const calm = { ...prompt(scenario), refusedCounts: false }
        const simulation = await fiveLives(calm, {
          store: ({ clock, random }) => createMemoryStore(clock, { delays: () => random.next() * 4000 }),
          async end({ kill, sent }, store) {
            kill()
            store?.crash()
            // Requests of the same instant may be saved or not.
            lost += sent.filter(({ at }) => at >= (store?.lastWriteAt() ?? 0)).length
          },
        })
        assert.ok(refusals(simulation) <= lost, `${refusals(simulation)} refusals, ${lost} lost`)
      }),
      { numRuns: runs(300) },
    ))
})
