import assert from 'node:assert/strict'
import fc from 'fast-check'
import { allOf, deliveredBy, isSane, requiredOf, warningsOf } from '../../support/hostile-state/clock-oracle'
import { A_DAY, type Act, createHall, type Habits, type Hall } from '../../support/hostile-state/clocks'

const DAY_MS = A_DAY * 1000
/** One seed, also in `test:long`: some lives in a thousand are of clocks whose steps no id tells. */
const chance = { numRuns: 100, seed: 1 }

const anyHabits: fc.Arbitrary<Habits> = fc.record({
  standalone: fc.boolean(),
  ids: fc.constantFrom('counted', 'counted', 'zero', 'absent'),
  firstId: fc.constantFrom(0, 1, 65_000, 65_500),
  interval: fc.constantFrom(60, 600, 3600),
  holds: fc.constantFrom(12, 300),
  newestBy: fc.constantFrom('time', 'arrival'),
  inclusive: fc.boolean(),
  order: fc.constantFrom('ascending', 'descending', 'mixed'),
  budget: fc.constantFrom(1000, 160_000),
})

/** Small ones as likely as great ones by order of magnitude. */
const upTo = (max: number) => fc.nat(1000).map((share) => Math.round(max ** (share / 1000)))
const measure = (max: number) => upTo(max).map((count): Act => ({ act: 'measure', count }))
const sign = fc.constantFrom(-1, 1)
const host = fc.tuple(upTo(30 * DAY_MS), sign).map(([ms, way]): Act => ({ act: 'host', off: way * ms }))
const back = upTo(30 * A_DAY).map((by): Act => ({ act: 'device', by: -by }))
const forward = upTo(30 * A_DAY).map((by): Act => ({ act: 'device', by }))
const POLL: Act = { act: 'poll', meanwhile: [] }
const poll = (...meanwhile: fc.Arbitrary<Act>[]) =>
  fc.array(fc.oneof(...meanwhile), { maxLength: 3 }).map((acts): Act => ({ act: 'poll', meanwhile: acts }))
const again = fc.constantFrom<Act>({ act: 'restart' }, { act: 'deploy' })

/** Clocks are set, something is measured, and it is asked for. */
const livesOf = (max: number, ...more: fc.Arbitrary<Act>[]) => {
  const sets = fc.array(fc.oneof(measure(60), ...more, ...more, again), { maxLength: 4 })
  const round = fc.tuple(sets, measure(max), poll(measure(20), ...more))
  return fc
    .tuple(measure(400), fc.array(round, { minLength: 1, maxLength: 7, size: 'max' }))
    .map(([first, rounds]): Act[] => [first, POLL, ...rounds.flatMap(([set, ...then]) => [...set, ...then])])
}

/**
 * A second time that the clock is set back, while an answer still shows the first, is not told by the ids
 * (docs/collecting.md, *Clocks*): it is set forward then.
 */
const backOnce = (life: readonly Act[]): Act[] => {
  let isBack = false
  const once = <A extends Act>(act: A): A => {
    if (act.act === 'poll') return { ...act, meanwhile: act.meanwhile.map(once) }
    if (act.act !== 'device' || act.by >= 0) return act
    const by = isBack ? -act.by : act.by
    isBack = true
    return { ...act, by }
  }
  return life.map(once)
}

async function live(habits: Habits, life: readonly Act[], start: 'held' | 'now', time: 'utc' | 'local') {
  const hall = createHall(habits, { start, time })
  for (const act of [...life, POLL]) await hall.perform(act)
  isSane(hall)
  return hall
}

const start = fc.constantFrom<'held' | 'now'>('held', 'now')
const time = fc.constantFrom<'utc' | 'local'>('utc', 'local')

function check(
  lives: fc.Arbitrary<Act[]>,
  judge: (hall: Hall, habits: Habits, start: 'held' | 'now') => void,
) {
  return fc.assert(
    fc.asyncProperty(anyHabits, lives, start, time, async (habits, life, begin, style) => {
      judge(await live(habits, life, begin, style), habits, begin)
    }),
    chance,
  )
}

const missing = (hall: Hall, required: Iterable<number>) => {
  const came = new Set(deliveredBy(hall))
  return [...required].filter((seq) => !came.has(seq))
}

describe('records of a device, whatever clock is set', () => {
  const saving = fc.constant<Act>({ act: 'saving' })

  it('come once and in order, whatever the host’s clock says, and whether it is summer', () =>
    check(livesOf(2500, host, saving), (hall, _, begin) => {
      assert.deepEqual(deliveredBy(hall), allOf(hall, begin))
      assert.deepEqual(warningsOf(hall), [])
    }))

  it('come once and in order where the device’s clock is only ever set forward', () =>
    check(livesOf(1500, forward), (hall, _, begin) => {
      assert.deepEqual(deliveredBy(hall), allOf(hall, begin))
      assert.deepEqual(warningsOf(hall), [])
    }))

  it('come once where the device’s clock is set back once and forward, all that can be told to be new', () =>
    check(livesOf(1500, forward, back).map(backOnce), (hall, habits, begin) => {
      assert.deepEqual(missing(hall, requiredOf(hall, habits, begin)), [], 'overlooked')
    }))

  it('come once, none twice, whatever both clocks say, the device’s set back once', () =>
    check(livesOf(1500, forward, back, host).map(backOnce), () => {}))

  const steps = (life: readonly Act[]) => life.filter((one) => one.act === 'device' && one.by < 0).length
  it('come with each of the two warnings once at most for each time that the clock was set back', () =>
    fc.assert(
      fc.asyncProperty(anyHabits, livesOf(600, forward, back).map(backOnce), async (habits, life) => {
        const all = life.flatMap((one) => (one.act === 'poll' ? [one, ...one.meanwhile] : [one]))
        // Each life of a process may tell it anew.
        const lives = 1 + all.filter(({ act }) => act === 'restart' || act === 'deploy').length
        const { length } = warningsOf(await live(habits, life, 'held', 'utc'))
        assert.ok(length <= 2 * steps(all) * lives, `${length} warnings`)
      }),
      chance,
    ))

  for (const standalone of [true, false]) {
    for (const firstId of [1, 65_300]) {
      const kind = `${standalone ? 'standalone' : 'relay'} device from id ${firstId}`
      it(`stop with one warning where ids show it was set back further than an answer reaches: ${kind}`, async () => {
        const habits: Habits = {
          ...{ standalone, firstId, ids: 'counted', interval: 600, holds: 100, newestBy: 'arrival' },
          ...{ inclusive: true, order: 'ascending', budget: 160_000 },
        }
        const day = Array.from({ length: 10 }, (): Act[] => [{ act: 'measure', count: 5 }, POLL]).flat()
        const life: Act[] = [{ act: 'measure', count: 300 }, POLL, { act: 'device', by: -2 * A_DAY }, ...day]
        const hall = await live(habits, life, 'held', 'utc')
        assert.deepEqual(warningsOf(hall), [{ kind: 'warned', what: 'stops' }])
        assert.equal(deliveredBy(hall).length, 100)
        for (const act of [{ act: 'measure', count: 300 } as const, POLL]) await hall.perform(act)
        assert.ok(deliveredBy(hall).length > 100, 'it has caught up')
        assert.equal(deliveredBy(hall).at(-1), hall.log.length - 1)
        assert.equal(warningsOf(hall).length, 1)
      })
    }
  }

  it('come twice in no case, also where the clock is set back once more while an answer holds what came after the first time', async () => {
    const habits: Habits = {
      ...{ standalone: true, firstId: 1, ids: 'counted', interval: 600, holds: 300, newestBy: 'time' },
      ...{ inclusive: true, order: 'ascending', budget: 160_000 },
    }
    const back: Act = { act: 'device', by: -3 * 3605 }
    const some = (count: number): Act[] => [{ act: 'measure', count }, POLL]
    const hall = await live(habits, [...some(200), back, ...some(25), back, ...some(25)], 'held', 'utc')
    const came = deliveredBy(hall)
    assert.equal(new Set(came).size, came.length)
    assert.ok(warningsOf(hall).length >= 1)
  })
})
