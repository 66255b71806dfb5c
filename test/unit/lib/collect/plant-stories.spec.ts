import assert from 'node:assert/strict'
import fc from 'fast-check'
import { runs } from '../../../support/chance'
import { Plant } from '../../../support/collect/plant'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** What happens to a plant; in each, time passes. */
const acts = {
  quiet: async () => {},
  away: async (plant: Plant, minutes: number) => {
    plant.isAway = true
    await plant.clock.pass(3 * minutes * MINUTE)
    plant.isAway = false
  },
  killed: async (plant: Plant, minutes: number) => {
    plant.kill()
    await plant.clock.pass(3 * minutes * MINUTE)
    await plant.start()
  },
  restored: async (plant: Plant, minutes: number) => {
    plant.kill(minutes % 3)
    await plant.clock.pass(minutes * MINUTE)
    await plant.start()
  },
  redeployed: (plant: Plant, minutes: number) => plant.redeploy(String(minutes % 2)),
  'waits for nothing': async (plant: Plant) => {
    plant.wait = 0
  },
  'waits for as long as needed': async (plant: Plant) => {
    plant.wait = null
  },
  'selects fewer': async (plant: Plant, minutes: number) => {
    plant.selected = 1 + (minutes % plant.delivered.length)
  },
  'selects all': async (plant: Plant) => {
    plant.selected = plant.delivered.length
  },
  'stores only small messages': async (plant: Plant, minutes: number) => {
    plant.sink = (_unit, ids) => ids.length <= 6 + (minutes % 20)
  },
  'stores all': async (plant: Plant) => {
    plant.sink = () => true
  },
}

type Act = keyof typeof acts

const storyOf = (...names: Act[]) =>
  fc.array(fc.tuple(fc.constantFrom(...names), fc.integer({ min: 1, max: 60 })), {
    minLength: 3,
    maxLength: 7,
  })

/** A service that keeps everything of the story, 10 minutes between records. */
const options = { newest: 6, keeps: 1000, intervalMs: 10 * MINUTE }

async function play(plant: Plant, story: readonly (readonly [Act, number])[]): Promise<void> {
  await plant.start()
  // So many writes that an older state is never none.
  await plant.clock.pass(3 * HOUR)
  for (const [act, minutes] of story) {
    await acts[act](plant, minutes)
    await plant.clock.pass(minutes * MINUTE)
  }
  await acts['stores all'](plant)
  await acts['selects all'](plant)
  await plant.clock.pass(HOUR)
  plant.kill()
}

const countTwice = ({ delivered }: Plant) =>
  delivered.reduce((sum, ids) => sum + ids.length - new Set(ids).size, 0)

const outside = ['quiet', 'away', 'redeployed', 'waits for nothing', 'waits for as long as needed'] as const
const selections = ['selects fewer', 'selects all'] as const
const sizes = ['stores only small messages', 'stores all'] as const
const numRuns = runs(40)

describe('a plant of many units, whatever happens to service, settings and process', function () {
  this.timeout(1_800_000)

  it('gets each record once', () =>
    fc.assert(
      fc.asyncProperty(fc.constantFrom(2, 8), storyOf(...outside, ...selections), async (units, story) => {
        const plant = new Plant({ ...options, units })
        await play(plant, story)
        assert.deepEqual([plant.missing(0), plant.losses, countTwice(plant)], [0, 0, 0])
      }),
      { numRuns },
    ))

  it('gets each record, after a crash or with an older state perhaps twice', () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom(2, 8),
        storyOf(...outside, ...selections, 'killed', 'restored'),
        async (units, story) => {
          const plant = new Plant({ ...options, units })
          await play(plant, story)
          assert.deepEqual([plant.missing(0), plant.losses], [0, 0])
        },
      ),
      { numRuns },
    ))

  it('gets each record with receipts, even if its database takes only some rows a message', () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom(1, 5),
        storyOf(...outside, ...sizes, ...sizes, 'killed', 'restored'),
        async (units, story) => {
          const plant = new Plant({ ...options, units, receiptTimeoutMs: MINUTE })
          await play(plant, story)
          assert.deepEqual([plant.missing(0), plant.losses], [0, 0])
        },
      ),
      { numRuns },
    ))
})
