import assert from 'node:assert/strict'
import fc from 'fast-check'
import { runs } from '../../../support/chance'
import type { DeviceProfile, MeasuredRecord, Step } from '../../../support/collect/device'
import { type Act, PollSimulation, plainRequest } from '../../../support/collect/poll-simulation'

const DAY_SECONDS = 86_400
const chance = { numRuns: runs(800) }
/** Time limit for histories of up to thousands of steps, many more of them in `test:long`. */
const LIVES_MS = 200_000

const anyProfile: fc.Arbitrary<DeviceProfile> = fc.record({
  standalone: fc.boolean(),
  ids: fc.constantFrom('counted', 'counted', 'zero'),
  firstId: fc.constantFrom(0, 1, 65_000, 65_500),
  maxRestarts: fc.constant(0),
  slow: fc.constant(0),
  newest: fc.constant(300),
  capacity: fc.constant(100_000),
  newestBy: fc.constantFrom('time', 'arrival'),
  inclusive: fc.boolean(),
  order: fc.constantFrom('ascending', 'descending', 'mixed'),
})

/** Each order of magnitude is equally likely. */
const upTo = (max: number) => fc.nat(1000).map((share) => Math.round(max ** (share / 1000)))
const measure = (max: number, step: Step = 'next') =>
  upTo(max).map((count): Act => ({ act: 'measure', steps: Array.from({ length: count }, () => step) }))
const sign = fc.constantFrom(-1, 1)
const host = fc
  .tuple(upTo(30 * DAY_SECONDS), sign)
  .map(([seconds, way]): Act => ({ act: 'host', behind: way * seconds * 1000 }))
const back = upTo(30 * DAY_SECONDS).map((by): Act => ({ act: 'clock', by: -by }))
const forward = upTo(30 * DAY_SECONDS).map((by): Act => ({ act: 'clock', by }))
const POLL: Act = { act: 'trigger', requests: [], dies: false }
const poll = (...meanwhile: fc.Arbitrary<Act>[]) =>
  fc.array(fc.oneof(...meanwhile), { maxLength: 3 }).map((acts): Act => {
    return { ...POLL, requests: acts.map((act) => ({ ...plainRequest, meanwhile: [act] })) }
  })
const deploy: Act = { act: 'deploy' }
const again = fc.constantFrom<Act[]>([deploy], [deploy, { act: 'crash', older: 0 }])

/** Rounds: clocks are changed, records are measured, and the device is polled. */
const livesOf = (max: number, ...more: fc.Arbitrary<Act>[]) => {
  const set = fc.oneof(measure(60), ...more, ...more).map((act) => [act])
  const round = fc.tuple(
    fc.array(fc.oneof(set, again), { maxLength: 4 }),
    measure(max),
    poll(measure(20), ...more),
  )
  return fc
    .tuple(measure(400), fc.array(round, { minLength: 1, maxLength: 7, size: 'max' }))
    .map(([first, rounds]): Act[] => [
      first,
      POLL,
      ...rounds.flatMap(([sets, ...then]) => [...sets.flat(), ...then]),
    ])
}

const seqsOf = (records: readonly MeasuredRecord[]) => records.map(({ seq }) => seq)
const deliveredBy = ({ journal }: PollSimulation) =>
  journal.flatMap((entry) => (entry.kind === 'delivered' ? seqsOf(entry.records) : []))

/** The records that time and number distinguish from all others: the others are sent twice if in doubt. */
function distinctIn({ log }: PollSimulation): Set<number> {
  const counts = new Map<string, number>()
  const keyOf = ({ unixtime, id }: MeasuredRecord) => `${unixtime}/${id}`
  for (const one of log) counts.set(keyOf(one), (counts.get(keyOf(one)) ?? 0) + 1)
  return new Set(seqsOf(log.filter((one) => counts.get(keyOf(one)) === 1)))
}

/** The records that a node must deliver: all except those from before its first response. */
function expectedOf({ log, journal }: PollSimulation, start: 'all' | 'now'): number[] {
  const first = journal.find((entry) => entry.kind === 'answered')
  if (first?.kind !== 'answered') return []
  const { records, stored } = first.response
  const delivered = new Set(start === 'all' ? seqsOf(records) : [])
  const before = new Set(seqsOf(stored).filter((seq) => !delivered.has(seq)))
  return seqsOf(log).filter((seq) => !before.has(seq))
}

/** @throws if a trigger failed, a message is out of order, or a record that can be recognized was sent twice */
function assertConsistent(simulation: PollSimulation, hasNumbers: boolean): void {
  for (const entry of simulation.journal) {
    assert.notEqual(entry.kind, 'failed')
    if (entry.kind !== 'delivered') continue
    const times = entry.records.map(({ unixtime }) => unixtime)
    assert.deepEqual(times, times.toSorted(byNumber), 'oldest first')
  }
  const distinct = distinctIn(simulation)
  const delivered = deliveredBy(simulation).filter((seq) => distinct.has(seq))
  // Without numbers, records older than the newest 300 are sent again if in doubt.
  if (hasNumbers) assert.equal(new Set(delivered).size, delivered.length, 'sent twice')
}

const byNumber = (a: number, b: number) => a - b

function check(
  lives: fc.Arbitrary<Act[]>,
  assertRun: (simulation: PollSimulation, start: 'all' | 'now', profile: DeviceProfile) => void,
  profiles = anyProfile,
) {
  const start = fc.constantFrom<'all' | 'now'>('all', 'now')
  return fc.assert(
    fc.asyncProperty(profiles, lives, start, async (profile, life, begin) => {
      const simulation = new PollSimulation(profile, { start: begin, backfill: true })
      for (const act of [...life, POLL]) await simulation.perform(act)
      assertConsistent(simulation, profile.ids === 'counted')
      assertRun(simulation, begin, profile)
    }),
    chance,
  )
}

describe("records of a device whose clock, or whose host's clock, is changed", function () {
  this.timeout(LIVES_MS)
  const late = fc.oneof(measure(100, 'late'), measure(100, 'arrive-latest'))

  it('are sent once, with any clock of the host', () =>
    check(livesOf(2500, host), (simulation, begin, { ids }) => {
      const [delivered, expected] = [deliveredBy(simulation), expectedOf(simulation, begin)]
      if (ids === 'counted') assert.deepEqual(delivered.toSorted(byNumber), expected)
      // Without numbers, those before the newest 300 are sent again if in doubt.
      else assert.deepEqual([...new Set(delivered)].toSorted(byNumber), expected)
    }))

  it("are sent once if the device's clock is only moved forward", () =>
    check(livesOf(1500, forward), (simulation, begin) => {
      assert.deepEqual(deliveredBy(simulation).toSorted(byNumber), expectedOf(simulation, begin))
    }))

  // By arrival, a record that is older than the 300 before it is mistaken for a delivered one.
  const byTime = anyProfile.map((profile): DeviceProfile => ({ ...profile, newestBy: 'time' }))

  it('are all sent once if a response contains them, with any clocks, whenever they arrive', () =>
    check(
      livesOf(1500, forward, back, host, late),
      (simulation, begin) => {
        const answers = simulation.journal.flatMap((entry) =>
          entry.kind === 'answered' ? seqsOf(entry.response.records) : [],
        )
        const [shown, delivered] = [new Set(answers), new Set(deliveredBy(simulation))]
        const distinct = distinctIn(simulation)
        const due = expectedOf(simulation, begin).filter((seq) => shown.has(seq) && distinct.has(seq))
        assert.deepEqual(
          due.filter((seq) => !delivered.has(seq)),
          [],
          'overlooked',
        )
      },
      byTime,
    ))
})
