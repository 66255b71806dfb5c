import assert from 'node:assert/strict'
import type { DeviceProfile, Step } from '../../../support/collect/device'
import {
  type Act,
  type PollSettings,
  PollSimulation,
  plainRequest,
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
const A_DAY = 86_400_000
const measure = (count: number, step: Step = 'next'): Act => ({
  act: 'measure',
  steps: Array.from({ length: count }, () => step),
})
const poll = (...requests: Partial<RequestPlan>[]): Act => ({
  act: 'trigger',
  dies: false,
  requests: requests.map((one) => ({ ...plainRequest, ...one })),
})
const receipt = (back = 0): Act => ({ act: 'receipt', back })
const pass = (ms: number): Act => ({ act: 'pass', ms })
const crash: Act = { act: 'crash', older: 0 }

async function play(simulation: PollSimulation, ...acts: Act[]): Promise<PollSimulation> {
  for (const act of acts) await simulation.perform(act)
  return simulation
}
const begin = (...acts: Act[]) => play(new PollSimulation(profile, firstRecords), ...acts)

/** The delivered records, message by message. */
const deliveredIds = ({ journal }: PollSimulation) =>
  journal.flatMap((entry) => (entry.kind === 'delivered' ? [entry.records.map(({ seq }) => seq)] : []))
/** Whether each message reports a loss. */
const losses = ({ journal }: PollSimulation) =>
  journal.flatMap((entry) => (entry.kind === 'delivered' ? [entry.isOverflow] : []))
/** The records next to those that were reported as lost. */
const lostBetween = ({ log, lost }: PollSimulation) =>
  lost.map((period) =>
    [period?.from, period?.to].map((time) => log.find(({ unixtime }) => unixtime * 1000 === time)?.seq),
  )
const requests = ({ journal }: PollSimulation) =>
  journal.flatMap((entry) => (entry.kind === 'completed' ? [entry.requests] : []))
const reported = ({ journal }: PollSimulation) =>
  journal.flatMap((entry) => (entry.kind === 'reported' ? [entry.reason] : []))
const upTo = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)

describe('after an outage', () => {
  it('the newest records are sent first, then the missing ones, newest page first', async () => {
    const simulation = await begin(measure(2), poll(), measure(20), poll({}, { maxRecords: 9 }))
    const { journal } = simulation
    assert.deepEqual(deliveredIds(simulation).slice(1), [upTo(17, 22), upTo(9, 17), upTo(2, 9)])
    assert.deepEqual(
      journal.flatMap((entry) => (entry.kind === 'delivered' ? [entry.isBackfill] : [])),
      [false, false, true, true],
    )
    assert.deepEqual(losses(simulation), [false, false, false, false])
  })

  it('another trigger comes first: its new records are sent before the next page', async () => {
    const interrupt: Act = { act: 'interrupt' }
    const simulation = await begin(measure(2), poll(), measure(20))
    await play(simulation, poll({}, { maxRecords: 9, meanwhile: [measure(2), interrupt] }), poll())
    assert.deepEqual(deliveredIds(simulation).slice(1), [upTo(17, 22), upTo(9, 17), upTo(22, 24), upTo(2, 9)])
  })

  it('nothing is fetched with Backfill off, and the loss is reported', async () => {
    const simulation = new PollSimulation(profile, { start: 'all', backfill: false })
    await play(simulation, measure(2), poll(), measure(20), poll())
    assert.deepEqual(deliveredIds(simulation).slice(1), [upTo(17, 22)])
    assert.deepEqual(losses(simulation), [false, true])
    assert.deepEqual(lostBetween(simulation), [[1, 17]])
    const [gap] = simulation.journal.flatMap((entry) => (entry.kind === 'delivered' ? entry.gaps : []))
    assert.equal(gap?.missing, 15)
  })
})

describe('a page that fails', () => {
  const failing = (reason: RequestPlan['fails']) =>
    begin(measure(2), poll(), measure(20), poll({}, { fails: reason }), measure(1), poll({}))

  it('leaves the new records alone, whatever the reason, and is requested again after a pause', async () => {
    for (const reason of [
      'timeout-total',
      'device-refused',
      'response-unreadable',
      'service-failed',
    ] as const) {
      const simulation = await failing(reason)
      assert.deepEqual(deliveredIds(simulation).slice(1), [upTo(17, 22), [22]], reason)
      assert.deepEqual([reported(simulation), requests(simulation)], [[reason], [1, 2, 1]])
      await play(simulation, pass(600_000), poll())
      assert.deepEqual(deliveredIds(simulation).at(-1), upTo(2, 17))
      assert.deepEqual(losses(simulation), [false, false, false, false])
    }
  })

  it('is given up after three failures of the smallest one over a day, and the next message reports the loss and the gap', async () => {
    const simulation = await failing('device-refused')
    // The page is halved six times.
    for (const ms of [...Array(6).fill(600_000), A_DAY / 2, A_DAY / 2])
      await play(simulation, pass(ms), poll({}, { fails: 'device-refused' }))
    assert.deepEqual(lostBetween(simulation), [[1, 17]])
    await play(simulation, measure(1), poll())
    assert.deepEqual(deliveredIds(simulation).at(-1), [23])
    assert.deepEqual(losses(simulation), [false, false, false, true])
    const last = simulation.journal.findLast((entry) => entry.kind === 'delivered')
    assert.deepEqual(last?.kind === 'delivered' && last.gaps.map(({ missing }) => missing), [15])
    assert.equal(requests(simulation).at(-1), 1)
    assert.equal(simulation.lost.length, 1, 'it is reported once')
  })

  it('does not keep a later hole from being filled, nor is that hole given up for it', async () => {
    const failingPage = { fails: 'timeout-total' } as const
    const simulation = await failing('timeout-total')
    for (const ms of [A_DAY / 4, A_DAY / 4]) await play(simulation, pass(ms), poll({}, failingPage))
    await play(simulation, measure(20), poll({}, { maxRecords: 9 }, failingPage, failingPage))
    assert.deepEqual(deliveredIds(simulation).slice(-2), [upTo(38, 43), upTo(30, 38)])
    await play(simulation, pass(A_DAY), poll(failingPage, failingPage), pass(A_DAY), poll())
    const sent = deliveredIds(simulation).flat()
    assert.deepEqual(
      sent.toSorted((a, b) => a - b),
      upTo(0, 43),
    )
  })

  it('has no effect if the device was forgotten in the meantime', async () => {
    const forget: Act = { act: 'forget' }
    const simulation = await begin(measure(2), poll(), measure(20), poll({}, { meanwhile: [forget] }))
    assert.equal(simulation.cursor, null)
    assert.ok(simulation.journal.every(({ kind }) => kind !== 'failed'))
  })

  it('fails the trigger if the quota was refused, after the new records', async () => {
    const simulation = await failing('quota-refused')
    assert.deepEqual(deliveredIds(simulation).slice(1, 2), [upTo(17, 22)])
    assert.ok(simulation.journal.some((entry) => entry.kind === 'failed' && entry.code === 'ENVLOG_QUOTA'))
  })

  it('is no failure if only the quota was missing', async () => {
    const simulation = await failing('records-wait')
    assert.deepEqual(reported(simulation), [])
    assert.deepEqual(deliveredIds(simulation).at(-1), upTo(2, 17))
  })
})

describe('a page that lacks the record at its end', () => {
  const lagging = { lag: 15 }

  it('is requested once more', async () => {
    const simulation = await begin(measure(2), poll(), measure(20), poll({}, lagging))
    assert.deepEqual(deliveredIds(simulation).at(-1), upTo(2, 17))
    assert.deepEqual([requests(simulation).at(-1), reported(simulation)], [3, []])
  })

  it('fails if it still does; the third time in a row its records are sent, with the loss', async () => {
    const simulation = await begin(measure(2), poll(), measure(20), poll({}, lagging, lagging))
    for (let time = 0; time < 2; time++) await play(simulation, pass(A_DAY / 4), poll({}, lagging, lagging))
    assert.deepEqual(reported(simulation), ['response-lacks-record', 'response-lacks-record'])
    assert.deepEqual(deliveredIds(simulation).at(-1), upTo(2, 7))
    assert.equal(losses(simulation).at(-1), true)
  })
})

describe('a page that the service has cut off, without saying so', () => {
  it('does not end the period, even if all of its records have arrived late in the meantime', async () => {
    const latest = [{ sendsAtMost: 4 }, { fails: 'records-wait' }] as const
    const simulation = await begin(poll(), measure(9), poll(...latest), pass(A_DAY))
    await play(simulation, poll({ lag: 2 }, { sendsAtMost: 4 }))
    assert.deepEqual(deliveredIds(simulation), [upTo(5, 9), upTo(2, 5), upTo(0, 2)])
  })
})

describe('missing records that the service has overwritten', () => {
  it('are reported as a loss, with the gap that the numbers show', async () => {
    const simulation = new PollSimulation({ ...profile, capacity: 10 }, firstRecords)
    await play(simulation, measure(2), poll(), measure(20), poll())
    assert.deepEqual(deliveredIds(simulation).slice(1), [upTo(17, 22), upTo(12, 17)])
    await play(simulation, measure(1), poll())
    assert.deepEqual(losses(simulation), [false, false, false, true])
    const last = simulation.journal.findLast((entry) => entry.kind === 'delivered')
    assert.deepEqual(last?.kind === 'delivered' && last.gaps.map(({ missing }) => missing), [10])
  })
})

describe('the record at the seam of two pages', () => {
  it('may be the oldest, and overwritten before the second one: the loss is reported at once', async () => {
    const simulation = new PollSimulation({ ...profile, capacity: 10 }, firstRecords)
    await play(simulation, measure(2), poll(), measure(20), poll({}, { meanwhile: [measure(3)] }))
    assert.deepEqual([reported(simulation), lostBetween(simulation)], [[], [[1, 12]]])
  })

  it('may be overwritten although there were older ones: the loss is reported after two failures', async () => {
    const simulation = new PollSimulation({ ...profile, capacity: 10 }, firstRecords)
    await play(
      simulation,
      measure(2),
      poll(),
      measure(20),
      poll({}, { maxRecords: 4, meanwhile: [measure(5)] }),
    )
    for (const ms of [600_000, 1_200_000]) await play(simulation, pass(ms), poll())
    assert.deepEqual(reported(simulation), ['response-lacks-record', 'response-lacks-record'])
    assert.deepEqual(lostBetween(simulation), [[1, 14]])
    assert.deepEqual(deliveredIds(simulation).slice(1), [upTo(17, 22), upTo(14, 17), upTo(22, 27)])
  })
})

describe('with receipts', () => {
  it('each page waits for its receipt, and filling goes on as soon as it is returned', async () => {
    const simulation = new PollSimulation(profile, firstRecords, TIMEOUT)
    await play(simulation, measure(2), poll(), receipt(), measure(20))
    const stores: Act = {
      act: 'trigger',
      dies: false,
      stores: true,
      requests: [{ ...plainRequest }, { ...plainRequest, maxRecords: 9 }],
    }
    await play(simulation, stores)
    assert.deepEqual(deliveredIds(simulation).slice(1), [upTo(17, 22), upTo(9, 17), upTo(2, 9)])
  })

  it('filling begins in the trigger that finds the hole, once the receipt of its records arrives', async () => {
    const simulation = new PollSimulation(profile, firstRecords, TIMEOUT)
    await play(simulation, measure(2), poll(), receipt(), measure(20))
    const late: Act = { act: 'trigger', dies: false, storesLate: true, requests: [] }
    await play(simulation, late)
    assert.deepEqual(deliveredIds(simulation).slice(1), [upTo(17, 22), upTo(2, 17)])
  })

  it('new records come before the next page if a trigger began while a page awaited its receipt', async () => {
    const simulation = new PollSimulation(profile, firstRecords, TIMEOUT)
    await play(simulation, measure(2), poll(), receipt(), measure(20), poll(), receipt())
    await play(simulation, poll({}, { maxRecords: 9 }), measure(3))
    const late: Act = { act: 'trigger', dies: false, storesLate: true, requests: [] }
    await play(simulation, late)
    assert.deepEqual(deliveredIds(simulation).slice(2), [upTo(9, 17), upTo(22, 25), upTo(2, 9)])
  })

  it('nothing is requested of a device while a receipt is outstanding, and one of an earlier delivery has no effect', async () => {
    const simulation = new PollSimulation(profile, firstRecords, TIMEOUT)
    await play(simulation, measure(2), poll(), receipt(), measure(20), poll({}, { maxRecords: 9 }))
    await play(simulation, receipt(1), poll())
    assert.deepEqual(deliveredIds(simulation).slice(1), [upTo(17, 22)])
    await play(simulation, receipt(), poll({}, { maxRecords: 9 }))
    assert.deepEqual(deliveredIds(simulation).slice(2), [upTo(9, 17)])
  })
})

describe('a first response', () => {
  it('that is repeated after a crash is not reported as incomplete', async () => {
    for (const backfill of [true, false]) {
      const simulation = new PollSimulation(profile, { start: 'all', backfill }, TIMEOUT)
      await play(simulation, measure(40), poll(), crash, poll())
      assert.deepEqual(deliveredIds(simulation), [upTo(35, 40), upTo(35, 40)])
      assert.ok(losses(simulation).every((isLoss) => !isLoss))
    }
  })

  it('since a time is followed by everything from that time on, the newest first', async () => {
    const simulation = new PollSimulation(profile, {
      start: { since: 1_795_161_600_000 + 600_000 },
      backfill: true,
    })
    await play(simulation, measure(40), poll({}, { maxRecords: 12 }))
    assert.deepEqual(deliveredIds(simulation), [upTo(35, 40), upTo(24, 35), upTo(9, 24)])
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
    const simulation = new PollSimulation({ ...profile, newestBy: 'arrival' }, firstRecords)
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
