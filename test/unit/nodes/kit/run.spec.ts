import assert from 'node:assert/strict'
import { NodeState } from '../../../../src/lib/collect/node-state'
import { EnvlogError } from '../../../../src/lib/errors'
import { TriggerRun } from '../../../../src/nodes/kit/action/trigger-run'
import { Problems } from '../../../../src/nodes/kit/report/device-problems'
import type { Failure } from '../../../../src/nodes/kit/report/localize'
import { TimeZone } from '../../../../src/shared/local-clock'
import { createVirtualClock } from '../../../support/clock'
import { createRecordingStore } from '../../../support/collect/recording-store'
import { context, failure, NO_LIST } from '../../lib/responses'

const BASE = '5839F001'
/** Changes are written after this time. */
const WRITE_MS = 30_000
const DAY = 86_400_000
const devices = ['A', 'B', 'C', 'D'].map((one) => ({ serial: `${one}0000001`, base: BASE }))
const [first] = devices.map(({ serial }) => serial)

/** One node, in a process with this store. */
async function start(
  over: object = {},
  clock = createVirtualClock(0),
  store = createRecordingStore(),
  type = 'envlog-latest',
) {
  const nodeState = new NodeState(clock)
  nodeState.open(store)
  await nodeState.ready()
  /** The account's list of devices: it is known once it has been requested. */
  const listed: typeof devices = []
  const list = {
    async all() {
      listed.push(...devices)
      return devices
    },
    async filter(matches: (device: (typeof devices)[number]) => boolean) {
      return (listed.length > 0 ? listed : await list.all()).filter(matches)
    },
    async find(serial: string, base: string) {
      return (await list.filter((one) => one.serial === serial && one.base === base))[0]
    },
    has: (serial: string, base: string) =>
      listed.length === 0 ? undefined : listed.some((one) => one.serial === serial && one.base === base),
    async requestNames() {},
    ...NO_LIST,
  }
  const util = { cloneMessage: (msg: object) => ({ ...msg }), generateId: () => 'id' }
  const ports = { monotonic: () => clock.monotonic(), now: () => clock.now(), devices: list, quota: {} }
  const deployed = {
    RED: { _: (key: string) => key, util },
    node: {
      ...{ id: 'node', type },
      error: (failure: Failure) => reports.push(failure),
      warn: (text: string) => warnings.push(text),
    },
    account: { ...ports, name: 'Plant A', temperatureUnit: null, concurrency: 1 },
    settings: { select: 'all', exclude: [], output: 'readings', topic: '', wait: null, time: 'utc', ...over },
    ...{
      nodeState,
      signal: context.signal as AbortSignal,
      problems: new Problems(),
      setStatus() {},
    },
  }
  /** The errors that Catch nodes receive. */
  const reports: Failure[] = []
  const warnings: string[] = []
  const trigger = { msg: {}, send: () => {}, isOwn: false }
  const run = () => new TriggerRun(deployed as never, trigger, context.signal)
  async function round(work: (serial: string) => void) {
    const one = run()
    await one.forEachDevice(async ({ serial }) => work(serial))
    return one
  }
  return { clock, deployed, listed, nodeState, reports, round, run, trigger, warnings }
}

describe('a trigger', () => {
  it('waits for quota for the seconds of the setting, or for as long as it takes', async () => {
    const waitOf = async (wait: number | null) => (await start({ wait })).run().requestContext.maxWaitMs
    assert.deepEqual([await waitOf(90), await waitOf(0), await waitOf(null)], [90_000, 0, null])
  })

  it('takes a response of the last ten seconds only if the node triggers itself, and never its own again', async () => {
    const { clock, nodeState, run, trigger } = await start()
    const ages: (number | undefined)[] = []
    nodeState.respondedAt = clock.monotonic()
    for (const seconds of [3, 60]) {
      clock.advance(seconds * 1000)
      for (const isOwn of [true, false]) {
        trigger.isOwn = isOwn
        ages.push(run().requestContext.maxAgeMs)
      }
    }
    assert.deepEqual(ages, [3000, undefined, 10_000, undefined])
  })
})

describe('a round over devices', () => {
  it('that ended because quota was used up, or the node was closed, continues with the next device, even after a crash', async () => {
    const clock = createVirtualClock(0)
    const store = createRecordingStore()
    const requested: string[] = []
    for (const reason of ['quota-wait', 'closed', 'quota-wait'] as const) {
      const { round } = await start({}, clock, store)
      let left = 1
      const request = (serial: string) => {
        if (left-- === 0) throw new EnvlogError(reason)
        requested.push(serial)
      }
      await assert.rejects(round(request), failure(reason))
      await clock.pass(WRITE_MS)
    }
    assert.deepEqual(
      requested,
      devices.slice(0, 3).map(({ serial }) => serial),
    )
  })

  it('remembers which devices failed ambiguously: if they fail again while another succeeds, they are the cause', async () => {
    const { round } = await start()
    const request = (serial: string) => {
      if (serial !== first) throw new EnvlogError('timeout-silent')
    }
    await assert.rejects(round(request), failure('timeout-silent'))
    assert.equal((await round(request)).deliveredCount, 0)
  })

  it('in which all are refused except one that awaits its receipt concerns the refused devices', async () => {
    const { clock, nodeState, round } = await start()
    const requested: string[] = []
    const request = (serial: string) => {
      requested.push(serial)
      if (serial !== first) throw new EnvlogError('device-refused', {}, { status: 400, serial, base: BASE })
      const next = { seen: [] }
      const device = nodeState.devices.get(`${BASE}/${serial}`)
      const issuedAt = device.issue(next, next, null, clock.now())
      device.awaitReceipt(issuedAt, clock.monotonic() + 86_400_000)
    }
    await round(request)
    clock.advance(600_000)
    await round(request)
    assert.equal(requested.length, 7)
    // The pause of the refused devices has doubled.
    clock.advance(600_000)
    assert.equal((await round(request)).refusedCount, 3)
    assert.equal(requested.length, 7)
  })

  it('in which all are refused, and at least three, concerns the account', async () => {
    for (const [count, fails] of [
      [2, false],
      [3, true],
    ] as const) {
      const chosen = { select: 'list', devices: devices.slice(0, count), bases: [] }
      const { round } = await start(chosen)
      const ended = round((serial) => {
        throw new EnvlogError('device-refused', {}, { status: 400, serial, base: BASE })
      })
      if (fails) await assert.rejects(ended, failure('service-refused'))
      else assert.equal((await ended).refusedCount, count)
    }
  })

  it('in which all are refused reports each of them only for a message', async () => {
    const { reports, round, trigger } = await start()
    const refuse = (serial: string) => {
      throw new EnvlogError('device-refused', {}, { status: 400, serial, base: BASE })
    }
    const counts: number[] = []
    for (const isOwn of [true, false]) {
      trigger.isOwn = isOwn
      await assert.rejects(round(refuse), failure('service-refused'))
      counts.push(reports.splice(0).length)
    }
    assert.deepEqual(counts, [0, devices.length])
  })

  it('reports a refused device for each message, and once if the node triggers itself, and completes', async () => {
    for (const isOwn of [false, true]) {
      const chosen = { select: 'list', devices: [{ serial: first, base: BASE }], bases: [] }
      const { clock, reports, round, trigger } = await start(chosen)
      trigger.isOwn = isOwn
      const begin = clock.now()
      let requests = 0
      const request = (serial: string) => {
        requests++
        throw new EnvlogError('device-refused', {}, { status: 400, serial, base: BASE })
      }
      const minutes: number[] = []
      for (let minute = 0; minute < 12; minute += 4) {
        assert.equal((await round(request)).refusedCount, 1)
        const retries = reports.splice(0).map(({ cause }) => Date.parse(cause?.retryAt ?? ''))
        minutes.push(...retries.map((at) => (at - begin) / 60_000))
        clock.advance(4 * 60_000)
      }
      assert.deepEqual([requests, minutes], [1, isOwn ? [10] : [10, 10, 10]])
      await round(request)
      assert.deepEqual([requests, reports.length], [2, isOwn ? 0 : 1])
    }
  })

  it('says between which times records are lost, by the clock of the account', async () => {
    const { deployed, run, warnings } = await start()
    const translate = (key: string, params: object) => [key, ...Object.values(params)].join(' ')
    Object.assign(deployed.RED, { _: translate })
    Object.assign(deployed.account, { localTime: new TimeZone('Asia/Tokyo') })
    const [from, to] = [Date.UTC(2026, 10, 19, 23), Date.UTC(2026, 10, 20)]
    run().reportLoss({ serial: String(first), base: BASE }, { from, to })
    const [, bounds] = warnings[0]?.split('records-lost-between ') ?? []
    assert.equal(bounds, '2026-11-20 08:00 2026-11-20 09:00')
  })

  for (const [type, key, times] of [
    ['envlog-latest', 'warnings.records-lost', 2],
    ['envlog-range', 'warnings.records-lost', 1],
    ['envlog-alerts', 'warnings.alerts-lost', 2],
  ] as const)
    it(`warns of each loss, but of the same period once: ${type}`, async () => {
      const { run, warnings } = await start({}, undefined, undefined, type)
      for (let loss = 0; loss < 2; loss++) run().reportLoss({ serial: String(first), base: BASE })
      assert.equal(warnings.length, times)
      for (const warning of warnings) assert.ok(warning.endsWith(key), warning)
    })

  it('warns once, at the fourth resend, of a device whose receipts do not come', async () => {
    const { nodeState, round, warnings } = await start({
      ...{ select: 'list', devices: [{ serial: first, base: BASE }], bases: [] },
    })
    const device = nodeState.devices.get(`${BASE}/${first}`)
    const counts: number[] = []
    for (let send = 0; send < 7; send++) {
      await round(() => {
        const cursor = { seen: [] }
        device.markSent(device.issue(cursor, cursor, null, send))
      })
      counts.push(warnings.length)
    }
    assert.deepEqual(counts, [0, 0, 0, 0, 1, 1, 1])
  })

  it('does not poll a device of which a page has been sent in the meantime, and whose receipt it awaits', async () => {
    const { clock, nodeState, run } = await start()
    const requested: string[] = []
    const one = run()
    await one.forEachDevice(
      async ({ serial }) => {
        requested.push(serial)
        const last = nodeState.devices.get(`${BASE}/${devices.at(-1)?.serial}`)
        const cursor = { seen: [] }
        if (serial === first) last.awaitReceipt(last.issue(cursor, cursor, null, 5), clock.monotonic() + DAY)
      },
      { fills: true },
    )
    assert.deepEqual([requested, one.awaitedCount], [devices.slice(0, -1).map(({ serial }) => serial), 1])
  })

  it('reports unreadable parts for each message, and once if the node triggers itself', async () => {
    const device = { serial: String(first), base: BASE }
    const { reports, run, trigger } = await start()
    const report = () => run().report({ device, error: new EnvlogError('response-left-out') })
    for (let times = 0; times < 2; times++) report()
    trigger.isOwn = true
    for (let times = 0; times < 2; times++) report()
    assert.equal(reports.length, 3)
  })

  it('reports a device that is not in the account for each message, and once if the node triggers itself', async () => {
    const gone = { serial: 'X0000001' }
    const chosen = { select: 'list', devices: [gone, devices[0]], bases: [] }
    const { listed, reports, round, trigger } = await start(chosen)
    const problems: number[] = []
    const go = async (isOwn: boolean) => {
      trigger.isOwn = isOwn
      problems.push((await round(() => {})).problems.unknown)
      return reports.splice(0).length
    }
    assert.deepEqual([await go(false), await go(false), await go(true), await go(true)], [1, 1, 0, 0])
    assert.deepEqual(problems, [1, 1, 1, 1])
    listed.push({ ...gone, base: BASE })
    assert.equal(await go(true), 0)
    listed.splice(
      listed.findIndex(({ serial }) => serial === gone.serial),
      1,
    )
    assert.deepEqual([await go(true), await go(true), problems.slice(4)], [1, 0, [0, 1, 1]])
  })

  it('asks devices without alerts only once a day', async () => {
    const { clock, round } = await start({}, createVirtualClock(0), createRecordingStore(), 'envlog-alerts')
    const requested: string[] = []
    const request = (serial: string) => {
      requested.push(serial)
      if (serial !== first) throw new EnvlogError('device-refused', {}, { status: 400, serial, base: BASE })
    }
    await round(request)
    clock.advance(DAY - 1)
    assert.equal((await round(request)).refusedCount, 3)
    clock.advance(1)
    await round(request)
    assert.equal(requested.length, 4 + 1 + 4)
  })

  for (const reason of ['records-wait', 'records-refused'] as const)
    it(`puts a device without record quota at the end, where it waits, so that the others do not wait for it: ${reason}`, async () => {
      const { run, reports } = await start()
      const requested: string[] = []
      await run().forEachDevice(async ({ serial }, { maxRecordsWaitMs = null }) => {
        if (serial === first && maxRecordsWaitMs !== null) throw new EnvlogError(reason)
        requested.push(serial)
      })
      assert.deepEqual(requested, [...devices.slice(1).map(({ serial }) => serial), first])
      assert.deepEqual(reports, [])
    })

  it('completes although the account lacks a device, if another one awaits its receipt', async () => {
    const chosen = {
      select: 'list',
      devices: [{ serial: first, base: BASE }, { serial: 'X0000001' }],
      bases: [],
    }
    const { nodeState, round } = await start(chosen)
    const state = nodeState.devices.get(`${BASE}/${first}`)
    const cursor = { seen: [] }
    state.awaitReceipt(state.issue(cursor, cursor, null, 5), 1_000_000)
    const { deliveredCount } = await round(() => assert.fail('it was requested'))
    assert.equal(deliveredCount, undefined, 'nothing was due')
  })

  it('asks whether a chosen device has moved before it starts over, and only then', async () => {
    const chosen = { select: 'list', devices: [{ serial: first, base: BASE }], bases: [] }
    // Alerts as readings need the list for nothing else.
    const { listed, nodeState, round } = await start(chosen, undefined, undefined, 'envlog-alerts')
    const cursor = { seen: ['a text'] }
    nodeState.devices.get(`5839F002/${first}`).advance(cursor)
    await round(() => {})
    assert.deepEqual(nodeState.devices.get(`${BASE}/${first}`).cursor, cursor)
    assert.equal(listed.length, devices.length)
    await round(() => {})
    assert.equal(listed.length, devices.length)
  })
})

const series = {
  ...{ serial: first, name: 'Freezer', model: 'M-503', base: { serial: first, name: '', model: '' } },
  ...{ standalone: true, utcOffset: 0, gaps: [] },
  channels: [{ key: 'ch1', number: 1, name: 'Inside', unit: '°C', quantity: null }],
  records: Array.from({ length: 9000 }, (_, index) => ({
    ...{ time: '2026-11-20T08:00:00.000Z', timestamp: 1_795_161_600_000 + index, dataId: index },
    ch1: index,
  })),
}

describe('what a trigger delivers', () => {
  it('is counted, from 0 if there is nothing to send', async () => {
    const { run } = await start()
    const one = run()
    const response = { endpoint: 'data', receivedAt: 0, quota: {} } as never
    const content = (count: number) =>
      ({ kind: 'series', series: { ...series, records: series.records.slice(0, count) } }) as never
    const counts = [one.deliveredCount]
    for (const count of [0, 2, 3]) {
      await one.deliver({ response, content: content(count), group: null }, count === 0)
      counts.push(one.deliveredCount)
    }
    assert.deepEqual([counts, one.progress.filled], [[undefined, 0, 2, 5], 0])
    await one.deliver({ response, content: content(4), group: null, backfill: true })
    assert.deepEqual([one.deliveredCount, one.progress.filled], [9, 4], 'those that were missing, too')
  })
})

describe('a trigger of a node that is closed while its messages are created', () => {
  for (const send of ['device', 'each']) {
    it(`sends nothing after that, and fails: ${send}`, async () => {
      const abort = new AbortController()
      const { deployed, run, trigger } = await start({ output: 'rows', send })
      deployed.signal = abort.signal
      let sentAfterClose = 0
      trigger.send = () => {
        if (abort.signal.aborted) sentAfterClose++
      }
      const response = { endpoint: 'data', receivedAt: 0, quota: {} } as never
      const delivered = run().deliver({ response, content: { kind: 'series', series } as never, group: null })
      setImmediate(() => abort.abort())
      await assert.rejects(delivered, failure('closed'))
      assert.equal(sentAfterClose, 0)
    })
  }
})
