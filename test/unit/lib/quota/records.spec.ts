import assert from 'node:assert/strict'
import { demandOf } from '../../../../src/lib/quota/endpoint-quota'
import type { QuotaWait } from '../../../../src/lib/request'
import { brokenOff, refusal, streamed, text } from '../../../support/fake-transport'
import { records, Station, withHeaders } from './setup'

const HOUR_MS = 3_600_000

describe('the records of a device', () => {
  const data = { endpoint: 'data' as const }
  const limit = { data: { records: 10_000, recordsWindow: 3600 } }

  it('are reserved as requested and counted as received', async () => {
    const station = await new Station(limit).begin('data')
    station.request('a', { ...data, number: 9000 })
    await station.answer(records(100))
    const [left] = station.quota.counts().records
    assert.deepEqual(left, { endpoint: 'data', device: '/a', limit: 10_000, left: 9900 })
  })

  it('are counted as received also in CSV, without the lines above them', async () => {
    const lines = ['"Date/Time","No. 1"', '"","°C"', '"","x"', ...Array(3).fill('"2026-11-20 08:00","1.5"')]
    for (const [count, left] of [
      [6, [9997]],
      [4, [9999]],
      [3, []],
      [2, []],
    ] as const) {
      const station = await new Station(limit).begin('data')
      const seen = station.request('a', { ...data, number: 5000, params: { type: 'csv' } })
      await station.answer(text(`${lines.slice(0, count).join('\r\n')}\r\n`))
      const counts = station.quota.counts().records
      assert.deepEqual([seen.state, counts.map(({ left }) => left)], ['done', left])
    }
  })

  it('are not used by a request that was not sent, that was refused, or whose response has none', async () => {
    for (const [isReachable, response] of [
      [false, records(0)],
      [true, refusal(400)],
      [true, records(0)],
    ] as const) {
      const station = await new Station(limit).begin('data')
      station.isReachable = isReachable
      const seen = station.request('a', { ...data, number: 5000 })
      await station.answer(response)
      assert.notEqual(seen.state, 'waiting')
      assert.deepEqual(station.quota.counts().records, [])
    }
  })

  it('are requested as soon as 1,000 are left or, if the output is raw, all', () => {
    const leastOf = (number: number, isRaw = false) => demandOf({ number }, isRaw)?.minimum
    assert.deepEqual([leastOf(300), leastOf(5000), leastOf(5000, true)], [300, 1000, 5000])
  })

  it('are shown for the five devices with the fewest left, these first', async () => {
    const station = await new Station().begin('data')
    for (const used of [30, 10, 60, 20, 50, 40]) {
      station.request(`${used}`, { endpoint: 'data', number: 100 })
      await station.answer(records(used))
    }
    assert.deepEqual(
      station.quota.counts().records.map(({ device, left }) => [device, left]),
      [60, 50, 40, 30, 20].map((used) => [`/${used}`, 160_000 - used]),
    )
  })

  it('delay only the device, while other requests to the endpoint are sent', async () => {
    const station = await new Station(limit).begin('data')
    station.request('a', { ...data, number: 10_000 })
    await station.answer(records(10_000))
    const waits: QuotaWait[] = []
    station.request('a', { ...data, number: 5000, onWait: (wait) => waits.push(wait) })
    station.request('b', { ...data, number: 5000 })
    assert.deepEqual(await station.serials(), ['b'])
    assert.equal(waits[0]?.records, true)
    await station.answer(records(5000))
    await station.clock.pass(HOUR_MS + 1000)
    assert.deepEqual(await station.serials(), ['a'])
  })

  it('fail immediately with records-wait for callers that do not wait for records', async () => {
    const station = await new Station(limit).begin('data')
    station.request('a', { ...data, number: 10_000 })
    await station.answer(records(10_000))
    const { error } = await station.settled('a', { ...data, number: 1, maxRecordsWaitMs: 0 })
    assert.equal(error?.reason, 'records-wait')
  })

  it('do not delay others that wait for fewer requests, in what these know of their wait', async () => {
    const station = await new Station({ data: { ...limit.data, limit: 3, window: 60 } }, 1).begin('data')
    for (const serial of ['a', 'b', 'c']) {
      station.request(serial, { ...data, number: 10_000 })
      await station.answer(records(10_000))
    }
    await station.clock.pass(61_000)
    for (const serial of ['a', 'b', 'c']) station.request(serial, { ...data, number: 5000 })
    station.request('d', { ...data, number: 5000 })
    const seen = station.request('e', { ...data, number: 5000, maxWaitMs: 30_000 })
    await station.answer()
    await station.answer()
    assert.equal(seen.state, 'done')
  })

  it("stay used when the account's settings change, and count against its new limit", async () => {
    const station = await new Station(limit).begin('data')
    station.request('a', { ...data, number: 5000 })
    await station.answer(records(3000))
    station.join({ data: { records: 6000, recordsWindow: 3600 } })
    const [device] = station.quota.counts().records
    assert.deepEqual([device?.limit, device?.left], [6000, 3000])
  })

  it('are counted as reserved if the account has a lower limit than the service reports', async () => {
    const station = await new Station(limit).begin('data')
    station.request('a', { ...data, number: 5000 })
    await station.answer(withHeaders(streamed(brokenOff('{"data":[')), { records: 151_000 }))
    assert.equal(station.quota.counts().records[0]?.left, 5000)
  })

  it('are counted by the header if the response is truncated, and as reserved without one', async () => {
    for (const [headers, left] of [
      [{ records: 8000 }, 8000],
      [{}, 5000],
    ] as const) {
      const station = await new Station(limit).begin('data')
      station.request('a', { ...data, number: 5000 })
      await station.answer(withHeaders(streamed(brokenOff('{"data":[')), headers))
      assert.equal(station.quota.counts().records[0]?.left, left)
    }
  })

  it('are blocked for a window if others have used them', async () => {
    const station = await new Station(limit).begin('data')
    station.request('a', { ...data, number: 1000 })
    await station.answer(records(1000, { remaining: 10, records: 2000 }))
    const [device] = station.quota.counts().records
    assert.equal(device?.left, 2000)
    station.request('a', { ...data, number: 3000 })
    await station.clock.pass(HOUR_MS)
    assert.deepEqual(await station.serials(), [])
    await station.clock.pass(1000)
    assert.deepEqual(await station.serials(), ['a'])
  })

  it('are not the cause of a 429 if enough are left: the endpoint is closed', async () => {
    for (const headers of [{ remaining: 10, records: 5000 }, { remaining: 10 }]) {
      const station = await new Station(limit).begin('data')
      station.request('a', { ...data, number: 5000 })
      await station.answer(withHeaders(refusal(429), headers))
      station.request('b', { ...data, number: 1000 })
      assert.deepEqual(await station.serials(), [])
      await station.clock.pass(61_000)
      const sent = await station.serials()
      await station.answer(records(1000))
      assert.deepEqual([...sent, ...(await station.serials())].sort(), ['a', 'b'])
    }
  })

  it('are the cause of a 429 only if a request is left', async () => {
    for (const [remaining, reason] of [
      [0, 'quota-refused'],
      [1, 'records-refused'],
    ] as const) {
      const station = await new Station(limit).begin('data')
      const seen = station.request('a', { ...data, number: 5000, isTriedOnce: true })
      await station.answer(withHeaders(refusal(429), { remaining, records: 0 }))
      assert.equal(seen.error?.reason, reason)
    }
  })

  it('of which the service refuses more are not requested for a window, even if earlier ones count no more', async () => {
    const station = await new Station(limit).begin('data')
    for (const response of [records(5000), withHeaders(refusal(429), { remaining: 10, records: 0 })]) {
      await station.clock.pass(HOUR_MS / 2)
      station.request('a', { ...data, number: 5000 })
      await station.answer(response)
    }
    await station.clock.pass(HOUR_MS)
    assert.deepEqual(await station.serials(), [])
    await station.clock.pass(1000)
    assert.deepEqual(await station.serials(), ['a'])
  })

  it('of which the service refuses more, but has some left, can be requested at once, as many as are left', async () => {
    const station = await new Station(limit).begin('data')
    station.request('a', { ...data, number: 5000 })
    await station.answer(withHeaders(refusal(429), { remaining: 10, records: 3000 }))
    station.request('a', { ...data, number: 3000 })
    assert.deepEqual(await station.serials(), ['a'])
    assert.equal(station.sent[0]?.params.number, 3000)
  })

  it('of which a response shows that none is left are requested again as soon as earlier ones count no more', async () => {
    const station = await new Station(limit).begin('data')
    for (const response of [records(5000), records(5000, { remaining: 10, records: 0 })]) {
      await station.clock.pass(HOUR_MS / 2)
      station.request('a', { ...data, number: 5000 })
      await station.answer(response)
    }
    station.request('a', { ...data, number: 5000 })
    await station.clock.pass(HOUR_MS / 2 + 1000)
    assert.deepEqual(await station.serials(), ['a'])
  })

  it('close only the device if they are used up; then the request is sent again', async () => {
    const station = await new Station(limit).begin('data')
    const seen = station.request('a', { ...data, number: 5000 })
    await station.answer(withHeaders(refusal(429), { remaining: 10, records: 0 }))
    station.request('b', { ...data, number: 5000 })
    assert.deepEqual(await station.serials(), ['b'])
    assert.equal(seen.state, 'waiting')
    await station.answer(records(5000))
    await station.clock.pass(HOUR_MS + 1000)
    assert.deepEqual(await station.serials(), ['a'])
  })
})
