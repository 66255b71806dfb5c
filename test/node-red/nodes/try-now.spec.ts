import assert from 'node:assert/strict'
import helper from 'node-red-node-test-helper'
import { type DeviceDefinition, manualClock } from '../../../simulator'
import { NOW } from '../../support/devices'
import { startFlow, useSimulator } from '../../support/flow'
import type { Message } from '../../support/flow-types'

const variable = (name: string) => `\${${name}}`

/** A standalone device with more records than one page. */
const logger: DeviceDefinition = {
  serial: '52A1000F',
  name: 'Logger',
  kind: 'standalone-1',
  channels: [{ num: 1, unit: 'C' }],
  records: { interval: 60 },
}

describe('*Try now*', () => {
  const simulator = useSimulator(() => ({ clock: manualClock(NOW) }))
  const freezer = () => {
    const [device] = simulator().truth.devices()
    assert.ok(device)
    return { serial: device.serial, base: device.base }
  }
  const one = () => ({ select: 'list', devices: [freezer()] })

  /** Tries a node of the deployed account, or of the given one. */
  async function tryNode(
    type: string,
    node: Message = {},
    over: Message = {},
  ): Promise<{ status: number; body: Message }> {
    const stored = { apiKey: '__PWRD__', loginId: '__PWRD__', loginPass: '__PWRD__' }
    const { credentials = {}, ...settings } = over
    const account = {
      ...{ id: 'account', name: 'Plant A', baseUrl: simulator().url, relaySuffix: 'relay', ...settings },
      credentials: { ...stored, ...credentials },
    }
    const form = { id: 'new', z: 'tab', type: `envlog-${type}`, account: 'account', ...node }
    const { status, body } = await helper.request().post('/envlog/try').send({ account, node: form })
    return { status, body }
  }
  const requested = () => simulator().log.map(({ endpoint }) => endpoint)

  it('returns the message that the deployed node then sends, and the requests used and left', async () => {
    const flow = await startFlow('current', simulator(), { node: { ...one(), topic: 'x/{account}/{name}' } })
    const { status, body } = await tryNode('current', { ...one(), topic: 'x/{account}/{name}' })
    assert.equal(status, 200)
    assert.deepEqual([body.count, body.requests, body.left, body.failures], [1, 1, 9, []])
    assert.deepEqual([body.lineCount, body.lines[0].name], [1, body.messages[0].payload[0].name])
    flow.send()
    const { _msgid, ...sent } = await flow.output.next()
    const [tried] = body.messages
    const instant = { receivedAt: '', quota: {} }
    const age = (payload: Message[]) => payload.map((reading) => ({ ...reading, age: 0 }))
    assert.deepEqual(
      { ...tried, payload: age(tried.payload), envlog: { ...tried.envlog, ...instant } },
      { ...sent, payload: age(sent.payload), envlog: { ...sent.envlog, ...instant } },
    )
    assert.equal(requested().length, 2)
  })

  it('shows at most three messages with 20 elements each', async () => {
    await startFlow('current', simulator())
    const whole = await tryNode('latest', one())
    const [{ payload }] = whole.body.messages
    assert.equal(payload.records.length, 21)
    assert.equal(payload.records[20], '… +280')
    const each = await tryNode('latest', { ...one(), output: 'values', send: 'value' })
    assert.equal(each.body.messages.length, 3)
    assert.ok(each.body.count >= 300)
  })

  it('tries the first of several devices, with one request for it and at most one for the list', async () => {
    await startFlow('current', simulator())
    const count = simulator().truth.devices().length
    for (const [type, node] of [
      ['latest', {}],
      ['latest', { onlyNew: true, start: '2026-01-01', backfill: true }],
      ['range', { from: 'last-month', fromType: 'calendar', time: 'local' }],
      ['range', { from: 'last-month', fromType: 'calendar', output: 'statistics', send: 'all' }],
      ['range', { from: '-30d', output: 'csv2' }],
    ] as const) {
      const before = requested().length
      const { body } = await tryNode(type, node)
      const sent = requested().slice(before)
      assert.equal(body.device?.count, count, JSON.stringify(body))
      assert.equal(sent.length, body.requests)
      assert.ok(sent.length <= 2, sent.join())
      assert.ok(sent.slice(0, -1).every((endpoint) => endpoint === 'current'))
    }
  })

  it('moves no cursor and sends nothing into the flow', async () => {
    const node = { ...one(), onlyNew: true, start: 'all' }
    const flow = await startFlow('latest', simulator(), { node })
    const tried = await tryNode('latest', { ...node, id: 'node' })
    assert.deepEqual([tried.body.count, flow.output.messages.length], [1, 0])
    flow.send()
    assert.equal((await flow.output.next()).payload.records.length, 300, 'all records are new to the node')
    await flow.completed.next()
    assert.equal(
      (await tryNode('latest', { ...node, id: 'node' })).body.messages[0].payload.records.length,
      21,
    )
    flow.send()
    await flow.completed.next()
    assert.equal(flow.output.messages.length, 1, 'nothing is new')
  })

  it('shows alerts even if the first run would send none, with a receipt if the node uses one', async () => {
    await startFlow('alerts', simulator())
    const { serial, base } = simulator()
      .truth.devices()
      .find(({ serial, base }) => serial !== base) as never
    const node = { select: 'list', devices: [{ serial, base }], onlyNew: true, start: 'now' }
    const { body } = await tryNode('alerts', { ...node, advance: 'acknowledged' })
    assert.equal(body.messages.length, 1, JSON.stringify(body))
    assert.match(body.messages[0].envlog.receipt, /^new\//)
    assert.equal(body.left, 11)
  })

  it('fails with the reason of the node, and with one request even if the service refuses or fails', async () => {
    await startFlow('current', simulator(), { account: { retries: 3 } })
    for (const [faultStatus, status, reason] of [
      [503, 502, 'service-failed'],
      [401, 502, 'login-refused'],
      [429, 429, 'quota-refused'],
    ] as const) {
      simulator().set({ faults: [{ kind: 'status', status: faultStatus }] })
      const before = requested().length
      const { body, ...response } = await tryNode('latest', { ...one(), output: 'raw', send: 'response' })
      assert.deepEqual([response.status, body.reason], [status, reason])
      assert.equal(requested().length - before, 1)
    }
    simulator().set({ faults: [] })
    const unknown = { serial: '5FFFFFFF', base: '5FFFFFFF' }
    const refused = await tryNode('alerts', { select: 'list', devices: [unknown] })
    assert.deepEqual(
      [refused.status, refused.body.reason, refused.body.subject],
      [502, 'device-refused', { serial: '5FFFFFFF' }],
    )
    const partly = await tryNode('current', { select: 'list', devices: [freezer(), unknown] })
    assert.deepEqual(
      partly.body.failures.map(({ reason }: Message) => reason),
      ['device-unknown'],
    )
  })

  it('does not wait for quota, but says when there is some', async () => {
    await startFlow('current', simulator())
    simulator().spend('current', 10)
    assert.equal((await tryNode('current')).status, 429)
    const before = requested().length
    const { status, body } = await tryNode('current')
    assert.deepEqual([status, body.reason], [429, 'quota-wait'])
    assert.ok(Date.parse(body.retryAt) > Date.now())
    assert.equal(requested().length, before)
  })

  it('resolves variables and context of the flow, like the deployed node', async () => {
    await startFlow('current', simulator(), { flow: [{ id: 'other', type: 'helper', z: 'tab' }] })
    helper.getNode('other').context().flow.set('plant', [freezer().serial])
    process.env.ENVLOG_TRY_TOPIC = 'from/the/environment'
    try {
      const node = { select: 'msg', property: 'plant', propertyType: 'flow', send: 'device' }
      const { body } = await tryNode('current', { ...node, topic: variable('ENVLOG_TRY_TOPIC') })
      const [{ topic, payload }] = body.messages
      assert.deepEqual([topic, payload.serial], ['from/the/environment', freezer().serial])
      process.env.ENVLOG_TRY_TOPIC = simulator().account.apiKey
      const secret = await tryNode('current', {
        ...one(),
        send: 'device',
        topic: variable('ENVLOG_TRY_TOPIC'),
      })
      assert.ok(!JSON.stringify(secret.body).includes(simulator().account.apiKey))
    } finally {
      delete process.env.ENVLOG_TRY_TOPIC
    }
  })

  it('says which setting is not valid, and what to do about an account with changes, without a request', async () => {
    await startFlow('current', simulator())
    for (const [node, account, reason] of [
      [{ repeat: variable('ENVLOG_UNSET') }, {}, 'setting-invalid'],
      [{ type: 'envlog-account' }, {}, 'setting-invalid'],
      [{ select: 'msg' }, {}, 'devices-missing'],
      [{}, { id: 'nobody' }, 'account-incomplete'],
      [{}, { baseUrl: 'https://127.0.0.1:1' }, 'secrets-needed'],
    ] as const) {
      const { status, body } = await tryNode('current', node, account)
      assert.deepEqual([status, body.reason], [400, reason])
    }
    assert.equal(requested().length, 0)
  })

  it('uses the typed credentials and time zone of an account that is not deployed', async () => {
    await startFlow('current', simulator(), { account: { baseUrl: 'https://other.example' } })
    const typed = { id: 'new', name: 'Plant B', timeZone: '+02:00', credentials: simulator().account }
    const { status, body } = await tryNode('current', { time: 'local', send: 'device' }, typed)
    assert.equal(status, 200)
    assert.equal(body.messages[0].envlog.account, 'Plant B')
    assert.match(body.messages[0].payload.time, /\+02:00$/)
    const { apiKey, loginPass } = simulator().account
    for (const secret of [apiKey, loginPass]) assert.ok(!JSON.stringify(body).includes(secret))
  })

  it('shows the records of a device whose clock is hours ahead', async () => {
    const unixtime = Math.floor(Date.now() / 1000) + 7200
    simulator().set({ fleet: [{ ...logger, records: [{ unixtime, values: { 1: -18 } }] }] })
    await startFlow('current', simulator())
    const chosen = { select: 'list', devices: [{ serial: logger.serial, base: logger.serial }] }
    const { status, body } = await tryNode('latest', { ...chosen, onlyNew: true, start: 'all' })
    assert.deepEqual([status, body.messages?.[0].payload.records[0].ch1], [200, -18], JSON.stringify(body))
  })

  it('requests only the newest page of a long period, and says so', async () => {
    simulator().set({ fleet: [logger] })
    await startFlow('current', simulator())
    const chosen = { select: 'list', devices: [{ serial: logger.serial, base: logger.serial }] }
    const [from, to] = [NOW - 40 * 86_400_000, NOW].map((at) => new Date(at).toISOString())
    const period = { from, fromType: 'date', to, toType: 'date' }
    const { body } = await tryNode('range', { ...chosen, ...period, output: 'rows' })
    assert.equal(requested().filter((endpoint) => endpoint === 'data').length, 1)
    assert.equal(body.isPartial, true)
    const [{ payload, envlog }] = body.messages
    assert.equal(payload[20], '… +15980')
    assert.equal(envlog.overflow, undefined)
  })
})
