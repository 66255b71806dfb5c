import assert from 'node:assert/strict'
import type { Delivery } from '../../../../src/lib/collect/fetch'
import { createPolledDevice } from '../../../support/collect/polled-device'
import { createRecordingStore } from '../../../support/collect/recording-store'
import { alertResponse, graph } from '../responses'

const MINUTE = 60_000

/** A device that records every minute, a node that polls every minute, and a database with an outage. */
async function begin(
  retained = 0,
  receiptTimeoutMs: number | null = 10 * MINUTE,
  store = createRecordingStore(),
  kept = Number.POSITIVE_INFINITY,
) {
  let newest = 0
  const record = (id: number) => ({ unixtime: start + id * 60, 'data-id': id, ch1: id })
  const device = await createPolledDevice(
    (endpoint, { 'unixtime-from': from = 0, 'unixtime-to': to = 0, number = 0 }) => {
      if (endpoint === 'alert')
        return alertResponse({ 'remote-serial': '5212A1B2', 'alert-logs': [{ unixtime: start, ch1: 'hot' }] })
      const last = Math.min(newest, Math.ceil((to - start) / 60) - 1)
      const isLatest = endpoint === 'latest-data'
      const first = isLatest ? newest - 299 : Math.max(Math.floor((from - start) / 60) + 1, last - number + 1)
      return graph({
        data: upTo(Math.max(1, first, newest - kept + 1), isLatest ? newest : last).map(record),
      })
    },
    {},
    { retained, receiptTimeoutMs, store },
  )
  const start = Math.floor(device.clock.now() / 1000)
  return {
    ...device,
    start,
    measure(count: number) {
      newest += count
      device.clock.advance(count * MINUTE)
    },
  }
}

const upTo = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index)

describe('a database that is down for hours', () => {
  it('costs one request for alerts: they are sent again unchanged, with the same receipt', async () => {
    const { poll, endpoints, delivered, measure } = await begin()
    for (let minute = 0; minute < 180; minute++) {
      await poll('alerts')
      measure(1)
    }
    assert.deepEqual([endpoints.length, delivered.length], [1, 18])
    assert.equal(new Set(delivered.map(({ content }) => JSON.stringify(content))).size, 1)
    assert.equal(new Set(delivered.map(({ receipt }) => receipt)).size, 1)
  })

  it('repeats the data unchanged, even if receivers modified the messages', async () => {
    const { poll, delivered, measure } = await begin()
    measure(10)
    for (let times = 0; times < 3; times++) {
      await poll()
      measure(10)
      const { content } = delivered.at(-1) as Delivery
      assert.ok(content.kind === 'series')
      const { channels, records } = content.series
      assert.deepEqual([records.map(({ ch1 }) => ch1), channels.length], [upTo(1, 10), 1])
      for (const record of records) record.ch1 = -999
      channels.length = 0
      records.length = 0
    }
  })

  it('does not retain more than the bound: the rest is requested again', async () => {
    const { poll, endpoints, measure, state } = await begin(99_900)
    measure(10)
    await poll()
    state.skip()
    measure(400)
    await poll()
    endpoints.length = 0
    measure(10)
    await poll()
    assert.equal(endpoints[0], 'latest-data')
  })
})

describe('the state of a node', () => {
  for (const [missing, writes] of [
    [1000, 0],
    [1001, 2],
  ] as const)
    it(`is saved ${writes} times while a page of ${missing} records is sent`, async () => {
      const store = createRecordingStore()
      const { clock, poll, ids, measure } = await begin(0, null, store)
      measure(100)
      await poll()
      measure(missing + 300)
      await clock.settle()
      const before = store.writes.length
      await poll()
      assert.deepEqual([ids().at(-1)?.length, store.writes.length - before], [missing, writes])
    })
})

describe('a network that is down for three days', () => {
  const KEPT = 1500

  it('loses what the service does not keep, and the node reports once between which times', async () => {
    const { poll, ids, delivered, lost, start, measure } = await begin(0, null, undefined, KEPT)
    measure(100)
    await poll()
    const newest = 100 + 3 * 24 * 60
    measure(newest - 100)
    await poll()
    const oldest = newest - KEPT + 1
    const period = { from: (start + 100 * 60) * 1000, to: (start + oldest * 60) * 1000 }
    assert.deepEqual(lost, [period], 'at once')
    measure(1)
    await poll()
    assert.deepEqual(ids(), [
      upTo(1, 100),
      upTo(newest - 299, newest),
      upTo(oldest, newest - 300),
      [newest + 1],
    ])
    assert.equal(lost.length, 1)
    assert.deepEqual(
      delivered.filter(({ content }) => content.kind === 'series').map(({ overflow }) => overflow === true),
      [false, false, false, true],
    )
  })
})
