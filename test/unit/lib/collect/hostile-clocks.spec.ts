import assert from 'node:assert/strict'
import fc from 'fast-check'
import {
  assertConsistent,
  deliveredBy,
  expectedSequence,
  requiredOf,
  warningsOf,
} from '../../../support/hostile-state/clock-oracle'
import {
  type ClockAct,
  type ClockProfile,
  type ClockSimulation,
  createClockSimulation,
  DAY_SECONDS,
} from '../../../support/hostile-state/clock-simulation'

const DAY_MS = DAY_SECONDS * 1000
/** Fixed seed, also in `test:long`: in some of a thousand histories the ids do not reveal a step of the clock. */
const chance = { numRuns: 50, seed: 1 }

const anyProfile: fc.Arbitrary<ClockProfile> = fc.record({
  standalone: fc.boolean(),
  ids: fc.constantFrom('counted', 'counted', 'zero', 'absent'),
  firstId: fc.constantFrom(0, 1, 65_000, 65_500),
  interval: fc.constantFrom(60, 600, 3600),
  answerSize: fc.constantFrom(12, 300),
  newestBy: fc.constantFrom('time', 'arrival'),
  inclusive: fc.boolean(),
  order: fc.constantFrom('ascending', 'descending', 'mixed'),
  recordsPerHour: fc.constantFrom(1000, 160_000),
})

/** Each order of magnitude is equally likely. */
const upTo = (max: number) => fc.nat(1000).map((share) => Math.round(max ** (share / 1000)))
const measure = (max: number) => upTo(max).map((count): ClockAct => ({ act: 'measure', count }))
const sign = fc.constantFrom(-1, 1)
const host = fc.tuple(upTo(30 * DAY_MS), sign).map(([ms, way]): ClockAct => ({ act: 'host', off: way * ms }))
const back = upTo(30 * DAY_SECONDS).map((by): ClockAct => ({ act: 'device', by: -by }))
const forward = upTo(30 * DAY_SECONDS).map((by): ClockAct => ({ act: 'device', by }))
const POLL: ClockAct = { act: 'poll', meanwhile: [] }
const poll = (...meanwhile: fc.Arbitrary<ClockAct>[]) =>
  fc
    .array(fc.oneof(...meanwhile), { maxLength: 3 })
    .map((acts): ClockAct => ({ act: 'poll', meanwhile: acts }))
const again = fc.constantFrom<ClockAct>({ act: 'restart' }, { act: 'deploy' })

/** Rounds: clocks are set, records are measured, and the device is polled. */
const livesOf = (max: number, ...more: fc.Arbitrary<ClockAct>[]) => {
  const sets = fc.array(fc.oneof(measure(60), ...more, ...more, again), { maxLength: 4 })
  const round = fc.tuple(sets, measure(max), poll(measure(20), ...more))
  return fc
    .tuple(measure(400), fc.array(round, { minLength: 1, maxLength: 7, size: 'max' }))
    .map(([first, rounds]): ClockAct[] => [
      first,
      POLL,
      ...rounds.flatMap(([set, ...then]) => [...set, ...then]),
    ])
}

/**
 * The ids do not reveal that a clock is set back a second time while an answer still shows the first
 * (docs/collecting.md, *Clocks*): the clock is set forward instead.
 */
const backOnce = (life: readonly ClockAct[]): ClockAct[] => {
  let isBack = false
  const once = <A extends ClockAct>(act: A): A => {
    if (act.act === 'poll') return { ...act, meanwhile: act.meanwhile.map(once) }
    if (act.act !== 'device' || act.by >= 0) return act
    const by = isBack ? -act.by : act.by
    isBack = true
    return { ...act, by }
  }
  return life.map(once)
}

async function play(
  profile: ClockProfile,
  life: readonly ClockAct[],
  start: 'held' | 'now',
  time: 'utc' | 'local',
) {
  const simulation = createClockSimulation(profile, { start, time })
  for (const act of [...life, POLL]) await simulation.perform(act)
  assertConsistent(simulation)
  return simulation
}

const start = fc.constantFrom<'held' | 'now'>('held', 'now')
const time = fc.constantFrom<'utc' | 'local'>('utc', 'local')

function check(
  lives: fc.Arbitrary<ClockAct[]>,
  assertRun: (simulation: ClockSimulation, profile: ClockProfile, start: 'held' | 'now') => void,
) {
  return fc.assert(
    fc.asyncProperty(anyProfile, lives, start, time, async (profile, life, begin, style) => {
      assertRun(await play(profile, life, begin, style), profile, begin)
    }),
    chance,
  )
}

const missing = (simulation: ClockSimulation, required: Iterable<number>) => {
  const delivered = new Set(deliveredBy(simulation))
  return [...required].filter((seq) => !delivered.has(seq))
}

describe('records of a device while clocks are changed', () => {
  const saving = fc.constant<ClockAct>({ act: 'saving' })

  it('are sent once and in order, with any clock of the host and with daylight saving', () =>
    check(livesOf(2500, host, saving), (simulation, _, begin) => {
      assert.deepEqual(deliveredBy(simulation), expectedSequence(simulation, begin))
      assert.deepEqual(warningsOf(simulation), [])
    }))

  it('are sent once and in order if the device’s clock is only set forward', () =>
    check(livesOf(1500, forward), (simulation, _, begin) => {
      assert.deepEqual(deliveredBy(simulation), expectedSequence(simulation, begin))
      assert.deepEqual(warningsOf(simulation), [])
    }))

  it('are sent once if the device’s clock is set back once and forward, all that can be recognised as new', () =>
    check(livesOf(1500, forward, back).map(backOnce), (simulation, profile, begin) => {
      assert.deepEqual(missing(simulation, requiredOf(simulation, profile, begin)), [], 'overlooked')
    }))

  it('are never sent twice with any clocks, the device’s set back once', () =>
    check(livesOf(1500, forward, back, host).map(backOnce), () => {}))

  const steps = (life: readonly ClockAct[]) => life.filter((one) => one.act === 'device' && one.by < 0).length
  it('cause each of the two warnings at most once for each time that the clock was set back', () =>
    fc.assert(
      fc.asyncProperty(anyProfile, livesOf(600, forward, back).map(backOnce), async (profile, life) => {
        const all = life.flatMap((one) => (one.act === 'poll' ? [one, ...one.meanwhile] : [one]))
        // Each process may report it once.
        const lives = 1 + all.filter(({ act }) => act === 'restart' || act === 'deploy').length
        const { length } = warningsOf(await play(profile, life, 'held', 'utc'))
        assert.ok(length <= 2 * steps(all) * lives, `${length} warnings`)
      }),
      chance,
    ))

  for (const standalone of [true, false]) {
    for (const firstId of [1, 65_300]) {
      const kind = `${standalone ? 'standalone' : 'relay'} device from id ${firstId}`
      it(`stop with one warning if ids show that it was set back further than an answer reaches: ${kind}`, async () => {
        const profile: ClockProfile = {
          ...{ standalone, firstId, ids: 'counted', interval: 600, answerSize: 100, newestBy: 'arrival' },
          ...{ inclusive: true, order: 'ascending', recordsPerHour: 160_000 },
        }
        const day = Array.from({ length: 10 }, (): ClockAct[] => [{ act: 'measure', count: 5 }, POLL]).flat()
        const life: ClockAct[] = [
          { act: 'measure', count: 300 },
          POLL,
          { act: 'device', by: -2 * DAY_SECONDS },
          ...day,
        ]
        const simulation = await play(profile, life, 'held', 'utc')
        assert.deepEqual(warningsOf(simulation), [{ kind: 'warned', what: 'stops' }])
        assert.equal(deliveredBy(simulation).length, 100)
        for (const act of [{ act: 'measure', count: 300 } as const, POLL]) await simulation.perform(act)
        assert.ok(deliveredBy(simulation).length > 100, 'it has caught up')
        assert.equal(deliveredBy(simulation).at(-1), simulation.log.length - 1)
        assert.equal(warningsOf(simulation).length, 1)
      })
    }
  }

  it('are never sent twice, also if the clock is set back again while an answer shows the first time', async () => {
    const profile: ClockProfile = {
      ...{ standalone: true, firstId: 1, ids: 'counted', interval: 600, answerSize: 300, newestBy: 'time' },
      ...{ inclusive: true, order: 'ascending', recordsPerHour: 160_000 },
    }
    const back: ClockAct = { act: 'device', by: -3 * 3605 }
    const some = (count: number): ClockAct[] => [{ act: 'measure', count }, POLL]
    const simulation = await play(
      profile,
      [...some(200), back, ...some(25), back, ...some(25)],
      'held',
      'utc',
    )
    const delivered = deliveredBy(simulation)
    assert.equal(new Set(delivered).size, delivered.length)
    assert.ok(warningsOf(simulation).length >= 1)
  })
})
