import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { isDeepStrictEqual } from 'node:util'
import helper from 'node-red-node-test-helper'
import { readExample } from '../support/examples'
import { startFlow, useSimulator } from '../support/flow'
import type { Message } from '../support/flow-types'
import { readingOf } from '../support/limits/monitoring'
import { until } from '../support/wait'

const core = createRequire(require.resolve('node-red'))
const coreNodes = [
  'common/60-link',
  'function/10-switch',
  'function/15-change',
  'function/89-delay',
  'function/89-trigger',
  'sequence/17-split',
].map((file) => core(`@node-red/nodes/core/${file}.js`))

const CHATS = [
  'Alarms/alarms to a chat',
  'Alarms/alarms of loggers that upload in batches',
  'Mail - needs node-red-node-email/alarms by mail',
]
const LAMPS = ['Alarms/lamp and horn', 'Factory Modbus - needs node-red-contrib-modbus/lamp and horn']

const MAIL = 'Mail - needs node-red-node-email/alarms by mail'

const TOLD_MS = 5000

/** A limit of users who measure in inches. */
const HOT = { name: `6' shelf "A"`, above: 35 }
const hot = (value: number, serial: string, more: object = {}) => ({
  ...readingOf(Date.now(), value),
  serial,
  ...more,
})

/** The nodes that send to what is outside of Node-RED. */
const SENDING = /^(?:http request|e-mail|mqtt out|modbus-write)$/
/** What is left out: buttons, and what connects to something outside. */
const OTHERS =
  /^(?:tab|group|comment|global-config|inject|debug|rbe|status|mqtt in|mqtt-broker|modbus-client)$/

/** The lamp or the horn, which the MQTT flow switches with one node. */
const toDevice = (topic = '', label: string) =>
  /horn/.test(topic.startsWith('plant/') ? topic : label) ? 'horn' : 'lamp'

/** Whether people learn that alarms do not arrive, from flows whose surroundings are the test. */
describe('the example', () => {
  const simulator = useSimulator()
  /** By the names and by the types of the nodes, of several the first one. */
  let ids: Map<unknown, string>
  /** Texts, or `lamp` and `horn` with what they are switched to. */
  let sent: string[]

  const nodeOf = (name: string) => helper.getNode(String(ids.get(name)))

  async function start(name: string): Promise<void> {
    const nodes = readExample(name).filter(({ type }) => !OTHERS.test(type))
    const flow = nodes.map((node) => ({
      ...node,
      ...(node.type !== 'envlog-limits' && { z: 'tab' }),
      g: undefined,
      ...('account' in node && { account: 'account', repeat: 0 }),
      ...(SENDING.test(node.type) && { type: 'helper' }),
      ...(node.type === 'envlog-limits' && { limits: [HOT] }),
      // A second takes a millisecond.
      ...(node.units === 's' && { units: 'ms' }),
      ...(node.timeoutUnits === 'seconds' && { timeoutUnits: 'milliseconds' }),
    }))
    await startFlow('alarms', simulator(), { flow, coreNodes })
    ids = new Map(
      nodes.toReversed().flatMap(({ name: label, type, id }) => [
        [label, id],
        [type, id],
      ]),
    )
    sent = []
    for (const { id, type, name: label } of nodes)
      if (SENDING.test(type) && label !== 'state of each alarm')
        helper.getNode(id).on('input', ({ payload, topic }: Message) => {
          const device = toDevice(topic, String(label))
          sent.push(typeof payload === 'boolean' ? `${device} ${payload}` : (payload.text ?? payload))
        })
  }

  const measure = (...values: [number, number]) =>
    nodeOf('envlog-alarms').receive({ payload: [hot(values[0], '52A10001'), hot(values[1], '52A10002')] })

  /** What people have read, or how lamp and horn are switched. */
  const told = () => {
    const devices = ['lamp', 'horn'].flatMap(
      (device) => sent.findLast((one) => one.startsWith(`${device} `)) ?? [],
    )
    return devices.length > 0 ? devices : sent.map((text) => text.replace(/ \/ .*/, ''))
  }

  async function assertTold(...expected: string[]): Promise<void> {
    await until('it is told', () => isDeepStrictEqual(told(), expected), TOLD_MS).catch(() => {})
    assert.deepEqual(told(), expected)
  }

  for (const name of [...CHATS, ...LAMPS]) {
    const isLamp = LAMPS.includes(name)

    it(`${name} tells that alarms cannot be judged, once`, async () => {
      await start(name)
      const limits = nodeOf('envlog-alarms')
      for (let times = 0; times < 2; times++) limits.receive({ payload: 'neither readings nor rows' })
      await assertTold(...(isLamp ? ['lamp true', 'horn true'] : ['Alarms are not judged']))
    })

    it(`${name} tells once why no readings arrive, even if they arrive again when it is about to tell it again`, async () => {
      await start(name)
      if (isLamp) measure(20, 20)
      const fail = () => nodeOf('for 2 minutes').send({ error: { message: 'refused' } })
      fail()
      const missing = isLamp ? ['lamp true', 'horn true'] : ['No readings of any device']
      await assertTold(...missing)
      for (let times = 0; times < 2; times++) nodeOf('readings arrive').send({})
      fail()
      await assertTold(...(isLamp ? ['lamp false', 'horn true'] : [...missing, 'Readings arrive again']))
    })
  }

  for (const name of LAMPS)
    it(`${name} shows alarms until the last one is over, whatever the name of a limit contains`, async () => {
      await start(name)
      measure(50, 50)
      await assertTold('lamp true', 'horn true')
      sent = []
      measure(50, 20)
      await assertTold('lamp true', 'horn true')
      measure(20, 20)
      await assertTold('lamp false', 'horn true')
      nodeOf('envlog-alarms').receive({ envlog: { acknowledge: true } })
      await assertTold('lamp false', 'horn false')
    })

  for (const name of LAMPS) {
    it(`${name} switches nothing before it is known how things are`, async () => {
      await start(name)
      const asked = new Promise((resolve) => nodeOf('known').on('input', resolve))
      nodeOf('judged again').receive({})
      await asked
      measure(50, 20)
      await assertTold('lamp true', 'horn true')
      assert.deepEqual(sent, ['lamp true', 'horn true'])
    })

    it(`${name} stops the horn for missing readings when it is acknowledged, and a test leaves things as they are`, async () => {
      await start(name)
      measure(20, 20)
      nodeOf('for 2 minutes').send({ error: { message: 'refused' } })
      await assertTold('lamp true', 'horn true')
      nodeOf('acknowledge').receive({})
      await assertTold('lamp true', 'horn false')
      sent = []
      nodeOf('for 3 seconds').receive({})
      await until('the test is over', () => sent.length === 4, TOLD_MS)
      assert.deepEqual(sent, ['lamp true', 'horn true', 'lamp true', 'horn false'])
    })
  }

  it(`${LAMPS[0]} acknowledges by the push-button only when it is pressed`, async () => {
    await start(String(LAMPS[0]))
    measure(50, 20)
    await assertTold('lamp true', 'horn true')
    const presses: Message[] = []
    nodeOf('acknowledge').on('input', (msg: Message) => presses.push(msg))
    for (const retain of [true, false]) nodeOf('pressed now').receive({ payload: 'pressed', retain })
    await assertTold('lamp true', 'horn false')
    assert.equal(presses.length, 1)
  })

  it(`${MAIL} sends nothing that the mail node would send as HTML`, async () => {
    await start(MAIL)
    const payload = 'Freezer <b>3</b> <img src=http://127.0.0.1/pixel>: above 35 °C\nFreezer 4: no value'
    nodeOf('envlog-alarms').send({ payload, envlog: { events: [{ condition: 'above' }] } })
    await assertTold('Freezer ‹b>3‹/b> ‹img src=http://127.0.0.1/pixel>: above 35 °C\nFreezer 4: no value')
    nodeOf('for 2 minutes').send({ error: { message: 'refused: <a href="http://127.0.0.1">Sign in</a>' } })
    await until('it is sent', () => sent.length > 1, TOLD_MS)
    assert.doesNotMatch(sent.join(), /</)
  })
})
