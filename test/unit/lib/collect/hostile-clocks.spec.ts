import assert from 'node:assert/strict'
import fc from 'fast-check'
import { runs } from '../../../support/chance'
import {
  assertConsistent,
  deliveredBy,
  expectedSequence,
  shownBy,
} from '../../../support/hostile-state/clock-oracle'
import {
  type ClockAct,
  type ClockProfile,
  type ClockSimulation,
  createClockSimulation,
  DAY_SECONDS,
} from '../../../support/hostile-state/clock-simulation'

const DAY_MS = DAY_SECONDS * 1000
/** The same seed in `test:long`. */
const chance = { numRuns: runs(800), seed: 1 }
/** For histories of up to thousands of steps. */
const LIVES_MS = 20_000

const anyProfile: fc.Arbitrary<ClockProfile> = fc.record({
  standalone: fc.boolean(),
  ids: fc.constantFrom('counted', 'counted', 'zero', 'absent'),
  firstId: fc.constantFrom(0, 1, 65_000, 65_500),
  interval: fc.constantFrom(60, 600, 3600),
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

/** Rounds: clocks are changed, records are measured, and the device is polled. */
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

async function play(
  profile: ClockProfile,
  life: readonly ClockAct[],
  start: 'all' | 'now',
  time: 'utc' | 'local',
) {
  const simulation = createClockSimulation(profile, { start, time })
  for (const act of [...life, POLL]) await simulation.perform(act)
  assertConsistent(simulation, profile.ids === 'counted')
  return simulation
}

const start = fc.constantFrom<'all' | 'now'>('all', 'now')
const time = fc.constantFrom<'utc' | 'local'>('utc', 'local')

function check(
  lives: fc.Arbitrary<ClockAct[]>,
  assertRun: (simulation: ClockSimulation, start: 'all' | 'now', profile: ClockProfile) => void,
  profiles = anyProfile,
) {
  return fc.assert(
    fc.asyncProperty(profiles, lives, start, time, async (profile, life, begin, style) => {
      assertRun(await play(profile, life, begin, style), begin, profile)
    }),
    chance,
  )
}

describe("records of a device whose clock, or whose host's clock, is changed", function () {
  this.timeout(LIVES_MS)
  const saving = fc.constant<ClockAct>({ act: 'saving' })
  const hold = upTo(100).map((count): ClockAct => ({ act: 'hold', count }))
  const late = fc.oneof(hold, fc.constant<ClockAct>({ act: 'release' }))

  it('are sent once and in order, with any clock of the host and with daylight saving time', () =>
    check(livesOf(2500, host, saving), (simulation, begin, { ids }) => {
      const [delivered, expected] = [deliveredBy(simulation), expectedSequence(simulation, begin)]
      if (ids === 'counted') assert.deepEqual(delivered, expected)
      // Without numbers, those before the newest 300 are sent again if in doubt.
      else
        assert.deepEqual(
          [...new Set(delivered)].toSorted((a, b) => a - b),
          expected,
        )
    }))

  it("are sent once and in order if the device's clock is only moved forward", () =>
    check(livesOf(1500, forward), (simulation, begin) => {
      assert.deepEqual(deliveredBy(simulation), expectedSequence(simulation, begin))
    }))

  // By arrival, a record that is older than the 300 before it is mistaken for a delivered one.
  const byTime = anyProfile.map((profile): ClockProfile => ({ ...profile, newestBy: 'time' }))

  it('are all sent once if a response contains them, with any clocks, whenever they arrive', () =>
    check(
      livesOf(1500, forward, back, host, late),
      (simulation, begin) => {
        const delivered = new Set(deliveredBy(simulation))
        assert.deepEqual(
          [...shownBy(simulation, begin)].filter((seq) => !delivered.has(seq)),
          [],
          'overlooked',
        )
      },
      byTime,
    ))
})
