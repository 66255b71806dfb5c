import assert from 'node:assert/strict'
import type { Account } from '../../../../src/lib/account'
import type { PolledData } from '../../../../src/lib/collect/fetch'
import { NodeState } from '../../../../src/lib/collect/node-state'
import { pollAlerts, pollRecords } from '../../../../src/lib/collect/poll'
import { readReceipt } from '../../../../src/lib/collect/signed-receipt'
import { readEnvelope } from '../../../../src/lib/decode/envelopes'
import type { EndpointName } from '../../../../src/lib/endpoints'
import { createVirtualClock } from '../../../support/clock'
import { createRecordingStore } from '../../../support/collect/recording-store'
import { alertAnswer, graph, patient } from '../answers'

const MINUTE = 60_000
const TIMEOUT = 10 * MINUTE
const target = { serial: '5212A1B2', base: '5212A1B2' }
const KEY = '5212A1B2/5212A1B2'
const options = {
  time: 'utc',
  node: 'node',
  backfill: true,
  start: 'all',
  receipts: { timeoutMs: TIMEOUT },
} as const

/** A device that records every minute, a node that polls every minute, and a database with an outage. */
async function begin(others = 0) {
  const clock = createVirtualClock(0)
  let newest = 0
  const nodeState: NodeState = new NodeState(clock, () => others + nodeState.retainedCount)
  nodeState.open(createRecordingStore(), { receiptTimeoutMs: TIMEOUT })
  await nodeState.ready()
  const endpoints: string[] = []
  const delivered: PolledData[] = []
  const start = Math.floor(clock.now() / 1000)
  const unixtimeOf = (id: number) => start + id * 60
  const record = (id: number) => ({ unixtime: unixtimeOf(id), 'data-id': id, ch1: id })
  const between = (from: number, to: number) =>
    Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => record(from + index))

  async function read(endpoint: EndpointName, params: Record<string, number>) {
    endpoints.push(endpoint)
    const { 'unixtime-from': from = 0, 'unixtime-to': to = 0, number = 0 } = params
    const idAfter = (unixtime: number) => Math.floor((unixtime - start) / 60) + 1
    const last = Math.min(newest, Math.ceil((to - start) / 60) - 1)
    const data = {
      'latest-data': () => between(Math.max(1, newest - 299), newest),
      data: () => between(Math.max(1, idAfter(from), last - number + 1), last),
    }[endpoint as 'data']
    const answer =
      endpoint === 'alert'
        ? alertAnswer({ 'alert-logs': [{ unixtime: String(unixtimeOf(0)), ch1: 'hot' }] })
        : graph({ data: data() })
    return {
      endpoint,
      receivedAt: clock.now(),
      quota: {},
      number,
      body: readEnvelope(endpoint, JSON.stringify(answer)),
    }
  }
  const account = { monotonic: () => clock.monotonic(), client: { read } } as unknown as Account
  const ports = { nodeState, deliver: async (news: PolledData) => void delivered.push(news) }

  return {
    endpoints,
    delivered,
    measure(count: number) {
      newest += count
      clock.advance(count * MINUTE)
    },
    async poll(
      what: 'latest' | 'alerts' = 'latest',
      receipts: typeof options.receipts | null = options.receipts,
    ) {
      if (nodeState.device(KEY).isAwaitingReceipt(clock.monotonic())) return
      const pollOptions = { ...options, receipts }
      if (what === 'alerts')
        await pollAlerts(account, target, { ...pollOptions, start: 'all' }, ports, patient)
      else await pollRecords(account, target, pollOptions, ports, patient)
    },
    acknowledge: (index: number) =>
      nodeState
        .device(KEY)
        .acknowledge(readReceipt(delivered.at(index)?.receipt, nodeState.receiptKey).cursor),
  }
}

const ids = (news: PolledData | undefined) =>
  news?.content.kind === 'series' ? news.content.series.records.map(({ dataId }) => dataId) : []
const upTo = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

describe('a database that is down for hours', () => {
  it('costs one request for alerts: they are sent again unchanged, with new receipts', async () => {
    const { poll, endpoints, delivered, measure } = await begin()
    for (let minute = 0; minute < 180; minute++) {
      await poll('alerts')
      measure(1)
    }
    assert.deepEqual([endpoints.length, delivered.length], [1, 18])
    const contents = delivered.map(({ content }) => content)
    assert.deepEqual(new Set(contents.map((content) => JSON.stringify(content))).size, 1)
    assert.equal(new Set(delivered.map(({ receipt }) => receipt)).size, 18)
  })

  it('costs no request for a fetched backfill of 30,000 records, even if nothing was ever stored', async () => {
    for (const known of [true, false]) {
      const { poll, endpoints, delivered, measure } = await begin()
      measure(10)
      if (known) await poll('latest', null)
      measure(30_000)
      endpoints.length = 0
      delivered.length = 0
      for (let minute = 0; minute < 60; minute++) {
        await poll()
        measure(1)
      }
      assert.deepEqual(endpoints, known ? ['latest-data', 'data', 'data'] : ['latest-data'])
      assert.equal(delivered.length, 6)
      for (const news of delivered)
        assert.deepEqual(ids(news), known ? upTo(11, 30_010) : upTo(29_711, 30_010))
    }
  })

  it('repeats the data unchanged, even if receivers modified the messages', async () => {
    const { poll, delivered, measure } = await begin()
    measure(10)
    for (let minute = 0; minute < 25; minute++) {
      await poll()
      measure(1)
      const { content } = delivered.at(-1) as PolledData
      if (content.kind !== 'series') continue
      for (const record of content.series.records) record.ch1 = -999
      content.series.channels.length = 0
      content.series.records.length = 0
    }
    await poll()
    measure(10)
    await poll()
    assert.deepEqual(ids(delivered.at(-1)), upTo(1, 10))
    const { content } = delivered.at(-1) as PolledData
    assert.ok(content.kind === 'series' && content.series.channels.length > 0)
    assert.ok(content.series.records.every(({ ch1 }) => ch1 !== -999))
  })

  it('does not retain more than the bound: the rest is requested again', async () => {
    const { poll, endpoints, measure } = await begin(90_000)
    measure(10)
    await poll('latest', null)
    measure(10_001)
    await poll()
    endpoints.length = 0
    measure(10)
    await poll()
    assert.equal(endpoints[0], 'latest-data')
  })
})
