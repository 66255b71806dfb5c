import assert from 'node:assert/strict'
import type { DeviceProfile, Step } from '../../../support/collect/device'
import type { PollSettings } from '../../../support/collect/oracle'
import {
  type Act,
  createPollSimulation,
  type PollSimulation,
  type RequestPlan,
} from '../../../support/collect/poll-simulation'

const profile: DeviceProfile = {
  standalone: true,
  ids: 'counted',
  firstId: 1,
  maxRestarts: 0,
  slow: 0,
  newest: 5,
  capacity: 10_000,
  newestBy: 'time',
  inclusive: false,
  order: 'ascending',
}
const firstRecords: PollSettings = { start: 'all', backfill: true }
const TIMEOUT = 600_000
const measure = (count: number, step: Step = 'next'): Act => ({
  act: 'measure',
  steps: Array.from({ length: count }, () => step),
})
const poll = (...requests: Partial<RequestPlan>[]): Act => ({
  act: 'trigger',
  dies: false,
  requests: requests.map((one) => ({ fails: null, maxRecords: 16_000, meanwhile: [], ...one })),
})
const receipt = (back = 0): Act => ({ act: 'receipt', back })
const timeout: Act = { act: 'pass', ms: TIMEOUT }

async function play(simulation: PollSimulation, ...acts: Act[]): Promise<PollSimulation> {
  for (const act of acts) await simulation.perform(act)
  return simulation
}
const begin = (...acts: Act[]) => play(createPollSimulation(profile, firstRecords), ...acts)
const acknowledging = (...acts: Act[]) => play(createPollSimulation(profile, firstRecords, TIMEOUT), ...acts)

/** The delivered records, message by message. */
const deliveredIds = ({ journal }: PollSimulation) =>
  journal.flatMap((entry) => (entry.kind === 'delivered' ? [entry.records.map(({ seq }) => seq)] : []))
const requests = ({ journal }: PollSimulation) =>
  journal.flatMap((entry) => (entry.kind === 'completed' ? [entry.requests] : []))
const kinds = ({ journal }: PollSimulation) => journal.map(({ kind }) => kind)
const upTo = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)

describe('a backfill', () => {
  it('sends nothing until it is complete, and continues where it stopped', async () => {
    const simulation = await begin(measure(2), poll(), measure(40))
    const short = { fails: 'records-wait', most: 11 } as const
    await play(simulation, poll({}, { maxRecords: 11 }, { maxRecords: 11 }, short))
    await play(simulation, measure(3), poll(short), poll({ maxRecords: 11 }, short))
    assert.deepEqual(deliveredIds(simulation), [upTo(0, 2)])
    await play(simulation, { act: 'deploy' }, poll({ maxRecords: 11 }), poll())
    assert.deepEqual(deliveredIds(simulation), [upTo(0, 2), upTo(2, 42), upTo(42, 45)])
    assert.equal(requests(simulation)[1], 1, 'a page alone')
  })

  it('does not wait for records quota, so that other devices continue', async () => {
    const { maxRecordsWaits } = await begin(measure(2), poll(), measure(40), poll({}, { maxRecords: 11 }))
    assert.deepEqual(maxRecordsWaits, [undefined, undefined, 0, 0])
  })

  it('does not block the device forever if a late receipt arrives in between', async () => {
    const simulation = await play(
      createPollSimulation({ ...profile, capacity: 8 }, firstRecords, TIMEOUT),
      ...[measure(3), poll(), receipt(), measure(8), poll(), timeout],
      // Set back so far that all records of the service are older than the cursor, but newer than the old receipt.
      ...[measure(2, 'back'), measure(7)],
      poll({}, { fails: 'records-wait' }),
      receipt(),
      ...[measure(40), poll(), receipt(), poll(), receipt(), poll()],
    )
    const all = new Set(deliveredIds(simulation).flat())
    assert.ok(
      upTo(52, 60).every((seq) => all.has(seq)),
      `nothing is sent any more: ${kinds(simulation).slice(-8)}`,
    )
  })
})

describe('a first response', () => {
  it('that is repeated after a crash is not reported as incomplete', async () => {
    for (const backfill of [true, false]) {
      const simulation = createPollSimulation(profile, { start: 'all', backfill }, TIMEOUT)
      await play(simulation, measure(40), poll(), { act: 'crash', older: 0 }, poll())
      assert.deepEqual(deliveredIds(simulation), [upTo(35, 40), upTo(35, 40)])
      assert.ok(simulation.journal.every((entry) => entry.kind !== 'delivered' || !entry.isOverflow))
    }
  })

  it('that is repeated after a crash is complete, even if the next response cuts through its first second', async () => {
    const first = [measure(40), measure(1, 'same'), measure(3)]
    const simulation = await acknowledging(...first, poll(), measure(1), { act: 'crash', older: 0 }, poll())
    assert.deepEqual(deliveredIds(simulation), [upTo(39, 44), upTo(39, 45)])
  })
})

describe('a device whose clock is permanently two hours ahead', () => {
  const minutely = (count: number) => Array.from({ length: count }, () => [measure(1), poll()]).flat()

  it('is not requested repeatedly for all later records', async () => {
    const simulation = await begin(measure(5), poll(), measure(1, 'forward'), poll(), ...minutely(60))
    assert.deepEqual(deliveredIds(simulation).flat(), upTo(0, 66))
    assert.ok(
      requests(simulation).every((count) => count === 1),
      `requests of each trigger: ${requests(simulation)}`,
    )
  })
})

describe('a device whose clock was set back', () => {
  it('sends its records immediately, even one that arrives late', async () => {
    const simulation = createPollSimulation({ ...profile, newestBy: 'arrival' }, firstRecords)
    await play(simulation, measure(4), poll(), measure(1, 'back'), measure(2), poll())
    await play(
      simulation,
      measure(1, 'late'),
      poll(),
      measure(2),
      poll(),
      measure(1, 'arrive'),
      poll(),
      poll(),
    )
    assert.deepEqual(deliveredIds(simulation), [upTo(0, 4), upTo(4, 7), [8, 9], [7]])
  })
})
