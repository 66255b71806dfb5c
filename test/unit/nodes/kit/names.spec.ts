import assert from 'node:assert/strict'
import type { NodeAPI, NodeMessage } from 'node-red'
import { createAccount } from '../../../../src/lib/account'
import type { HttpRequest } from '../../../../src/lib/api/transport'
import { nextTurn, sleep } from '../../../../src/lib/clock'
import { NodeState } from '../../../../src/lib/collect/node-state'
import { Registry } from '../../../../src/lib/registry'
import alerts from '../../../../src/nodes/alerts/alerts'
import { findAction } from '../../../../src/nodes/kit/action/register-action'
import { TriggerRun } from '../../../../src/nodes/kit/action/trigger-run'
import { Problems } from '../../../../src/nodes/kit/report/device-problems'
import { readActionSettings } from '../../../../src/nodes/kit/settings/read-settings'
import latest from '../../../../src/nodes/latest/latest'
import range from '../../../../src/nodes/range/range'
import type { ActionType } from '../../../../src/shared/action'
import type { LimitsTable } from '../../../../src/shared/service-limits'
import { createVirtualClock } from '../../../support/clock'
import { createRecordingStore } from '../../../support/collect/recording-store'
import { fakeTransport, json, refusal, type Script, silence, text } from '../../../support/fake-transport'
import { PLENTY, settings } from '../../lib/api/setup'
import { alertResponse, BASE, context, currentDevice, never, relayGraph } from '../../lib/responses'

const SECOND = 1000
const MINUTE = 60 * SECOND
const SERIALS = ['5212A1B2', '5212A1B3', '5212A1B4']
const GROUP = 'Cold chain'

const RED = {
  nodes: { registerType() {} },
  util: { cloneMessage: (msg: object) => ({ ...msg }), generateId: () => 'id' },
  _: (key: string) => key,
} as unknown as NodeAPI
for (const register of [latest, range, alerts]) register(RED)

/** A service that has one record, and one alert, of this time. @param id number of the record */
function respond({ url, body: request }: HttpRequest, at: number, id: number) {
  const device = { 'remote-serial': JSON.parse(request)['remote-serial'] }
  const data = [{ unixtime: at, 'data-id': id, ch1: '-18.4' }]
  const logs = [{ unixtime: at, ch1: 'Inside: upper limit exceeded' }]
  const body = url.endsWith('alert')
    ? alertResponse({ ...device, 'alert-logs': logs })
    : relayGraph({ ...device, data })
  return json(body, 200, { 'x-ratelimit-remaining-datacount': '100000' })
}

/** What the service does with a request for the list of devices. */
const failures = {
  'status 400': () => refusal(400),
  'status 403': () => refusal(403),
  'status 404': () => refusal(404),
  'status 429': () => refusal(429),
  'status 500': () => refusal(500),
  'a page': () => text('<html>'),
  'unreadable devices': () => json({ devices: ['none'] }),
  'no response': () => silence(),
} satisfies Record<string, Script>
const list: Script = () => json({ devices: SERIALS.map((serial) => currentDevice({ serial })) })

const nodes = {
  'envlog-latest': { output: 'readings' },
  'envlog-range': {
    ...{ output: 'points', from: '2026-11-20T00:00:00Z', fromType: 'date' },
    ...{ to: '2026-11-21T00:00:00Z', toType: 'date' },
  },
  'envlog-alerts': { output: 'points', onlyNew: false },
} as const

/** Several turns of the event loop, because messages are created in turns. */
async function severalTurns() {
  for (let turn = 0; turn < 5; turn++) await nextTurn()
}
const createClock = () => createVirtualClock(undefined, undefined, severalTurns)

/** A node with chosen devices, by default one, after a start. @param listing may take a time, on this clock */
async function start(
  type: keyof typeof nodes,
  listing: Script,
  over: object = {},
  {
    clock = createClock(),
    concurrency = 1,
    signal = never,
    ofDevices = 1,
    current = PLENTY.current,
    recordsMs = 0,
  } = {},
) {
  const service = { listing }
  const requested: string[] = []
  let records = 0
  const transport = fakeTransport(async (request, index) => {
    const endpoint = request.url.split('/').at(-1) ?? ''
    requested.push(endpoint)
    if (endpoint === 'current') return service.listing(request, index)
    if (recordsMs > 0) await sleep(clock, recordsMs, never)
    return respond(request, Math.floor(clock.now() / SECOND) - 1, ++records)
  })
  const ports = { transport, clock, random: () => 0.5, registry: new Registry(clock) }
  const { alert } = PLENTY
  const plant = {
    ...settings,
    concurrency,
    name: 'Plant A',
    series1Models: [],
    limits: { alert, current } as LimitsTable,
  }
  const account = createAccount(plant, ports)
  const nodeState = new NodeState(clock)
  nodeState.open(createRecordingStore())
  await nodeState.ready()
  const devices = SERIALS.slice(0, ofDevices).map((serial) => ({ serial, base: BASE.serial }))
  const reports: unknown[] = []
  const sent: NodeMessage[] = []
  const deployed = {
    ...{ RED, account, nodeState, signal, problems: new Problems(), setStatus() {} },
    node: { id: 'node', type, error: (error: unknown) => reports.push(error), warn() {} },
    settings: readActionSettings(type as ActionType, { select: 'list', devices, ...nodes[type], ...over }),
  }
  /** One trigger, in this time. @returns whether it completed */
  async function trigger(ms = 0) {
    const run = new TriggerRun(
      deployed as never,
      { msg: {} as NodeMessage, send: (msg) => void sent.push(msg) },
      never,
    )
    const result = { state: 'waits' }
    const ended = (state: string) => void Object.assign(result, { state })
    findAction(type)
      ?.run(run as never)
      .then(
        () => ended('done'),
        (error) => ended(error.reason ?? String(error)),
      )
    await clock.pass(ms)
    return result.state
  }
  return { account, clock, devices, service, requested, reports, sent, trigger }
}

/** A service whose list takes this time. */
function listAfter(ms: number) {
  const clock = createClock()
  const listing: Script = async (request, index) => {
    await sleep(clock, ms, never)
    return list(request, index)
  }
  return { clock, listing }
}

/** The groups in the messages; blank for none. */
const groupsIn = (sent: NodeMessage[]) =>
  sent.splice(0).map(({ payload }) => {
    const [point] = [payload].flat() as { tags?: { group?: string }; group?: { name: string } | null }[]
    return point?.tags?.group ?? point?.group?.name ?? ''
  })

describe('the list of devices that is needed only for names', () => {
  for (const type of Object.keys(nodes) as (keyof typeof nodes)[])
    for (const [name, listing] of Object.entries(failures))
      it(`does not fail a trigger, and delays it by at most five seconds if there is no response: ${type}, ${name}`, async () => {
        const { clock, service, requested, reports, sent, trigger } = await start(type, listing)
        const longest = name === 'no response' ? 5 * SECOND : 0
        for (let minute = 0; minute < 10; minute++) {
          assert.equal(await trigger(longest), 'done', `minute ${minute}`)
          await clock.pass(MINUTE)
        }
        assert.deepEqual(groupsIn(sent), Array(10).fill(''))
        assert.deepEqual(reports, [])
        const requests = requested.splice(0).filter((endpoint) => endpoint === 'current').length
        assert.ok(requests >= 3 && requests <= 10, `${requests} requests for the list`)
        service.listing = list
        // After a refusal because of the limit, the endpoint is closed for a while.
        await trigger(3 * MINUTE)
        await trigger(3 * MINUTE)
        await trigger()
        assert.deepEqual([groupsIn(sent).at(-1), reports], [GROUP, []])
      })

  for (const type of Object.keys(nodes) as (keyof typeof nodes)[])
    it(`is requested beside the first data, which waits for its group, and then used for ten minutes: ${type}`, async () => {
      const { clock, listing } = listAfter(4.9 * SECOND)
      const { requested, sent, trigger } = await start(type, listing, {}, { clock })
      await trigger(4.8 * SECOND)
      assert.deepEqual([sent.length, requested.splice(0).slice(1)], [0, ['current']])
      await clock.pass(0.1 * SECOND)
      assert.deepEqual(groupsIn(sent), [GROUP])
      for (let minute = 0; minute < 10; minute++) assert.equal(await trigger(MINUTE), 'done')
      assert.deepEqual(groupsIn(sent), Array(10).fill(GROUP))
      assert.equal(requested.includes('current'), false)
      // An old list is used until the next one arrives.
      assert.equal(await trigger(), 'done')
      assert.deepEqual([groupsIn(sent), requested.includes('current')], [[GROUP], true])
    })

  it('is awaited for five seconds since its request, and used once it has arrived', async () => {
    const { clock, listing } = listAfter(8 * SECOND)
    const { sent, trigger } = await start('envlog-latest', listing, {}, { clock, concurrency: 2 })
    await trigger(4.9 * SECOND)
    assert.equal(sent.length, 0)
    await clock.pass(0.1 * SECOND)
    assert.equal(await trigger(), 'done')
    assert.deepEqual(groupsIn(sent), ['', ''])
    await clock.pass(3 * SECOND)
    assert.equal(await trigger(), 'done')
    assert.deepEqual(groupsIn(sent), [GROUP])
  })

  for (const [concurrency, ...counts] of [
    [1, 1, 2, 0, 1],
    [2, 2, 4, 0, 2],
  ] as const)
    it(`is requested with the first record if a connection is left, and the next ones do not wait for it: ${concurrency} at a time`, async () => {
      const { clock, listing } = listAfter(SECOND)
      const { requested, sent, trigger } = await start(
        'envlog-latest',
        listing,
        {},
        { clock, concurrency, ofDevices: 3, recordsMs: 0.4 * SECOND },
      )
      await trigger()
      const atFirst = requested.length
      await clock.pass(0.9 * SECOND)
      const found = [atFirst, requested.length, sent.length]
      await clock.pass(concurrency === 1 ? 0.5 * SECOND : 0.1 * SECOND)
      assert.deepEqual([...found, sent.length], counts)
      assert.equal(requested[1], 'current')
      await clock.pass(SECOND)
      assert.deepEqual(groupsIn(sent), Array(3).fill(GROUP))
    })

  it('is not awaited while it waits for quota', async () => {
    const current = { limit: 1, window: 3600 }
    const { clock, requested, sent, trigger } = await start(
      'envlog-latest',
      () => refusal(500),
      {},
      { current },
    )
    await trigger(2 * MINUTE)
    await trigger()
    assert.deepEqual([groupsIn(sent), requested.filter((one) => one === 'current').length], [['', ''], 1])
    assert.equal(clock.now(), createClock().now() + 2 * MINUTE)
  })

  it('is not awaited if messages do not need it, although another node has requested it', async () => {
    const { account, devices, requested, sent, trigger } = await start(
      'envlog-latest',
      silence,
      { output: 'raw' },
      { concurrency: 2 },
    )
    account.devices.requestNames(devices, context)
    assert.equal(await trigger(), 'done')
    assert.deepEqual([sent.length, requested.toSorted()], [1, ['current', 'latest-data-relay']])
  })

  it('is not awaited by a node that is closed, and nothing is sent', async () => {
    const close = new AbortController()
    const { clock, sent, trigger } = await start('envlog-latest', silence, {}, { signal: close.signal })
    const ended = trigger(SECOND)
    clock.after(0.5 * SECOND, () => close.abort())
    assert.deepEqual([await ended, sent.length], ['closed', 0])
  })

  it('gives a device the group that it has under its base unit, not that of its namesake under another', async () => {
    const namesake = currentDevice({
      baseunit: { ...BASE, serial: 'OTHER001' },
      group: { num: 2, name: 'Another group' },
    })
    const { sent, trigger } = await start('envlog-latest', () =>
      json({ devices: [namesake, currentDevice()] }),
    )
    await trigger()
    assert.deepEqual(groupsIn(sent), [GROUP])
  })

  it('is requested again at most once a minute for a device that it does not have', async () => {
    const { clock, requested, sent, reports, trigger } = await start('envlog-latest', () =>
      json({ devices: [currentDevice({ serial: 'OTHER001' })] }),
    )
    for (let count = 0; count < 13; count++) {
      assert.equal(await trigger(), 'done')
      await clock.pass(10 * SECOND)
    }
    assert.equal(requested.filter((endpoint) => endpoint === 'current').length, 3)
    assert.deepEqual([groupsIn(sent), reports], [Array(13).fill(''), []])
  })

  for (const [isNeeded, type, over] of [
    [true, 'envlog-latest', {}],
    [false, 'envlog-latest', { output: 'raw' }],
    [true, 'envlog-latest', { output: 'csv' }],
    [true, 'envlog-alerts', {}],
    // Other messages with alerts have no property for a group.
    [false, 'envlog-alerts', { output: 'readings' }],
    [false, 'envlog-alerts', { output: 'rows' }],
  ] as const)
    it(`is ${isNeeded ? 'requested' : 'not requested, unless the topic contains a group'}: ${type} ${JSON.stringify(over)}`, async () => {
      for (const [topic, needed] of [
        ['{serial}', isNeeded],
        ['{group}/{serial}', true],
      ] as const) {
        const { requested, trigger } = await start(type, list, { ...over, topic })
        await trigger()
        assert.equal(requested.includes('current'), needed)
      }
    })
})
