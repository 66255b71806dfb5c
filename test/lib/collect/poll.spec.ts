import assert from 'node:assert/strict'
import type { Habits, Step } from '../../support/collect/device'
import type { Entry } from '../../support/collect/journal'
import type { Wish } from '../../support/collect/oracle'
import { type Act, createWorld, type Happening, type World } from '../../support/collect/world'

const habits: Habits = {
  standalone: true,
  ids: 'counted',
  firstId: 1,
  slow: 0,
  keeps: 10_000,
  newestBy: 'time',
  inclusive: false,
  order: 'ascending',
}
const held: Wish = { start: 'held', backfill: true }
const TIMEOUT = 600_000
const measure = (count: number, step: Step = 'next'): Act => ({
  act: 'measure',
  steps: Array.from({ length: count }, () => step),
})
const ask = (...requests: Partial<Happening>[]): Act => ({
  act: 'trigger',
  dies: false,
  requests: requests.map((one) => ({ fails: null, most: 16_000, meanwhile: [], ...one })),
})
const receipt = (back = 0): Act => ({ act: 'receipt', back })
const timeout: Act = { act: 'pass', ms: TIMEOUT }
const forget: Act = { act: 'forget' }

async function live(world: World, ...acts: Act[]): Promise<World> {
  for (const act of acts) await world.perform(act)
  return world
}
const begin = (...acts: Act[]) => live(createWorld(habits, held), ...acts)
const acknowledging = (...acts: Act[]) => live(createWorld(habits, held, { timeoutMs: TIMEOUT }), ...acts)

/** Which records came, message by message. */
const came = ({ journal }: World) =>
  journal.flatMap((entry) => (entry.kind === 'delivered' ? [entry.records.map(({ seq }) => seq)] : []))
const requests = ({ journal }: World) =>
  journal.flatMap((entry) => (entry.kind === 'completed' ? [entry.requests] : []))
const kinds = ({ journal }: World) => journal.map(({ kind }) => kind)
const upTo = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)

describe('a backfill', () => {
  it('is fetched page by page, and delivered as one message', async () => {
    const world = await begin(measure(2), ask(), measure(40), ask({}, { most: 7 }, { most: 11 }))
    assert.deepEqual(came(world), [upTo(0, 2), upTo(2, 42)])
  })

  it('sends nothing until it is complete, and goes on where it stopped', async () => {
    const world = await begin(measure(2), ask(), measure(40))
    const short = { fails: 'records-wait', most: 11 } as const
    await live(world, ask({}, { most: 11 }, { most: 11 }, short))
    await live(world, measure(3), ask(short), ask({ most: 11 }, short))
    assert.deepEqual(came(world), [upTo(0, 2)])
    await live(world, { act: 'deploy' }, ask({ most: 11 }), ask())
    assert.deepEqual(came(world), [upTo(0, 2), upTo(2, 42), upTo(42, 45)])
    assert.equal(requests(world)[1], 1, 'a page alone')
  })

  it('does not wait for records: the other devices go on', async () => {
    const { maxRecordsWaits } = await begin(measure(2), ask(), measure(40), ask({}, { most: 11 }))
    assert.deepEqual(maxRecordsWaits, [undefined, undefined, 0, 0])
  })

  it('is dropped where the node is told to forget meanwhile: it begins again', async () => {
    const world = await begin(measure(2), ask(), measure(40), ask({}, { meanwhile: [forget] }))
    assert.deepEqual(came(world), [upTo(0, 2)])
    assert.deepEqual(came(await live(world, ask())), [upTo(0, 2), upTo(37, 42)])
  })

  it('does not hold the device back for good where a late receipt comes in between', async () => {
    const world = await live(
      createWorld({ ...habits, keeps: 8 }, held, { timeoutMs: TIMEOUT }),
      ...[measure(3), ask(), receipt(), measure(8), ask(), timeout],
      // The clock is set back so far that all the service keeps is older, though later than the receipt of old.
      ...[measure(2, 'back'), measure(7)],
      ask({}, { fails: 'records-wait' }),
      receipt(),
      ...[measure(40), ask(), receipt(), ask(), receipt(), ask()],
    )
    const all = new Set(came(world).flat())
    assert.ok(
      upTo(52, 60).every((seq) => all.has(seq)),
      `nothing comes any more: ${kinds(world).slice(-8)}`,
    )
  })
})

describe('a first answer', () => {
  it('that nobody acknowledged comes again, and then what came since', async () => {
    const world = await acknowledging(measure(5), ask(), measure(40), timeout, ask(), receipt(), ask())
    assert.deepEqual(came(world), [upTo(0, 5), upTo(0, 5), upTo(5, 45)])
  })

  it('that nobody acknowledged comes again after a crash', async () => {
    const world = await acknowledging(measure(5), ask(), measure(40), { act: 'crash', older: 0 }, ask())
    assert.deepEqual(came(world), [upTo(0, 5), upTo(0, 45)])
  })

  it('that comes again after a crash costs one request, and is not reported as incomplete', async () => {
    for (const backfill of [true, false]) {
      const world = createWorld(habits, { start: 'held', backfill }, { timeoutMs: TIMEOUT })
      await live(world, measure(40), ask(), { act: 'crash', older: 0 }, ask())
      assert.deepEqual(
        [came(world), requests(world)],
        [
          [upTo(35, 40), upTo(35, 40)],
          [1, 1],
        ],
      )
      assert.ok(world.journal.every((entry) => entry.kind !== 'delivered' || !entry.isOverflow))
    }
  })

  it('that comes again after a crash comes whole, also where the next one cuts through its first second', async () => {
    const first = [measure(40), measure(1, 'same'), measure(3)]
    const world = await acknowledging(...first, ask(), measure(1), { act: 'crash', older: 0 }, ask())
    assert.deepEqual(came(world), [upTo(39, 44), upTo(39, 45)])
  })

  it('that held nothing: all that is measured since then is new, on a slow clock as well', async () => {
    for (const slow of [0, 600, 7200]) {
      const world = createWorld({ ...habits, slow }, held)
      await live(world, ask(), measure(40), ask())
      assert.deepEqual(came(world), [upTo(0, 40)])
    }
  })
})

describe('a device told to be forgotten while it is asked', () => {
  for (const [what, open] of [
    ['sent', begin],
    ['acknowledged', acknowledging],
  ] as const) {
    it(`comes once after that, not twice: ${what}`, async () => {
      const world = await open(measure(3), ask({ meanwhile: [forget] }), ask(), receipt(), ask())
      assert.deepEqual(came(world), [upTo(0, 3)])
    })
  }
})

describe('a device whose clock goes two hours ahead for good', () => {
  const minutely = (count: number) => Array.from({ length: count }, () => [measure(1), ask()]).flat()

  it('is not asked again and again for all that came since', async () => {
    const world = await begin(measure(5), ask(), measure(1, 'forward'), ask(), ...minutely(60))
    assert.deepEqual(came(world).flat(), upTo(0, 66))
    assert.ok(
      requests(world).every((count) => count === 1),
      `requests of each trigger: ${requests(world)}`,
    )
  })

  it('brings each record once, also when more came than are remembered', async () => {
    const world = await begin(measure(5), ask(), measure(1, 'forward'), ask(), ...minutely(500))
    assert.deepEqual(came(world).flat(), upTo(0, 506))
  })
})

describe('a device whose clock was set back', () => {
  it('is reported once, and sends nothing until it has caught up', async () => {
    const few = { ...habits, keeps: 8 }
    const world = await live(createWorld(few, held), measure(8), ask(), measure(8, 'back'), ask(), ask())
    assert.deepEqual(came(world), [upTo(3, 8)])
    assert.equal(kinds(world).filter((kind) => kind === 'warned').length, 1)
    await live(world, measure(90), ask())
    assert.ok(came(world).at(-1)?.includes(105))
  })
})

describe('a delivery', () => {
  const last = (world: World) => world.journal.findLast((entry: Entry) => entry.kind === 'delivered')

  it('has a receipt where it is to be acknowledged, another one each time, else none', async () => {
    const world = await acknowledging(measure(1), ask())
    const first = last(world)?.receipt
    await live(world, timeout, ask())
    const second = last(world)?.receipt
    assert.ok(first !== undefined && second !== undefined && first !== second)
    assert.equal(last(await begin(measure(1), ask()))?.receipt, undefined)
  })

  it('is awaited until its receipt comes or is overdue, and costs no request meanwhile', async () => {
    const world = await acknowledging(measure(1), ask(), measure(1), ask(), { act: 'deploy' }, ask())
    assert.deepEqual(world.journal.slice(-2), [
      { kind: 'skipped', requests: 0 },
      { kind: 'skipped', requests: 0 },
    ])
    assert.deepEqual(came(await live(world, receipt(), ask())), [[0], [1]])
    await live(world, { act: 'pass', ms: TIMEOUT - 1 }, ask(), { act: 'pass', ms: 1 }, ask())
    assert.deepEqual(came(world), [[0], [1], [1]])
  })

  it('that nobody needs has no receipt: nothing new moves the cursor all the same', async () => {
    const world = await acknowledging(measure(1), ask(), receipt(), ask(), ask())
    assert.deepEqual(kinds(world).slice(-2), ['answered', 'completed'])
  })
})
