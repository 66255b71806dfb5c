import assert from 'node:assert/strict'
import { EnvlogError, type Reason } from '../../../../src/lib/errors'
import { createPolledDevice } from '../../../support/collect/polled-device'
import { graph, type Json } from '../responses'

/** Number of records in a *latest* response, and in a page. */
const [NEWEST, PAGE] = [3, 5]
const upTo = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

/** A device with one record per minute. Two were delivered, and its range endpoint may fail. */
async function begin() {
  const records: Json[] = []
  const range: { fails: Reason | null; emptyPages: number } = { fails: null, emptyPages: 0 }
  const device = await createPolledDevice(
    (endpoint, { 'unixtime-from': from = 0, 'unixtime-to': to = 0 }) => {
      if (endpoint !== 'data') return graph({ data: records.slice(-NEWEST), 'dst-flg': 1, 'dst-bias': 60 })
      if (range.fails) throw new EnvlogError(range.fails, {}, { endpoint })
      if (range.emptyPages-- > 0) return graph({ data: [] })
      return graph({ data: records.filter(({ at }) => Number(at) > from && Number(at) < to).slice(-PAGE) })
    },
    { newest: NEWEST },
    { time: 'local' },
  )
  /** @param over fields of the first record that make it invalid */
  function measure(count: number, over: Json = {}) {
    for (let index = 0; index < count; index++) {
      device.clock.advance(60_000)
      const at = Math.floor(device.clock.now() / 1000)
      records.push({ at, unixtime: at, 'data-id': records.length + 1, ch1: 1, ...(index === 0 && over) })
    }
  }
  measure(2)
  await device.poll()
  /** What was delivered last. */
  function last() {
    const { content, overflow, failed = [] } = device.delivered.at(-1) ?? assert.fail()
    assert.ok(content.kind === 'series')
    const { records: sent, gaps } = content.series
    return {
      ids: sent.map(({ dataId }) => dataId),
      overflow,
      gaps: gaps.map(({ missing }) => missing),
      failed: failed.map(({ error: { reason, params, cause } }) => ({ reason, params, cause })),
    }
  }
  return { ...device, range, measure, last }
}

describe('a backfill whose page lacks a record known from the following response', () => {
  it('requests that page again', async () => {
    const { measure, range, poll, last } = await begin()
    measure(20)
    range.emptyPages = 1
    await poll()
    assert.deepEqual(last(), { ids: upTo(3, 22), overflow: undefined, gaps: [], failed: [] })
  })

  it('sends the existing records, marked as incomplete, if the page lacks it twice', async () => {
    const { measure, range, poll, last } = await begin()
    measure(20)
    range.emptyPages = 2
    await poll()
    assert.deepEqual(last(), { ids: upTo(20, 22), overflow: true, gaps: [17], failed: [] })
  })
})

describe('a backfill', () => {
  it('has times with the offset of the response, because pages do not say whether it is daylight saving time', async () => {
    const { measure, poll, delivered } = await begin()
    measure(20)
    await poll()
    const { content } = delivered.at(-1) ?? assert.fail()
    assert.ok(content.kind === 'series')
    assert.equal(new Set(content.series.records.map(({ time }) => time?.slice(-6))).size, 1)
  })
})

describe('a backfill that the service refuses for over a day', () => {
  it('is given up: the response is sent, marked as incomplete, with the refusal', async () => {
    const { measure, range, poll, last, clock, delivered } = await begin()
    measure(20)
    range.fails = 'device-refused'
    for (let times = 0; times < 2; times++) {
      assert.equal(await poll(), 'device-refused')
      assert.equal(delivered.length, 1, 'nothing is sent before')
      clock.advance(12 * 3_600_000)
    }
    assert.equal(await poll(), undefined)
    const { failed, ...sent } = last()
    assert.deepEqual(sent, { ids: upTo(20, 22), overflow: true, gaps: [17] })
    const cause = { serial: '5212A1B2', base: '5212A1B2', endpoint: 'data' }
    assert.deepEqual(failed, [{ reason: 'device-refused', params: {}, cause }])
    measure(1)
    await poll()
    assert.deepEqual(last(), { ids: [23], overflow: undefined, gaps: [], failed: [] })
  })
})

describe('an unreadable record of a backfill', () => {
  it('is left out and reported once', async () => {
    const { measure, poll, last } = await begin()
    measure(20, { unixtime: 'yesterday' })
    await poll()
    const { failed, ...sent } = last()
    assert.deepEqual(sent, { ids: upTo(4, 22), overflow: undefined, gaps: [1] })
    assert.equal(failed[0]?.reason, 'reply-left-out')
    assert.match(String(failed[0]?.params.part), /^data\.\d$/)
    measure(1)
    await poll()
    assert.deepEqual(last().failed, [])
  })

  it('does not hide that a whole page is unreadable', async () => {
    const { measure, poll } = await begin()
    for (let count = 0; count < 20; count++) measure(1, { unixtime: 'yesterday' })
    measure(4)
    assert.equal(await poll(), 'reply-unreadable')
  })
})
