import assert from 'node:assert/strict'
import helper from 'node-red-node-test-helper'
import { type Flow, startFlow, useSimulator } from '../../support/flow'
import type { Message } from '../../support/flow-types'
import { MINUTE, readingOf } from '../../support/limits/monitoring'
import { until } from '../../support/wait'

const TOLD_MS = 5000
const AT = Date.now() - 60 * MINUTE

const NOTHING = ['alarms.subject.none', 'alarms.text.none-now']

/** Two nodes with the same limits: `chat` sends events, `lamp` the summary. */
describe('alarms nodes with the same limits', () => {
  const simulator = useSimulator()
  const place = { z: 'tab', x: 100, y: 100 }
  let told: Message[]
  let lamp: Message[]
  let chat: ReturnType<typeof helper.getNode>
  let failures: Flow['errors']

  beforeEach(async () => {
    const flow = [
      {
        id: 'lamp',
        type: 'envlog-alarms',
        limits: 'limits',
        output: 'summary',
        wires: [['shown']],
        ...place,
      },
      { id: 'shown', type: 'helper', ...place },
    ]
    const limits = { limits: [{ name: 'too warm', above: -15 }], errorAfter: '', silentAfter: '' }
    const started = await startFlow('alarms', simulator(), {
      node: { output: 'event' },
      limits,
      flow,
      watched: ['lamp'],
    })
    failures = started.errors
    ;[told, lamp] = [[], []]
    helper.getNode('output').on('input', (msg: Message) => told.push(msg))
    helper.getNode('shown').on('input', (msg: Message) => lamp.push(msg))
    chat = helper.getNode('node')
  })

  const measure = (node: string, minute: number, value: number, more: object = {}) =>
    helper.getNode(node).receive({ payload: [readingOf(AT + minute * MINUTE, value)], ...more })
  const states = () => told.map(({ payload }) => payload.state)
  const counts = () => lamp.map(({ payload }) => [payload.alarms, payload.unacknowledged])
  const untilTold = (...expected: string[]) =>
    until(`${expected}`, () => `${states()}` === `${expected}`, TOLD_MS)
  const untilShown = (...expected: number[][]) =>
    until(`${expected}`, () => `${counts()}` === `${expected}`, TOLD_MS)

  it('judge a value once, wherever it arrives, and each send what has changed', async () => {
    measure('node', 0, -10, { at: 'chat' })
    measure('lamp', 0, -10, { at: 'lamp' })
    measure('lamp', 1, -18, { at: 'lamp' })
    await untilTold('alarm', 'normal')
    await untilShown([1, 1], [0, 1])
    assert.deepEqual(
      told.map(({ at }) => at),
      ['chat', undefined],
      'properties of the message that arrived here',
    )
  })

  it('apply commands of either to the list, and answer questions alone', async () => {
    measure('lamp', 0, -10)
    await untilTold('alarm')
    helper.getNode('lamp').receive({ envlog: { acknowledge: true, by: 'shift leader' } })
    await untilTold('alarm', 'acknowledged')
    await untilShown([1, 1], [1, 0])
    assert.equal(told.at(-1)?.payload.acknowledged.by, 'shift leader')
    chat.receive({ envlog: { mute: 60, devices: ['5212A1B2'] } })
    await untilTold('alarm', 'acknowledged', 'muted')
    await until('it is shown', () => lamp.at(-1)?.payload.mutedDevices === 1, TOLD_MS)
    const shown = lamp.length
    chat.receive({ envlog: { report: true } })
    await untilTold('alarm', 'acknowledged', 'muted', 'reminder')
    chat.receive({ envlog: { test: true, devices: ['5212A1B2'] } })
    await untilTold('alarm', 'acknowledged', 'muted', 'reminder', 'alarm')
    assert.deepEqual([told.at(-1)?.payload.test, told.at(-1)?.payload.serial], [true, '5212A1B2'])
    assert.equal(lamp.length, shown)
    helper.getNode('lamp').receive({ envlog: { report: true } })
    await until('it is shown', () => lamp.length === shown + 1, TOLD_MS)
    assert.equal(told.length, 5)
  })

  it('send what a command does with the properties of its message where it arrived', async () => {
    measure('lamp', 0, -10)
    await untilTold('alarm')
    chat.receive({ envlog: { acknowledge: true }, at: 'chat' })
    helper.getNode('lamp').receive({ envlog: { mute: 60 }, at: 'lamp' })
    await untilTold('alarm', 'acknowledged', 'muted')
    assert.deepEqual(
      told.map(({ at }) => at),
      [undefined, 'chat', undefined],
    )
    await until('it is shown', () => lamp.at(-1)?.payload.mutedUntil !== null, TOLD_MS)
    assert.deepEqual(
      lamp.map(({ at }) => at),
      [undefined, undefined, 'lamp'],
    )
  })

  it('say in a text that there is nothing to tell', async () => {
    const { output, send } = await startFlow('alarms', simulator(), { node: { output: 'text' }, limits: {} })
    send({ envlog: { report: true } })
    assert.deepEqual([(await output.next()).topic, output.messages[0]?.payload], NOTHING)
    send({ envlog: { history: 24 } })
    assert.equal((await output.next()).payload, 'alarms.text.none-over')
  })

  it('tell what is over, if it is asked', async () => {
    measure('node', 0, -10)
    measure('node', 1, -18)
    await untilTold('alarm', 'normal')
    chat.receive({ envlog: { history: 24 } })
    await untilTold('alarm', 'normal', 'ended')
    helper.getNode('lamp').receive({ envlog: { history: 24 } })
    assert.equal((await failures.next()).error.code, 'ENVLOG_INPUT')
  })

  it('have no states of what is over', async () => {
    const { errors, send } = await startFlow('alarms', simulator(), {
      node: { output: 'states' },
      limits: {},
    })
    send({ envlog: { history: 24 } })
    assert.equal((await errors.next()).error.code, 'ENVLOG_INPUT')
  })
})
