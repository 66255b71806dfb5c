import assert from 'node:assert/strict'
import { type BrokerHere, type Received, startBroker } from '../support/broker'
import { currentRows, deviceIn, type FlatRow, newestOf, pointsOf } from '../support/expected'
import { type AnyNode, chain, useNodeRed } from '../support/flow-harness'
import { REMOTE, serialOf } from '../support/hostile'
import { assertSame } from '../support/same'
import { until } from '../support/wait'

const STARTING_MS = 30_000

const mqttOut = (retain: boolean): AnyNode => ({
  type: 'mqtt out',
  topic: '',
  qos: '1',
  retain: String(retain),
  broker: 'broker',
})

describe('outputs in mqtt out nodes', () => {
  const harness = useNodeRed()
  const truth = () => harness.simulator.truth
  let broker: BrokerHere

  before('starts a broker and deploys the flows', async function () {
    this.timeout(STARTING_MS)
    broker = await startBroker()
    harness.stopAfterwards({ stop: () => broker.close() })
    const values = { output: 'values', send: 'value' }
    const rows = { output: 'rows', send: 'each', topic: '{account}/{name}/{label}/{unit}/{group}' }
    const readings = { send: 'device', topic: 'readings/{serial}' }
    const points = { onlyNew: false, output: 'points', topic: 'points/{serial}' }
    const one = { select: 'list', devices: [{ serial: serialOf('quotes') }] }
    const alerts = { ...one, onlyNew: false, output: 'rows', send: 'each' }
    await harness.deploy(
      [
        chain('mqtt-values', 'current', values, [mqttOut(true)]),
        chain('mqtt-rows', 'current', rows, [mqttOut(false)]),
        chain('mqtt-readings', 'current', readings, [mqttOut(true)]),
        chain('mqtt-points', 'latest', points, [mqttOut(false)]),
        chain('mqtt-alerts', 'alerts', alerts, [mqttOut(false)]),
        chain('mqtt-first', 'current', { send: 'device', topic: '{name}/reading' }, [mqttOut(false)]),
      ],
      [broker.node],
    )
    await until('Node-RED is connected to the broker', () => broker.clients() > 0)
  })

  it('publish values by default topic, retained', async () => {
    const expected = currentRows(truth()).flatMap(({ base, serial, channel, value }) =>
      value === undefined
        ? []
        : { topic: `envlog/${base}/${serial}/${channel}`, text: String(value), retained: false },
    )
    assertSame(await published('mqtt-values', ['envlog/#'], expected.length), expected)
    const retained = await received(['envlog/#'], expected.length)
    assertSame(
      retained,
      expected.map((message) => ({ ...message, retained: true })),
    )
  })

  it('publish rows, with any names in the topic', async () => {
    const expected = currentRows(truth())
    const messages = await published('mqtt-rows', ['Plant A/#'], expected.length)
    const rows = messages.map(({ topic, text }) => {
      const { age: _, ...row } = JSON.parse(text)
      return { topic, row }
    })
    const topicOf = ({ name, label, unit, groupname }: FlatRow) =>
      ['Plant A', name, label, unit, groupname].map(safe).join('/')
    assertSame(
      rows,
      expected.map((row) => ({ topic: topicOf(row), row })),
    )
  })

  it('publish readings and points by device', async () => {
    const devices = truth().devices()
    const readings = await published('mqtt-readings', ['readings/#'], devices.length)
    assertSame(
      readings.map(({ topic, text }) => ({ topic, name: JSON.parse(text).name })),
      devices.map(({ serial, name }) => ({ topic: `readings/${serial}`, name })),
    )
    const points = await published('mqtt-points', ['points/#'], devices.length)
    const found = points.find(({ topic }) => topic === `points/${REMOTE}`)
    const device = deviceIn(truth(), REMOTE)
    assert.deepEqual(JSON.parse(found?.text ?? ''), pointsOf(device, newestOf(truth(), device)))
  })

  it('publish alerts one by one', async () => {
    const serial = serialOf('quotes')
    const texts = truth()
      .alerts(serial)
      .flatMap((alert) => Object.values(alert.texts))
    const messages = await published('mqtt-alerts', [`envlog/${serial}/${serial}/alert`], texts.length)
    assertSame(
      messages.map(({ text }) => [JSON.parse(text).text]),
      texts.map((text) => [text]),
    )
  })

  it('never get a topic from a name that wildcards do not match', async () => {
    const names = truth()
      .devices()
      .map(({ name }) => name)
    const filters = ['+/reading', '$SYS_broker/reading']
    const messages = await published('mqtt-first', filters, names.length)
    assertSame(
      messages.map(({ topic }) => [topic]),
      names.map((name) => [`${safe(name).replace(/^\$/, '_')}/reading`]),
    )
  })

  /** Messages that a subscriber receives from a chain. */
  async function published(name: string, filters: string[], count: number): Promise<Received[]> {
    return received(filters, count, () => harness.trigger(name))
  }

  async function received(filters: string[], count: number, act?: () => Promise<void>): Promise<Received[]> {
    const subscriber = await broker.subscribe(...filters)
    try {
      await act?.()
      const fresh = () => subscriber.received.filter(({ retained }) => !act || !retained)
      await until(`${count} messages`, () => fresh().length >= count)
      return fresh()
    } finally {
      await subscriber.end()
    }
  }
})

/** A value in a topic (docs/messages.md). */
function safe(text: unknown): string {
  const chars = Array.from(String(text ?? ''), (char) => (/[/+#]|\p{Cc}/u.test(char) ? '_' : char))
  return chars.join('') || '_'
}
