import assert from 'node:assert/strict'
import { refusal } from '../../../support/fake-transport'
import { Simulation } from '../../../support/quota/simulation'
import { fine, HELD_MS, records, Station } from './setup'

/** A service with the limit of the table, and responses without headers. */
const scenario = {
  seed: 1,
  row: { limit: 10, window: 120, kind: 'sliding' as const, phase: 0 },
  concurrency: 100,
  up: 0,
  back: 0,
  refusedCounts: false,
  headerRate: 0,
  faults: {},
}

const requestMany = (simulation: Simulation, count: number) => {
  for (let index = 0; index < count; index++) simulation.request()
}

describe('several account nodes with the same API key', () => {
  for (const [limit, window] of [
    [9, 110],
    [4, 50],
    [5, 60],
  ] as const) {
    it(`keep 10 requests in 120 s and ${limit} in ${window} s at the same time`, async () => {
      const simulation = new Simulation(scenario)
      simulation.toggle({ limit, window })
      requestMany(simulation, 200)
      await simulation.clock.pass(1_200_000)
      assert.deepEqual([simulation.service.refusals().length, simulation.excesses().length], [0, 0])
      assert.ok(simulation.sent().length >= 96, `${simulation.sent().length}`)
    })
  }

  it('keep the longer window while a form with a shorter one is open for a moment', async () => {
    const simulation = new Simulation(scenario)
    const form = { limit: 1, window: 20 }
    requestMany(simulation, 200)
    for (let count = 0; count < 40; count++) {
      simulation.toggle(form)
      await simulation.clock.pass(4000)
      simulation.toggle(form)
      await simulation.clock.pass(26_000)
    }
    assert.equal(simulation.service.refusals().length, 0)
  })

  it('show the limit with the least left', async () => {
    const station = await new Station().begin()
    station.join({ current: { limit: 4, window: 50 } })
    const shown: object[] = []
    for (let count = 0; count < 2; count++) {
      for (const serial of ['a', 'b', 'c', 'd']) await station.exchange(fine(), serial)
      const { limit, windowSeconds, own, left } = station.quota.counts().endpoints.current
      shown.push({ limit, windowSeconds, own, left })
      await station.clock.pass(51_000)
    }
    const { limit, windowSeconds, own, left } = station.quota.counts().endpoints.current
    shown.push({ limit, windowSeconds, own, left })
    assert.deepEqual(shown, [
      { limit: 4, windowSeconds: 50, own: 4, left: 0 },
      { limit: 4, windowSeconds: 50, own: 4, left: 0 },
      { limit: 10, windowSeconds: 120, own: 8, left: 2 },
    ])
  })

  it('send nothing for the longest of their windows after a refusal', async () => {
    const station = await new Station().begin()
    station.join({ current: { limit: 4, window: 50 } })
    await station.exchange(refusal(429))
    await station.clock.pass(HELD_MS - 1)
    assert.deepEqual(await station.serials(), [])
    await station.clock.pass(1)
    assert.deepEqual(await station.serials(), ['first'])
  })

  it('send at once if a longer window is added after the time in which they sent nothing because of a refusal', async () => {
    const station = await new Station().begin()
    await station.exchange(refusal(429))
    await station.clock.pass(HELD_MS)
    await station.answer()
    station.join({ current: { limit: 10, window: 86_400 } })
    station.request('a')
    assert.deepEqual(await station.serials(), ['a'])
  })
})

describe('the records of a device for several account nodes with the same API key', () => {
  const data = { endpoint: 'data' as const }
  const begin = async () => {
    const station = await new Station({ data: { records: 10_000, recordsWindow: 3600 } }).begin('data')
    station.join({ data: { records: 6000, recordsWindow: 600 } })
    return station
  }

  it('keep the limits of all of them', async () => {
    const station = await begin()
    station.request('a', { ...data, number: 10_000 })
    await station.clock.settle()
    assert.equal(station.sent[0]?.params.number, 6000)
    await station.answer(records(6000))
    await station.clock.pass(601_000)
    station.request('a', { ...data, number: 5000 })
    assert.deepEqual(await station.serials(), [])
    assert.deepEqual(station.quota.counts().records, [
      { endpoint: 'data', device: '/a', limit: 10_000, left: 4000 },
    ])
    await station.clock.pass(3_000_000)
    assert.deepEqual(await station.serials(), ['a'])
  })

  it('are not blocked by the usage of others as long as that leaves the lower limit', async () => {
    const station = await begin()
    station.request('a', { ...data, number: 1000 })
    await station.answer(records(1000, { remaining: 10, records: 5500 }))
    const [device] = station.quota.counts().records
    assert.deepEqual([device?.limit, device?.left], [6000, 5000])
  })

  it('are blocked, if others have used them, for the window of the limit that allows the most over time', async () => {
    const station = await begin()
    station.request('a', { ...data, number: 1000 })
    await station.answer(records(1000, { remaining: 10, records: 4000 }))
    await station.clock.pass(601_000)
    station.request('a', { ...data, number: 10_000 })
    await station.clock.settle()
    assert.equal(station.sent[0]?.params.number, 6000)
  })
})
