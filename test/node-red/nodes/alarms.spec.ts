import assert from 'node:assert/strict'
import helper from 'node-red-node-test-helper'
import { version } from '../../../src/lib/version'
import { startFlow, useSimulator } from '../../support/flow'
import type { Message } from '../../support/flow-types'
import { AT_8, MINUTE, readingOf, seriesOf } from '../../support/limits/monitoring'

describe('alarms in Node-RED', () => {
  const simulator = useSimulator()
  /** A node with limits. @param node properties of both */
  const start = ({ limits = [], output = 'text', send = 'each', latch = false, ...more }: Message) =>
    startFlow('alarms', simulator(), { node: { output, send, latch }, limits: { limits, ...more } })
  const warm = { topic: 'x', payload: [readingOf(AT_8, -10)], parts: { id: 'a' }, kept: { deep: 1 } }
  const cold = { payload: [readingOf(AT_8 + MINUTE, -18)] }
  const limits = [{ name: 'too warm', above: -15 }]

  it('sends events with the properties of their message, and sends no request', async () => {
    const flow = await start({ output: 'event', limits })
    flow.send(warm)
    const alarm = await flow.output.next()
    assert.equal(alarm.topic, 'envlog/5839F001/5212A1B2/ch1/too warm')
    assert.deepEqual([alarm.kept, alarm.parts], [{ deep: 1 }, undefined])
    assert.deepEqual(
      [alarm.payload.state, alarm.payload.condition, alarm.payload.value],
      ['alarm', 'above', -10],
    )
    assert.deepEqual(alarm.envlog, { node: 'alarms', version, account: 'Plant A', event: alarm.payload })
    flow.send(cold)
    const normal = await flow.output.next()
    assert.deepEqual([normal.payload.state, normal.payload.id], ['normal', alarm.payload.id])
    await flow.completed.next()
    assert.equal(simulator().log.length, 0)
  })

  it('shows the alarms, and a failure until the next message', async () => {
    const flow = await start({ limits })
    const text = () => flow.shown().at(-1)?.text
    flow.send(warm)
    await flow.completed.next()
    const texts = [text()]
    flow.send({ payload: 'no measurements' })
    await flow.errors.next()
    texts.push(text())
    flow.send(cold)
    await flow.completed.next()
    assert.deepEqual(
      [...texts, text()],
      ['alarms.status.alarms', 'status.ENVLOG_INPUT', 'alarms.status.normal'],
    )
  })

  it('sends sentences that mail and chat nodes take as they are', async () => {
    const flow = await start({ limits })
    flow.send(warm)
    const { payload, topic, envlog } = await flow.output.next()
    assert.deepEqual([typeof payload, typeof topic, envlog.event.text], ['string', 'string', payload])
  })

  it('sends all events of a message in one, also none', async () => {
    const flow = await start({ output: 'event', send: 'all', limits })
    flow.send(warm)
    assert.equal((await flow.output.next()).payload.length, 1)
    flow.send(warm)
    const { payload, envlog } = await flow.output.next()
    assert.deepEqual([payload, envlog.events], [[], []])
  })

  it('sends states when they are first judged and when they change', async () => {
    const flow = await start({ output: 'states', limits, errorAfter: '', silentAfter: '', battery: false })
    for (const msg of [
      cold,
      { payload: [readingOf(AT_8 + 2 * MINUTE, -10)] },
      { payload: [readingOf(AT_8 + 3 * MINUTE, -9)] },
    ])
      flow.send(msg)
    flow.send({ envlog: { report: true } })
    const states = []
    for (let count = 0; count < 3; count++) states.push(await flow.output.next())
    assert.deepEqual(
      states.map(({ payload, topic, envlog }) => [payload, topic, envlog.event.state]),
      [
        [false, 'envlog/5839F001/5212A1B2/ch1/too warm', 'normal'],
        [true, 'envlog/5839F001/5212A1B2/ch1/too warm', 'alarm'],
        [true, 'envlog/5839F001/5212A1B2/ch1/too warm', 'alarm'],
      ],
    )
  })

  it('keeps a state until what is over has been acknowledged, if that is set', async () => {
    const off = { errorAfter: '', silentAfter: '', battery: false }
    const flow = await start({ output: 'states', latch: true, limits, ...off })
    flow.send({ payload: [readingOf(AT_8 - MINUTE, -18)] })
    flow.send(warm)
    flow.send(cold)
    flow.send({ envlog: { acknowledge: true } })
    const states = []
    for (let count = 0; count < 3; count++) states.push(await flow.output.next())
    assert.deepEqual(
      states.map(({ payload, envlog }) => [payload, envlog.event.state]),
      [
        [false, 'normal'],
        [true, 'alarm'],
        [false, 'normal'],
      ],
    )
  })

  it('tells its form the longest usual interval of the devices', async () => {
    const flow = await start({ limits })
    const intervalOf = async (id: string) =>
      (await helper.request().get(`/envlog/limits/${id}/interval`)).body.minutes
    assert.equal(await intervalOf('limits'), 0)
    const hourly = [0, 60, 120].map((minute) => [AT_8 + minute * MINUTE, -18] as const)
    flow.send({ payload: [seriesOf(hourly)] })
    await flow.completed.next()
    assert.deepEqual([await intervalOf('limits'), await intervalOf('other')], [60, 0])
  })

  it('obeys commands: report, test, acknowledge, mute and forget', async () => {
    const flow = await start({ output: 'event', limits })
    const say = (envlog: object) => flow.send({ envlog })
    flow.send(warm)
    await flow.output.next()
    say({ report: true })
    assert.equal((await flow.output.next()).payload.state, 'reminder')
    say({ test: true })
    assert.equal((await flow.output.next()).payload.test, true)
    say({ acknowledge: ['5212A1B2'] })
    say({ mute: 60 })
    say({ forget: true })
    flow.send(warm)
    say({ mute: 0 })
    for (const state of ['acknowledged', 'muted', 'unmuted', 'alarm'])
      assert.equal((await flow.output.next()).payload.state, state)
    for (const envlog of [
      { mute: 20_000 },
      { mute: '5' },
      { mute: 1, devices: [] },
      { mute: 1, by: {} },
      { acknowledge: 'x' },
      { acknowledge: Array(1001).fill('5212A1B2') },
      { acknowledge: true, minutes: 0 },
      { acknowledge: true, minutes: 10_081 },
      { history: 0 },
      { history: 745 },
    ]) {
      say(envlog)
      assert.equal((await flow.errors.next()).error.code, 'ENVLOG_INPUT')
    }
  })

  it('reads limits from the global context at each message, and judges nothing by those that cannot be', async () => {
    const flow = await start({ output: 'event', limits: 'rows', limitsType: 'global' })
    const rows = helper.getNode('node').context().global
    rows.set('rows', [{ above: 1, below: 2 }])
    flow.send(warm)
    const { error } = await flow.errors.next()
    assert.equal(error.code, 'ENVLOG_INPUT')
    rows.set('rows', [{ name: 'own', above: -12 }])
    flow.send(warm)
    assert.equal((await flow.output.next()).payload.limit, 'own')
    rows.set('rows', undefined)
    flow.send(warm)
    assert.equal((await flow.errors.next()).error.code, 'ENVLOG_INPUT')
  })

  it('judges the other devices of a message that contains one that it cannot judge, and reports it', async () => {
    const flow = await start({ output: 'event', limits })
    flow.send({ payload: [readingOf(AT_8, -10, { serial: '52A1/002' }), ...warm.payload] })
    assert.equal((await flow.output.next()).payload.serial, '5212A1B2')
    const { error } = await flow.errors.next()
    assert.equal(error.code, 'ENVLOG_INPUT')
  })

  it('does not judge a message whose properties cannot be passed on, so that no alarm is lost', async () => {
    const flow = await start({ output: 'event', limits })
    let kept = {}
    for (let level = 0; level < 20_000; level++) kept = { kept }
    flow.send({ ...warm, kept })
    await flow.errors.next()
    flow.send(warm)
    assert.equal((await flow.output.next()).payload.state, 'alarm')
  })

  it('refuses what it cannot judge: other payloads, alerts, statistics', async () => {
    const flow = await start({ limits })
    const alert = { serial: '5212A1B2', base: '5839F001', channel: 1, kind: 'upper-limit', text: 'x' }
    const statistics = { serial: '5212A1B2', base: '5839F001', channel: 1, count: 5, mean: 1 }
    const row = { serial: '5212A1B2', base: '5839F001', channel: 1, timestamp: AT_8, value: -10 }
    for (const payload of [
      undefined,
      'x',
      5,
      { a: 1 },
      [alert],
      [statistics],
      [null],
      [readingOf(AT_8, -18), 5],
      [{ ...row, value: '-10' }],
      [{ ...row, timestamp: undefined, time: '2026-11-20T08:00:00Z' }],
    ]) {
      flow.send({ payload })
      assert.equal((await flow.errors.next()).error.code, 'ENVLOG_INPUT')
    }
    assert.equal(flow.output.messages.length, 0)
  })

  for (const [what, node] of [
    ['limits', { limits: [{ above: 1, below: 2 }] }],
    ['an account', { account: 'none' }],
  ] as const) {
    it(`refuses every message without valid settings: ${what}`, async () => {
      const flow = await start(node)
      flow.send(cold)
      assert.equal((await flow.errors.next()).error.code, 'ENVLOG_CONFIG')
    })
  }

  it('asks for limits if it has none', async () => {
    const { shown } = await startFlow('alarms', simulator(), { node: { limits: '' }, limits: {} })
    assert.deepEqual(shown().at(-1), { fill: 'grey', shape: 'ring', text: 'status.no-limits' })
  })

  it('shows in red which limit has no device, because it stops the alarms of all of them', async () => {
    const good = { above: -15 }
    const unfinished = { select: 'list', devices: [], above: 8 }
    const flow = await start({ limits: [good, unfinished] })
    flow.send(cold)
    assert.equal((await flow.errors.next()).error.code, 'ENVLOG_CONFIG')
    assert.deepEqual(flow.shown().at(-1), { fill: 'red', shape: 'ring', text: 'status.limit-no-devices' })
  })
})
