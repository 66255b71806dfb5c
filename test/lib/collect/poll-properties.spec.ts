import assert from 'node:assert/strict'
import fc from 'fast-check'
import {
  actsOf,
  anyHabits,
  anyWish,
  hosts,
  passes,
  requestsOf,
  stepsOf,
} from '../../support/collect/arbitraries'
import type { Entry } from '../../support/collect/journal'
import { createOracle, type Wish } from '../../support/collect/oracle'
import { type Act, createWorld, type World } from '../../support/collect/world'

/**
 * One seed, also in `test:long`: one life in some hundreds has a clock that is set back in its first answer, and a
 * record of which no id tells later that it was delivered.
 */
const chance = { numRuns: 500, seed: 1 }
const anyStep = stepsOf('lost', 'restart', 'ahead', 'timeless', 'back')
const forget: Act = { act: 'forget' }
const quiet: Act[] = [...passes, ...hosts, { act: 'deploy' }]

/** @throws where a record comes twice, is overlooked, or stands before an older one */
function judge(world: World, wish: Wish): void {
  const oracle = createOracle(world, wish)
  oracle.read(false, (entry, index) => {
    if (entry.kind === 'delivered') {
      const seqs = entry.records.map(({ seq }) => seq)
      assert.ok(seqs.length > 0, 'nothing new sends nothing')
      assert.deepEqual(
        seqs.filter((seq) => oracle.had(index).has(seq)),
        [],
        'twice',
      )
      assert.equal(new Set(seqs).size, seqs.length, 'twice in one message')
      assert.deepEqual(timesOf(entry), timesOf(entry).toSorted(compare), 'oldest first')
    }
    if (entry.kind === 'completed') assert.deepEqual(oracle.missing(index, entry.keptFrom), [], 'overlooked')
  })
}

const compare = (a: number, b: number) => a - b
const timesOf = (entry: Extract<Entry, { kind: 'delivered' }>) =>
  entry.records.map(({ unixtime }) => unixtime)

async function live(world: World, acts: readonly Act[]): Promise<World> {
  for (const act of acts) await world.perform(act)
  await world.perform({ act: 'trigger', requests: [], dies: false })
  return world
}

describe('new records of any device, of any service, polled at any time', () => {
  it('come once, all that the service keeps, in order, whatever fails meanwhile', async () => {
    const requests = requestsOf(anyStep, ['no-connection', 'records-wait', 'closed'])
    const acts = actsOf(anyStep, requests, { more: quiet })
    await fc.assert(
      fc.asyncProperty(anyHabits, anyWish, acts, async (habits, wish, life) => {
        judge(await live(createWorld(habits, wish), life), wish)
      }),
      chance,
    )
  })

  it('come again, all of them, after the node forgot them', async () => {
    const steps = stepsOf('timeless')
    const acts = actsOf(steps, requestsOf(steps, ['no-connection'], [forget]), { more: [...quiet, forget] })
    await fc.assert(
      fc.asyncProperty(anyHabits, anyWish, acts, async (habits, wish, life) => {
        judge(await live(createWorld(habits, wish), life), wish)
      }),
      chance,
    )
  })

  it('come twice after a crash only if they were delivered since the last write', async () => {
    const crashes: Act[] = [0, 0, 1, 3].map((older) => ({ act: 'crash', older }))
    const requests = requestsOf(anyStep, ['no-connection', 'records-wait', 'dies'])
    const acts = actsOf(anyStep, requests, { dies: [false, false, true], more: [...quiet, ...crashes] })
    await fc.assert(
      fc.asyncProperty(anyHabits, anyWish, acts, async (habits, wish, life) => {
        judge(await live(createWorld(habits, wish), life), wish)
      }),
      chance,
    )
  })
})
