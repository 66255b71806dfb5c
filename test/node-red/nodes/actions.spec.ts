import assert from 'node:assert/strict'
import { manualClock } from '../../../simulator'
import { A_DAY, freezer, fridge, NOW, oldRelay, rackA, truck } from '../../support/devices'
import { startFlow, useSimulator } from '../../support/flow'

/** Fields of the service → properties of messages. */
const sources: Record<string, string> = {
  'battery-level': 'battery',
  'communication-status': 'communication',
}

describe('the messages of the actions', () => {
  const simulator = useSimulator(() => ({ clock: manualClock(NOW) }))
  const list = (...devices: object[]) => ({ select: 'list', devices })

  it('current: all readings in one message, in the service’s order, with the message’s own properties', async () => {
    const flow = await startFlow('current', simulator())
    flow.send({ topic: 'mine', keep: 'me', payload: 'ask', envlog: { old: true } })
    const msg = await flow.output.next()
    await flow.completed.next()

    const truth = simulator().truth.devices()
    assert.deepEqual(
      msg.payload.map((reading: { serial: string; base: { serial: string } }) => [
        reading.serial,
        reading.base.serial,
      ]),
      truth.map(({ serial, base }) => [serial, base]),
    )
    assert.equal(msg.keep, 'me')
    assert.equal(msg.topic, 'mine', 'a message about many devices has no topic of its own')
    assert.deepEqual(Object.keys(msg.envlog).sort(), ['account', 'endpoint', 'node', 'quota', 'receivedAt'])
    assert.deepEqual(msg.envlog.quota, {
      limit: 10,
      remaining: 9,
      windowSeconds: 120,
      recordsRemaining: null,
    })
    assert.equal(msg.envlog.account, 'Plant A')
  })

  it('current: a reading is a number with its unit and instant, and an error is data next to it', async () => {
    const flow = await startFlow('current', simulator(), {
      node: { ...list(freezer), time: 'local', staleAfter: '60' },
    })
    flow.send()
    const { payload } = await flow.output.next()
    const truth = simulator()
      .truth.current()
      .find(({ serial }) => serial === freezer.serial)
    const { age, ...reading } = payload[0]
    assert.ok(age > 0)
    assert.deepEqual(reading, {
      serial: '52A10001',
      name: 'Freezer 1',
      model: 'M-500',
      number: 0,
      base: { serial: '52A10001', name: 'Freezer 1', model: 'M-500' },
      standalone: true,
      group: { number: 1, name: 'Cold store' },
      time: new Date((truth?.time ?? 0) + 9 * 3_600_000).toISOString().replace('Z', '+09:00'),
      timestamp: truth?.time,
      utcOffset: 540,
      stale: true,
      battery: { code: 5, level: 'sufficient' },
      rssi: 4,
      channels: [
        {
          key: 'ch1',
          number: 1,
          name: 'Freezer',
          unit: '°C',
          quantity: 'temperature',
          value: truth?.values[1],
          error: null,
        },
        {
          key: 'ch2',
          number: 2,
          name: 'Probe 2',
          unit: '°C',
          quantity: 'temperature',
          value: null,
          error: 'Sensor Error',
        },
      ],
    })
  })

  it('current: one request for any number of devices, filtered by base unit, without excluded ones', async () => {
    const everyOther = { select: 'base', bases: ['5F0A1001', '5F0A1002'], exclude: [rackA.serial] }
    const flow = await startFlow('current', simulator(), { node: everyOther })
    flow.send()
    const { payload } = await flow.output.next()
    const serials = payload.map(({ serial }: { serial: string }) => serial)
    assert.deepEqual(serials, ['52C10009', '52C10010', '31D10012'])
    assert.deepEqual(
      simulator().log.map(({ params }) => params),
      [{ 'base-serial': ['5F0A1001', '5F0A1002'] }],
    )
  })

  it('current: only the chosen device of a serial that exists under two base units', async () => {
    const flow = await startFlow('current', simulator(), { node: list(truck) })
    flow.send()
    const { payload } = await flow.output.next()
    assert.deepEqual(
      payload.map(({ name }: { name: string }) => name),
      ['Freezer truck'],
    )
  })

  for (const [action, endpoints] of [
    ['latest', ['latest-data', 'latest-data-relay']],
    ['range', ['data', 'data-relay']],
  ] as const) {
    it(`${action}: one series per device, from its endpoint, with the true data`, async () => {
      const flow = await startFlow(action, simulator(), { node: { ...list(fridge, rackA), ...A_DAY } })
      flow.send({ keep: 'me' })
      await flow.completed.next()
      const sent = flow.output.messages.toSorted((a, b) => a.payload.serial.localeCompare(b.payload.serial))
      for (const [index, { serial, base }] of [fridge, rackA].entries()) {
        const msg = sent[index]
        const truth = simulator().truth.records(serial, base)
        const expected =
          action === 'latest'
            ? truth.slice(-300)
            : truth.filter(({ time }) => time >= Date.parse(A_DAY.from) && time < Date.parse(A_DAY.to))
        assert.deepEqual(
          msg?.payload.records.map(({ time, ...record }: { time: string }) => record),
          expected.map(({ time, id, values }) => ({
            timestamp: time,
            dataId: id,
            ch1: values[1],
            ch2: values[2],
          })),
        )
        assert.equal(msg?.envlog.endpoint, endpoints[index])
        assert.equal(msg?.topic, `envlog/${base}/${serial}`)
        assert.equal(msg?.keep, 'me')
        assert.deepEqual(msg?.payload.gaps, [])
        assert.equal(msg?.envlog.device.base, base)
      }
    })
  }

  it('latest: a device without a named base unit is requested under all its base units', async () => {
    const flow = await startFlow('latest', simulator(), { node: list({ serial: rackA.serial }) })
    flow.send()
    await flow.completed.next()
    assert.deepEqual(
      flow.output.messages.map(({ payload }) => payload.base.serial).sort(),
      [rackA.base, truck.base].sort(),
    )
  })

  it('range: the message contains the requested period, in UTC', async () => {
    const node = { ...list(rackA), ...A_DAY, from: '2026-01-15', to: 'end', toType: 'msg', time: 'local' }
    const flow = await startFlow('range', simulator(), { node })
    flow.send({ end: '2026-01-15T10:00' })
    const msg = await flow.output.next()
    assert.deepEqual(msg.envlog.range, { from: '2026-01-14T15:00:00.000Z', to: '2026-01-15T01:00:00.000Z' })
    assert.equal(msg.payload.records[0].time, '2026-01-15T00:00:00.000+09:00')
  })

  it('alerts: one element per text, oldest first, with the service’s own text', async () => {
    const flow = await startFlow('alerts', simulator(), { node: list(fridge) })
    flow.send()
    const { payload, topic, envlog } = await flow.output.next()
    const truth = simulator().truth.alerts(fridge.serial, fridge.base).toReversed()
    assert.ok(truth.length > 0)
    assert.deepEqual(
      payload.map(({ timestamp, source, text }: { timestamp: number; source: string; text: string }) => [
        timestamp,
        source,
        text,
      ]),
      truth.flatMap(({ time, texts }) =>
        Object.entries(texts).map(([key, text]) => [time, sources[key] ?? key, text]),
      ),
    )
    assert.equal(topic, `envlog/${fridge.base}/${fridge.serial}/alert`)
    assert.equal(envlog.node, 'alerts')
  })

  it('read devices from the message, in every form, without remembering them', async () => {
    const flow = await startFlow('latest', simulator(), { node: { select: 'msg', property: 'wanted.these' } })
    const serialsFor = async (these: unknown) => {
      flow.output.messages.length = 0
      flow.send({ wanted: { these } })
      await flow.completed.next()
      return flow.output.messages.map(({ payload }) => payload.name).sort()
    }
    assert.deepEqual(await serialsFor(freezer.serial), ['Freezer 1'])
    assert.deepEqual(await serialsFor(rackA), ['Rack A'])
    assert.deepEqual(
      await serialsFor([fridge, { serial: freezer.serial, base: { serial: freezer.serial } }, fridge]),
      ['Freezer 1', '冷蔵庫 受入口'],
    )
    assert.deepEqual(await serialsFor({ base: '5F0A1004' }), ['Freezer truck'])
    assert.deepEqual(await serialsFor({ remote: [freezer.serial] }), ['Freezer 1'])
  })

  it('report a device without such data and continue with the others', async () => {
    const flow = await startFlow('latest', simulator(), { node: list(freezer, oldRelay, rackA) })
    flow.send({ keep: 'me' })
    await flow.completed.next()
    assert.equal(flow.output.messages.length, 2)
    assert.equal(flow.errors.messages.length, 1)
    const [msg] = flow.errors.messages
    assert.equal(msg?.error.code, 'ENVLOG_SERVICE')
    const { retryAt, ...cause } = msg?.error.cause ?? {}
    assert.match(retryAt, /^\d{4}-/)
    assert.deepEqual(cause, {
      status: 400,
      serviceCode: 400,
      endpoint: 'latest-data-relay',
      serial: oldRelay.serial,
      base: oldRelay.base,
    })
    assert.equal(msg?.envlog.device.serial, oldRelay.serial)
    assert.equal(msg?.keep, 'me')
  })

  it('have a status: nothing, requesting, what was received and when', async () => {
    const flow = await startFlow('latest', simulator(), { node: list(rackA) })
    flow.send()
    await flow.completed.next()
    const shown = flow.statuses.messages.map(({ status }) => [status.fill, status.shape, status.text])
    assert.deepEqual(shown.at(-2), ['blue', 'dot', 'status.asking'])
    assert.deepEqual(shown.at(-1)?.slice(0, 2), ['green', 'dot'])
    assert.match(shown.at(-1)?.[2], /^status\.records \d\d:\d\d$/)
  })
})
