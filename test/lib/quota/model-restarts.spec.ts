import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { runs } from '../../support/chance'
import { released } from '../../support/quota/all-knowing'
import { createStore, type KeptStore } from '../../support/quota/memory-store'
import { alone } from '../../support/quota/scenarios'
import { createWorld, type Scenario, type World } from '../../support/quota/world'

interface Lives {
  store(world: World): KeptStore | undefined
  /** Ends one life. */
  end(world: World, store: KeptStore | undefined): Promise<void>
}

/** Five lives one after the other, of up to two windows each, with demand that never ends. */
async function fiveLives(scenario: Scenario, lives: Lives) {
  const world = createWorld(scenario)
  const { clock, random } = world
  const { row, up, back, concurrency } = scenario
  const round = released(row.window) + up + back
  const store = lives.store(world)
  // What was saved before a jump ages with it: it must have been read by then, and be saved again after it.
  const saves = async (times: number) => {
    const enough = (store?.writes() ?? 0) + times
    for (let count = 0; count < 40 && store && store.writes() < enough; count++) await clock.pass(round / 4)
  }
  for (let life = 0; life < 5; life++) {
    world.start(store)
    for (let count = 0; count < concurrency + 3; count++) world.ask(() => true)
    await clock.pass(random.next() * round)
    if (random.chance(0.5)) {
      await saves(1)
      clock.jump((random.next() - 0.5) * 1e7)
      await saves(2)
    }
    await lives.end(world, store)
    if (random.chance(0.5)) await clock.pass(random.next() * round)
    if (random.chance(0.2)) clock.jump(-random.next() * 1e7)
  }
  return world
}

/** A refusal teaches, unless its answer is lost. */
const refusals = ({ service }: World) => service.refusals().filter(({ answered }) => answered).length

/** The first answer is there before others stop waiting for it (5 s). */
const prompt = ({ up, back, ...rest }: Scenario) => ({
  ...rest,
  ...{ up: Math.min(up, 2000), back: Math.min(back, 2000), headerRate: 1 },
})

const killed = async (world: World) => world.kill()

describe('the quota of an account after a restart', function () {
  this.timeout(0)

  it('goes on where it stopped, with a store that writes at once, at whatever instant the process dies', () =>
    fc.assert(
      fc.asyncProperty(alone, async (scenario) => {
        const world = await fiveLives(scenario, { store: ({ clock }) => createStore(clock), end: killed })
        assert.deepEqual(world.service.refusals(), [])
      }),
      { numRuns: runs(800) },
    ))

  it('does so with a store that takes its time, which Node-RED lets finish', () =>
    fc.assert(
      fc.asyncProperty(alone, async (scenario) => {
        const world = await fiveLives(scenario, {
          store: ({ clock, random }) => createStore(clock, { delays: () => random.next() * 4000 }),
          async end({ clock, stop }, store) {
            stop()
            while (store?.busy()) await clock.pass(100)
          },
        })
        assert.deepEqual(world.service.refusals(), [])
      }),
      { numRuns: runs(400) },
    ))

  it('is refused at most once for each time without any store: the first goes alone, and teaches', () =>
    fc.assert(
      fc.asyncProperty(alone, async (scenario) => {
        const world = await fiveLives(prompt(scenario), { store: () => undefined, end: killed })
        assert.ok(refusals(world) <= 4, `${refusals(world)} refusals after 4 restarts`)
      }),
      { numRuns: runs(400) },
    ))

  it('treats a store that fails at any time as none', () =>
    fc.assert(
      fc.asyncProperty(alone, async (scenario) => {
        const world = await fiveLives(prompt(scenario), {
          store: ({ clock }) => createStore(clock, { fails: () => true }),
          end: killed,
        })
        assert.ok(refusals(world) <= 4, `${refusals(world)} refusals after 4 restarts`)
      }),
      { numRuns: runs(300) },
    ))

  it('is refused for no more than a slow store had not written when the process died', () =>
    fc.assert(
      fc.asyncProperty(alone, async (scenario) => {
        let lost = 0
        const calm = { ...prompt(scenario), refusedCounts: false }
        const world = await fiveLives(calm, {
          store: ({ clock, random }) => createStore(clock, { delays: () => random.next() * 4000 }),
          async end({ kill, sent }, store) {
            kill()
            store?.cut()
            // Those of the same instant may be in it or not.
            lost += sent.filter(({ at }) => at >= (store?.newest() ?? 0)).length
          },
        })
        assert.ok(refusals(world) <= lost, `${refusals(world)} refusals, ${lost} lost`)
      }),
      { numRuns: runs(300) },
    ))
})
