import assert from 'node:assert/strict'
import { manualClock } from '../../../simulator'
import { A_DAY, freezer, NOW, rackA } from '../../support/devices'
import { runEveryPair } from '../../support/every-pair'
import { useSimulator } from '../../support/flow'
import type { Message } from '../../support/flow-types'
import { CSV_COLUMNS, type Pair, pairs, STATISTICS_COLUMNS } from '../../support/outputs'

/** Half an hour: enough for several chunks. */
const PERIOD = { ...A_DAY, from: '2026-01-15T11:30:00Z' }
const SPAN = { from: Date.parse(PERIOD.from), to: Date.parse(PERIOD.to) }
/** Properties that core nodes interpret. */
const INTERPRETED = ['action', 'reset', 'filename', 'headers']

describe('every output and send', () => {
  const simulator = useSimulator(() => ({ clock: manualClock(NOW), limits: 'off' }))
  const chosen = { select: 'list', devices: [freezer, rackA] }
  const run = (msg: Message, node: Message = {}) =>
    runEveryPair(simulator(), () => ({ ...chosen, ...PERIOD, ...node }), pairs(), msg)
  const isSequenced = ({ action, send }: Pair) =>
    ['each', 'chunk', 'value'].includes(send) || (action === 'current' && send === 'device')

  it('keeps the properties of the incoming message except payload and envlog, and the topic with a blank template; shares no objects', async () => {
    const parts = { id: 'outer', index: 1, count: 2, parts: { id: 'outermost' } }
    const own = Object.fromEntries(INTERPRETED.map((name) => [name, { mine: name }]))
    const old = { payload: { old: 1 }, envlog: { old: 1, device: 'old' } }
    const incoming = { parts, columns: 'mine', topic: 'mine', ...own, ...old }
    const assertKept = (pair: Pair, msg: Message) => {
      assert.equal(msg.topic, 'mine')
      const isOnly = pair.send === 'all' || pair.action === 'current'
      if (isSequenced(pair)) assert.deepEqual(msg.parts.parts, parts)
      else assert.deepEqual(msg.parts, isOnly ? parts : undefined)
      const columns = { rows: CSV_COLUMNS[pair.action], statistics: STATISTICS_COLUMNS }
      assert.equal(msg.columns, columns[pair.output as keyof typeof columns] ?? 'mine')
      for (const name of INTERPRETED) assert.deepEqual(msg[name], own[name])
      assert.equal(msg.payload.old ?? msg.envlog.old, undefined)
      assert.notEqual(msg.envlog.device, 'old')
    }
    for (const { messages, ...pair } of await run(incoming, { topic: ' ' })) {
      assert.ok(messages.length > 0)
      for (const msg of messages) assertKept(pair, msg)
      const [first, second] = messages
      if (!first || !second) continue
      if (isSequenced(pair)) assert.notEqual(first.parts.parts, second.parts.parts)
      for (const name of ['envlog', ...INTERPRETED]) assert.notEqual(first[name], second[name])
    }
  })

  it('sets a topic only for a device, no properties that downstream nodes interpret, and in msg.envlog only what it is about', async () => {
    const known = ['_msgid', 'columns', 'envlog', 'parts', 'payload', 'topic', 'trigger']
    const range = { from: new Date(SPAN.from).toISOString(), to: new Date(SPAN.to).toISOString() }
    const assertAbout = ({ action, output, send }: Pair, { envlog, payload, topic }: Message) => {
      const aboutAll = send === 'all' || (action === 'current' && send === 'response')
      assert.equal('device' in envlog, !aboutAll)
      const { serial, base } = envlog.device ?? {}
      assert.ok(aboutAll ? topic === 'mine' : topic.startsWith(`envlog/${base}/${serial}`), topic)
      assert.equal('reading' in envlog, output === 'values')
      assert.equal(envlog.reading?.value, output === 'values' ? payload : undefined)
      assert.deepEqual(envlog.range, action === 'range' ? range : undefined)
      assert.equal(envlog.node, action)
      assert.equal(envlog.account, 'Plant A')
      assert.ok('overflow' in envlog === false && 'receipt' in envlog === false)
    }
    for (const { messages, ...pair } of await run({ topic: 'mine' })) {
      for (const msg of messages) {
        for (const key of Object.keys(msg)) assert.ok(known.includes(key), key)
        assertAbout(pair, msg)
      }
    }
  })
})
