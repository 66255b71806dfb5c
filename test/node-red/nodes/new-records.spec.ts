import assert from 'node:assert/strict'
import { install } from '@sinonjs/fake-timers'
import { type DeviceDefinition, manualClock, type Simulator } from '../../../simulator'
import { NOW } from '../../support/devices'
import { type Flow, startFlow, useSimulator } from '../../support/flow'
import type { ActionName, Message } from '../../support/flow-types'

const MINUTE = 60_000
const device: DeviceDefinition = {
  serial: '52A10001',
  name: 'Freezer',
  kind: 'standalone-1',
  channels: [{ num: 1, unit: 'C' }],
  records: { interval: 60 },
}
const node = { select: 'list', devices: [{ serial: device.serial, base: device.serial }], onlyNew: true }
const acknowledged = { ...node, advance: 'acknowledged' }
const ids = (msg: Message | undefined) => msg?.payload.records.map(({ dataId }: Message) => dataId)

/** Triggers the node and returns the messages once it has completed. */
async function trigger(flow: Flow, msg: Message = {}): Promise<Message[]> {
  const before = flow.output.messages.length
  flow.send(msg)
  await flow.completed.next()
  return flow.output.messages.slice(before)
}

describe('only new records', () => {
  const simulator = useSimulator(() => ({ clock: manualClock(NOW), limits: 'off', fleet: [device] }))
  const start = (over: Message = {}, action: ActionName = 'latest', more = {}) =>
    startFlow(action, simulator(), { node: { ...node, ...over }, ...more })
  const later = (ms: number) => (simulator() as Simulator).clock.advance(ms)

  it('are sent once: first the whole response, then later records, then nothing', async () => {
    const flow = await start()
    const [first] = await trigger(flow)
    assert.equal(ids(first)?.length, 300)
    later(5 * MINUTE)
    const [second] = await trigger(flow)
    const last = ids(first)?.at(-1)
    assert.deepEqual(
      ids(second),
      [1, 2, 3, 4, 5].map((step) => last + step),
    )
    assert.deepEqual(second?.payload.gaps, [])
    assert.deepEqual(await trigger(flow), [])
    assert.match(String(flow.shown().at(-1)?.text), /^status\.nothing-new /)
  })

  it('start over if the node receives `forget`', async () => {
    const flow = await start()
    await trigger(flow)
    assert.deepEqual(await trigger(flow, { envlog: { forget: ['52A10001'] } }), [])
    assert.equal(ids((await trigger(flow))[0])?.length, 300)
    flow.send({ envlog: { forget: 'everything' } })
    assert.equal((await flow.errors.next()).error.code, 'ENVLOG_INPUT')
  })

  it('wait for their receipt without a request, are sent again without it, and shown as soon as it is overdue, until `skip`', async () => {
    const passing = install({ toFake: ['performance'] })
    try {
      const settings = { ...acknowledged, ackTimeout: 60 }
      let flow = await start(settings)
      const [first] = await trigger(flow)
      const shown = () => flow.shown().at(-1)
      passing.tick(59_999)
      assert.deepEqual(await trigger(flow), [])
      assert.equal(simulator().log.filter(({ endpoint }) => endpoint === 'latest-data').length, 1)
      for (let resends = 1; resends <= 4; resends++) {
        const isOverdue = resends > 1
        assert.deepEqual([shown()?.fill, shown()?.shape], ['yellow', isOverdue ? 'ring' : 'dot'])
        passing.tick(60_000)
        assert.deepEqual(ids((await trigger(flow))[0]), ids(first))
      }
      assert.match(String(shown()?.text), /status\.unacknowledged|not acknowledged since/)
      assert.deepEqual([shown()?.fill, shown()?.shape], ['red', 'ring'])
      flow = await start(settings, 'latest', { sameProcess: true })
      assert.equal(shown()?.shape, 'ring', 'also after a deploy')
      assert.deepEqual(await trigger(flow, { envlog: { skip: ['52A10001'] } }), [])
      assert.deepEqual(shown(), {})
      later(MINUTE)
      const [next] = await trigger(flow)
      assert.deepEqual(ids(next), [ids(first)?.at(-1) + 1])
      await trigger(flow, { envlog: first?.envlog })
      assert.deepEqual(await trigger(flow), [], 'a receipt of skipped records acknowledges nothing')
    } finally {
      passing.uninstall()
    }
  })

  it('continue after their receipt, also after a deploy; a changed receipt fails with ENVLOG_INPUT', async () => {
    const [first] = await trigger(await start(acknowledged))
    const flow = await start(acknowledged, 'latest', { sameProcess: true })
    flow.send({ envlog: { receipt: `${first?.envlog.receipt}x` } })
    assert.equal((await flow.errors.next()).error.code, 'ENVLOG_INPUT')
    assert.deepEqual(await trigger(flow, { ...first, payload: 'as a database node leaves it' }), [])
    later(MINUTE)
    assert.equal(ids((await trigger(flow))[0])?.length, 1)
  })

  it('of alerts are sent once, without earlier ones', async () => {
    const alert = (minutes: number) => ({
      unixtime: NOW / 1000 + minutes * 60,
      texts: { ch1: `alert ${minutes}` },
    })
    const alerts = [alert(-20), alert(-10)]
    simulator().set({ fleet: [{ ...device, alerts }] })
    const flow = await start({}, 'alerts')
    assert.deepEqual(await trigger(flow), [])
    simulator().set({ fleet: [{ ...device, alerts: [...alerts, alert(-5)] }] })
    const [msg] = await trigger(flow)
    assert.deepEqual(
      msg?.payload.map(({ text }: Message) => text),
      ['alert -5'],
    )
    assert.deepEqual(await trigger(flow), [])
  })

  it('from current readings are sent if time or stale has changed', async () => {
    const flow = await start({ staleAfter: 600 }, 'current')
    assert.equal((await trigger(flow)).length, 1)
    assert.deepEqual(await trigger(flow), [])
    later(MINUTE)
    assert.equal((await trigger(flow)).length, 1)
  })
})
