import assert from 'node:assert/strict'
import { type Clock, nextTurn } from '../../../../src/lib/clock'
import type { RecordCursor } from '../../../../src/lib/collect/cursor'
import type { ResolvedDevice } from '../../../../src/lib/collect/devices'
import { Filling } from '../../../../src/lib/collect/fill'
import { encodeRecords } from '../../../../src/lib/collect/known-records'
import { failPage, fetchNextPage } from '../../../../src/lib/collect/next-page'
import { EnvlogError, type Reason } from '../../../../src/lib/errors'
import type { RequestContext } from '../../../../src/lib/request'
import { createVirtualClock } from '../../../support/clock'
import { createPolledDevice } from '../../../support/collect/polled-device'
import { context, graph, type Json } from '../responses'

/** Number of records in a *latest* response, and in a page. */
const [NEWEST, PAGE] = [3, 5]
const HOUR = 3_600_000
const DAY = 24 * HOUR
const upTo = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

/** A hole in which the service probably has no records. */
const EMPTY_HOLE = { from: 10_000_000, to: 11_000_000, begin: null, held: '', hashes: [], isEmpty: true }

/** A round in which these devices have been polled. */
const roundOf = (...devices: ResolvedDevice[]) => ({
  devices,
  awaited: new Set<ResolvedDevice>(),
  busy: new Set<ResolvedDevice>(),
  poll: async () => {},
})

/** The failure of a request of a device whose record quota is used up for another hour. */
function shortOfRecords(clock: Clock, reason: 'records-wait' | 'records-refused' = 'records-wait') {
  const retryAt = new Date(clock.now() + HOUR).toISOString()
  return new EnvlogError(reason, { retryAt }, { retryAt })
}

/** A device with one record per minute, of which two were delivered. */
async function begin() {
  const records: Json[] = []
  let refuse = () => {}
  const device = await createPolledDevice(
    (endpoint, { 'unixtime-from': from = 0, 'unixtime-to': to = 0 }) => {
      if (endpoint === 'data') refuse()
      if (endpoint !== 'data') return graph({ data: records.slice(-NEWEST), 'dst-flg': 1, 'dst-bias': 60 })
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
  /** @param check throws the error of a page */
  const refusePages = (check: () => void) => {
    refuse = check
  }
  return { ...device, measure, refuse: refusePages }
}

describe('a page of missing records', () => {
  it('has times with the offset of the response, because pages do not say whether it is daylight saving time', async () => {
    const { measure, poll, delivered, ids } = await begin()
    measure(20)
    await poll()
    assert.deepEqual(ids().slice(1), [upTo(20, 22), upTo(16, 19), upTo(12, 15), upTo(8, 11), upTo(4, 7), [3]])
    const times = delivered.flatMap(({ content }) =>
      content.kind === 'series' ? content.series.records.map(({ time }) => time?.slice(-6)) : [],
    )
    assert.equal(new Set(times).size, 1)
  })

  it('comes after the new records of a device whose receipt has arrived, which need no record quota', async () => {
    const { state, run, target, clock, refuse } = await begin()
    const hole = { from: 0, to: clock.now(), begin: null, held: '', hashes: [] }
    state.advance({ ...state.cursor, holes: [hole] } as never)
    refuse(() => {
      throw shortOfRecords(clock)
    })
    let polls = 0
    const awaited = new Set<typeof target>()
    const poll = async () => {
      polls++
      awaited.clear()
    }
    const round = { devices: [target], awaited, busy: new Set<typeof target>(), poll }
    const filling = new Filling(run, round, { ...context, maxWaitMs: 0 })
    await filling.complete()
    awaited.add(target)
    await filling.complete()
    assert.equal(polls, 1)
  })

  it('is fetched after every third polled device, and delays no poll', async () => {
    const { measure, state, run, target, clock, endpoints } = await begin()
    measure(20)
    const hole = { from: 0, to: clock.now(), begin: null, held: '', hashes: [] }
    state.advance({ ...state.cursor, holes: [hole] } as never)
    const others = ['A', 'B', 'C'].map((serial) => ({ serial, base: serial }))
    const round = {
      devices: [target, ...others],
      awaited: new Set<typeof target>(),
      busy: new Set<typeof target>(),
      poll: async () => {},
    }
    const filling = new Filling(run, round, context)
    const fetching: boolean[] = []
    for (const _ of others) {
      filling.polled()
      fetching.push(round.busy.has(target))
    }
    assert.deepEqual(fetching, [false, false, true])
    await filling.pause()
    const pages = endpoints.filter((endpoint) => endpoint === 'data')
    assert.deepEqual([round.busy.has(target), pages.length], [false, 1])
  })

  /** Three devices with a hole of a few pages. @param isShort the one whose record quota is used up @returns how they are filled, and the serial number of each page */
  async function threeDevices(isShort?: string) {
    const clock = createVirtualClock(0)
    const requested: string[] = []
    const record = (at: number) => ({ unixtime: at, 'data-id': at, ch1: 1 })
    const { nodeState, run } = await createPolledDevice(
      (_, { 'unixtime-to': to = 0, 'remote-serial': serial }) => {
        clock.advance(1)
        requested.push(`${serial}`)
        if (`${serial}` === isShort) throw shortOfRecords(clock)
        return graph({ serial, data: upTo(to - PAGE, to - 1).map(record) })
      },
      {},
      { clock },
    )
    const devices = ['A', 'B', 'C'].map((serial) => ({ serial, base: serial }))
    for (const { serial } of devices)
      nodeState.devices.get(`${serial}/${serial}`).advance({
        ...{ newest: [], hashes: [], held: '' },
        holes: [{ from: 990_000, to: 1_000_000, begin: null, held: '', hashes: [] }],
      } as never)
    const round = {
      devices,
      awaited: new Set<(typeof devices)[number]>(),
      busy: new Set<(typeof devices)[number]>(),
      poll: async () => {},
    }
    const start = (maxWaitMs: number | null) => new Filling(run, round, { ...context, maxWaitMs })
    return {
      clock,
      nodeState,
      round,
      start,
      fill: (maxWaitMs: number | null) => start(maxWaitMs).complete(),
      requested,
    }
  }

  it('is one of each device in turn', async () => {
    const { fill, requested } = await threeDevices()
    await fill(null)
    assert.deepEqual(requested.slice(0, 6), ['A', 'B', 'C', 'A', 'B', 'C'])
  })

  it('is left to the next trigger for a device that waits too long for record quota, and fetched of the others', async () => {
    const { fill, requested } = await threeDevices('A')
    await fill(0)
    assert.deepEqual(requested.slice(0, 7), ['A', 'B', 'C', 'B', 'C', 'B', 'C'])
  })

  it('between polls is one of another device if the record quota of a device is used up', async () => {
    const { start, requested } = await threeDevices('A')
    const filling = start(0)
    for (let polls = 0; polls < 3; polls++) filling.polled()
    for (let turns = 0; turns < 20; turns++) await nextTurn()
    await filling.pause()
    assert.deepEqual(requested, ['A', 'B'])
  })

  it('is fetched later in the round if none could be after the first devices', async () => {
    const { start, round, requested } = await threeDevices()
    const filling = start(0)
    for (const device of round.devices) round.busy.add(device)
    for (let polls = 0; polls < 3; polls++) filling.polled()
    round.busy.clear()
    for (let polls = 0; polls < 3; polls++) filling.polled()
    await filling.pause()
    assert.deepEqual(requested, ['A'])
  })

  for (const reason of ['records-wait', 'records-refused'] as const)
    it(`waits for days, without an error, while the record quota of its device is used up: ${reason}`, async () => {
      const { measure, poll, clock, endpoints, refuse, reported, lost, ids } = await begin()
      measure(20)
      const end = clock.now() + 3 * DAY
      refuse(() => {
        if (clock.now() < end) throw shortOfRecords(clock, reason)
      })
      const ended = poll()
      await clock.pass(3 * DAY + HOUR)
      assert.equal(await ended, undefined)
      assert.deepEqual([reported, lost, ids().flat().length], [[], [], 22])
      assert.ok(endpoints.filter((endpoint) => endpoint === 'data').length < 3 * 24 + 10)
    })

  it('is requested again after a minute, or after a second at the earliest, if its device has no record quota', async () => {
    for (const [retryAt, seconds] of [
      [undefined, 60],
      [-1000, 1],
    ] as const) {
      const { measure, poll, clock, refuse } = await begin()
      measure(20)
      const requests: number[] = []
      refuse(() => {
        const time = new Date(clock.now() + (retryAt ?? 0)).toISOString()
        if (requests.push(clock.now()) <= 2)
          throw new EnvlogError('records-wait', {}, retryAt === undefined ? {} : { retryAt: time })
      })
      const ended = poll()
      await clock.pass(3 * 60_000)
      await ended
      const [first = 0, second = 0, third = 0] = requests
      assert.deepEqual([second - first, third - second], [seconds * 1000, seconds * 1000])
    }
  })

  it('of the account fails between polls: the trigger fails, without another request', async () => {
    const { run, target, state, refuse, endpoints } = await begin()
    state.advance({ ...state.cursor, holes: [EMPTY_HOLE] } as never)
    refuse(() => {
      throw new EnvlogError('no-connection')
    })
    const filling = new Filling(run, roundOf(target), context)
    for (let polls = 0; polls < 3; polls++) filling.polled()
    await assert.rejects(filling.complete(), { reason: 'no-connection' })
    assert.equal(endpoints.filter((endpoint) => endpoint === 'data').length, 1)
  })

  it('is not requested while its device is refused', async () => {
    const { run, target, state, clock, endpoints } = await begin()
    state.advance({ ...state.cursor, holes: [EMPTY_HOLE] } as never)
    state.refuse(clock.monotonic(), false)
    await new Filling(run, roundOf(target), context).complete()
    assert.deepEqual(endpoints, ['latest-data'])
  })

  for (const [what, retained] of [
    ['new records, which the next trigger sends again', { content: { kind: 'alerts', alerts: [] } }],
    ['a page, which the next trigger drops', null],
  ] as const)
    it(`is not requested once the receipt of its device is overdue: of ${what}`, async () => {
      const { run, target, state, clock, endpoints } = await begin()
      const cursor = { ...state.cursor, holes: [EMPTY_HOLE] } as never
      state.advance(cursor)
      if (!retained) state.pages.begin({ from: EMPTY_HOLE.from, records: 5 })
      const issuedAt = state.issue(cursor, cursor, retained as never, clock.now())
      state.awaitReceipt(issuedAt, clock.monotonic())
      state.markSent(issuedAt)
      await new Filling(run, roundOf(target), context).complete()
      assert.deepEqual(endpoints, ['latest-data'])
    })

  it('follows a receipt, however long that takes, whatever the trigger allows requests to wait', async () => {
    const { run, target, state, nodeState, clock, endpoints } = await begin()
    const next = { ...state.cursor, holes: [EMPTY_HOLE] } as never
    const issuedAt = state.issue(next, next, null, clock.now())
    state.awaitReceipt(issuedAt, clock.monotonic() + HOUR)
    const ended = new Filling(run, roundOf(target), { ...context, maxWaitMs: 0 }).complete()
    await clock.pass(HOUR / 2)
    assert.deepEqual(endpoints, ['latest-data'])
    nodeState.acknowledge(`${target.base}/${target.serial}`, issuedAt)
    await ended
    assert.deepEqual([endpoints.at(-1), state.holes], ['data', []])
  })

  for (const [seconds, isFetched] of [
    [30, true],
    [31, false],
  ] as const)
    it(`waits for quota for as long as the trigger allows, here 30 seconds: ${seconds} seconds`, async () => {
      const { run, target, state, refuse, clock, reported, endpoints } = await begin()
      state.advance({ ...state.cursor, holes: [EMPTY_HOLE] } as never)
      // The page has waited in the queue for a second.
      const freeAt = clock.now() + (seconds + 1) * 1000
      refuse(() => {
        assert.ok(endpoints.length < 10, 'it does not wait')
        const retryAt = new Date(freeAt).toISOString()
        if (clock.now() < freeAt - 1000) throw new EnvlogError('quota-wait', { retryAt }, { retryAt })
      })
      const ended = new Filling(run, roundOf(target), { ...context, maxWaitMs: 30_000 }).complete()
      await clock.pass(40_000)
      await ended
      const pages = endpoints.filter((endpoint) => endpoint === 'data').length
      assert.deepEqual([pages > 1, reported], [isFetched, []])
    })

  it('has the quota of its endpoint: those of remote units do not wait for one of standalone devices', async () => {
    const clock = createVirtualClock(0)
    const requested: string[] = []
    const { nodeState, run } = await createPolledDevice(
      (endpoint) => {
        requested.push(endpoint)
        const retryAt = new Date(clock.now() + HOUR).toISOString()
        throw new EnvlogError('quota-wait', { retryAt }, { retryAt })
      },
      {},
      { clock },
    )
    const standalone = ['A', 'B'].map((serial) => ({ serial, base: serial }))
    const devices = [...standalone, { serial: 'C', base: 'D' }]
    for (const { serial, base } of devices)
      nodeState.devices
        .get(`${base}/${serial}`)
        .advance({ held: '', hashes: [], holes: [EMPTY_HOLE] } as never)
    await new Filling(run, roundOf(...devices), { ...context, maxWaitMs: 0 }).complete()
    assert.deepEqual(requested, ['data', 'data-relay'])
  })

  it('is waited for until the node is closed', async () => {
    const { run, target, state, clock } = await begin()
    const next = { ...state.cursor, holes: [EMPTY_HOLE] } as never
    state.awaitReceipt(state.issue(next, next, null, clock.now()), clock.monotonic() + HOUR)
    const close = new AbortController()
    let turns = 0
    // Without a wait, this would go on for ever.
    const onFill = () => assert.ok(++turns < 10, 'it does not end')
    const filling = new Filling({ ...run, onFill }, roundOf(target), { ...context, signal: close.signal })
    const ended = assert.rejects(filling.complete(), { reason: 'closed' })
    await clock.pass(1000)
    close.abort()
    await ended
  })

  it('is retried once, waits in the queue for a second at most, and does not wait for record quota', async () => {
    for (const [wait, queued] of [
      [null, 1000],
      [0, 0],
      [60_000, 1000],
    ] as const) {
      const { run, target, state } = await begin()
      state.advance({ ...state.cursor, holes: [EMPTY_HOLE] } as never)
      const contexts: unknown[] = []
      const { read } = run.account.client
      Object.assign(run.account.client, {
        read(endpoint: 'data', params: never, context: RequestContext) {
          const { maxRetries, maxRecordsWaitMs, maxWaitMs } = context
          contexts.push([endpoint, maxRetries, maxRecordsWaitMs, maxWaitMs])
          return read(endpoint, params, context)
        },
      })
      await new Filling(run, roundOf(target), { ...context, maxWaitMs: wait }).complete()
      assert.deepEqual(contexts[0], ['data', 1, 0, queued])
    }
  })

  for (const [kind, base, expected] of [
    ['a standalone device', '5212A1B2', 8000],
    ['a remote unit, of which the service keeps 1,500', '5839F001', 750],
  ] as const)
    it(`that never came has half the records that it could have had: of ${kind}`, async () => {
      const { nodeState, run } = await createPolledDevice(() => graph())
      const hole = { from: 0, to: DAY, begin: null, held: '', hashes: [] }
      const device = nodeState.devices.get(`${base}/5212A1B2`)
      device.advance({ holes: [hole] } as never)
      failPage(run, { target: { serial: '5212A1B2', base }, device, hole }, new EnvlogError('timeout-silent'))
      assert.equal(device.pages.of(hole.from).number, expected)
    })

  it('leaves out an unreadable record and reports it once', async () => {
    const { measure, poll, delivered, ids } = await begin()
    measure(20, { unixtime: 'yesterday' })
    await poll()
    assert.deepEqual(ids().at(-1), upTo(4, 7))
    measure(1)
    await poll()
    const failed = delivered.map(({ failed = [] }) => failed.map(({ error }) => error.reason))
    assert.deepEqual(failed.flat(), ['response-left-out'])
  })

  /** A device with a hole, and how its page fails. */
  async function withHole(over: object = {}, of: object = {}) {
    const device = await createPolledDevice(() => graph({ data: [{ unixtime: 500, 'data-id': 5, ch1: 1 }] }))
    const hole = { from: 0, to: 1_000_000, begin: null, held: '', hashes: [], ...over }
    device.state.advance({ held: '', hashes: [], holes: [hole], ...of } as never)
    const page = { target: device.target, device: device.state, hole }
    const fail = (reason: Reason) => failPage(device.run, page, new EnvlogError(reason))
    const fetch = () => fetchNextPage(device.run, page, context)
    return { ...device, fail, fetch }
  }

  it('fails alone if the login is refused, because other requests have just succeeded, and not without a connection', async () => {
    const { fail, reported } = await withHole()
    fail('login-refused')
    assert.throws(() => fail('no-connection'), { reason: 'no-connection' })
    assert.deepEqual(reported, ['login-refused'])
  })

  it('is not reported if its device was forgotten meanwhile', async () => {
    const { fail, reported, state } = await withHole()
    state.forget()
    fail('timeout-silent')
    state.advance({ held: '', hashes: [], holes: [EMPTY_HOLE] } as never)
    fail('timeout-silent')
    assert.deepEqual(reported, [])
  })

  it('contradicts its newer neighbour only if it has records after one that was not full', async () => {
    const { fetch, endpoints } = await withHole({ isEmpty: true })
    await assert.rejects(fetch(), { reason: 'response-lacks-record' })
    assert.equal(endpoints.length, 2)
  })

  it('is accepted with a contradiction only after two others, not after other failures', async () => {
    const { fail, fetch, delivered } = await withHole()
    for (let failures = 0; failures < 2; failures++) fail('timeout-silent')
    await assert.rejects(fetch(), { reason: 'response-lacks-record' })
    for (let failures = 0; failures < 2; failures++) fail('response-lacks-record')
    await fetch()
    assert.deepEqual(
      delivered.map(({ overflow }) => overflow),
      [true],
    )
  })

  it('is not accepted if all of its records are of another period, even if contradictions are', async () => {
    const { fail, fetch, state } = await withHole({ from: 600_000 })
    for (let failures = 0; failures < 2; failures++) fail('response-lacks-record')
    await assert.rejects(fetch(), { reason: 'response-other-period' })
    assert.equal(state.holes.length, 1)
  })

  it('that fails is reported with the time of the next attempt, unless it was the last one', async () => {
    const { clock, run, state, target } = await withHole()
    const retries: (number | undefined)[] = []
    const reporting = { ...run, reportPage: (_: unknown, __: unknown, at?: number) => void retries.push(at) }
    const [hole = EMPTY_HOLE] = state.holes
    const fail = () => failPage(reporting, { target, device: state, hole }, new EnvlogError('timeout-silent'))
    fail()
    assert.deepEqual(retries, [clock.now() + 10 * 60_000])
    for (let failure = 0; state.holes.length > 0 && failure < 10; failure++) {
      clock.advance(DAY)
      fail()
    }
    assert.equal(retries.at(-1), undefined)
  })

  it('says what no message before it could say about losses', async () => {
    const gap = { kind: 'missing', after: null, before: null, missing: 7 }
    const { delivered, fetch } = await withHole(
      { to: 500_000 },
      { unreported: { overflow: true, gaps: [gap] } },
    )
    await fetch()
    const [{ content, overflow } = {}] = delivered
    assert.deepEqual([overflow, content?.kind === 'series' && content.series.gaps], [true, [gap]])
  })

  it('that is given up adds its gap to those that no message could carry', async () => {
    const gap = { kind: 'missing', after: null, before: null, missing: 7 }
    const begin = { timestamp: 0, dataId: 1 }
    const held = encodeRecords([{ timestamp: 1_000_000, dataId: 9 }])
    const { clock, fail, state } = await withHole(
      { begin, held },
      { unreported: { overflow: false, gaps: [gap] } },
    )
    for (let failure = 0; failure < 10; failure++) {
      if (state.holes.length > 0) fail('timeout-silent')
      clock.advance(DAY)
    }
    const { unreported } = state.cursor as RecordCursor
    assert.deepEqual([unreported?.overflow, unreported?.gaps.map(({ missing }) => missing)], [true, [7, 7]])
  })
})
