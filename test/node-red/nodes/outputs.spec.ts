import assert from 'node:assert/strict'
import { manualClock } from '../../../simulator'
import { A_DAY, freezer, NOW, rackA } from '../../support/devices'
import { checkSequences, runEveryPair } from '../../support/every-pair'
import { startFlow, useSimulator } from '../../support/flow'
import type { Message } from '../../support/flow-types'
import { CSV_COLUMNS, type Pair, pairs, STATISTICS_COLUMNS } from '../../support/outputs'

/** Half an hour: enough for several chunks. */
const PERIOD = { ...A_DAY, from: '2026-01-15T11:30:00Z' }
const SPAN = { from: Date.parse(PERIOD.from), to: Date.parse(PERIOD.to) }
const FORBIDDEN = [
  'action',
  'reset',
  'complete',
  'filename',
  'headers',
  'params',
  'query',
  'extension',
  'precision',
]
const READ = pairs().filter(({ send }) => send !== 'answer')
const CHUNK = 3

describe('every output and send', () => {
  const simulator = useSimulator(() => ({ clock: manualClock(NOW), limits: 'off' }))
  const chosen = { select: 'list', devices: [freezer, rackA] }
  const run = (wanted: readonly Pair[], msg: Message = {}, node: Message = chosen) =>
    runEveryPair(simulator(), () => ({ ...node, ...PERIOD }), wanted, msg)
  const isSequenced = ({ action, send }: Pair) =>
    ['each', 'chunk', 'value'].includes(send) || (action === 'current' && send === 'device')

  it('sends payloads of the documented shape, with parts if they form a sequence', async () => {
    const types: Record<string, (payload: unknown) => boolean> = {
      readings: (one) => typeof one === 'object' && !Array.isArray(one) && !(one instanceof Date),
      rows: (one) => typeof one === 'object' && !Array.isArray(one),
      points: (one) => Object.keys(one as object).join() === 'measurement,tags,fields,timestamp',
      values: (one) => typeof one === 'number',
      statistics: (one) => Object.keys(one as object).join() === STATISTICS_COLUMNS,
    }
    for (const { action, output, send, messages } of await run(READ)) {
      const isSeries = output === 'readings' && (action === 'latest' || action === 'range')
      const oneReading = output === 'readings' && action === 'current' && send === 'device'
      const single = isSeries || oneReading || send === 'each' || send === 'value'
      for (const { payload } of messages) {
        const what = `${action} as ${output} by ${send}`
        assert.equal(Array.isArray(payload), !single, what)
        const elements = single ? [payload] : payload
        assert.ok(elements.every(types[output]), what)
        if (send !== 'chunk' && !(isSeries && send === 'each')) continue
        const size = isSeries ? payload.records.length : payload.length
        assert.ok(size > 0 && size <= (send === 'each' ? 1 : CHUNK), what)
        assert.equal('gaps' in payload, isSeries && send === 'chunk', what)
      }
      checkParts({ action, output, send }, messages)
    }
  })

  /** Messages of a sequence are complete sequences, and no others have parts. */
  function checkParts({ action, output, send }: Pair, messages: Message[]): void {
    const sequenced = isSequenced({ action, output, send })
    const what = `${action} as ${output} by ${send}`
    assert.ok(messages.length > 0, what)
    assert.ok(
      messages.every((msg) => 'parts' in msg === sequenced),
      what,
    )
    if (!sequenced) return
    checkSequences(messages, send === 'chunk' && output !== 'readings' ? CHUNK : 1)
    const ids = new Set(messages.map(({ parts }) => parts.id))
    const devices = new Set(messages.map(({ envlog }) => `${envlog.device.base}/${envlog.device.serial}`))
    assert.equal(ids.size, action === 'current' ? 1 : devices.size, what)
  }

  it('keeps the properties of the incoming message, except payload, topic and envlog, and shares no objects', async () => {
    const parts = { id: 'outer', index: 1, count: 2, parts: { id: 'outermost' } }
    const own = Object.fromEntries(FORBIDDEN.map((name) => [name, { mine: name }]))
    const old = { payload: { old: 1 }, envlog: { old: 1, device: 'old' } }
    for (const { messages, ...pair } of await run(pairs(), { parts, columns: 'mine', ...own, ...old })) {
      assert.ok(messages.length > 0)
      for (const msg of messages) {
        assert.deepEqual(isSequenced(pair) ? msg.parts.parts : msg.parts, parts)
        const columns = { rows: CSV_COLUMNS[pair.action], statistics: STATISTICS_COLUMNS }
        assert.equal(msg.columns, columns[pair.output as keyof typeof columns] ?? 'mine')
        for (const name of FORBIDDEN) assert.deepEqual(msg[name], own[name])
        assert.equal(msg.payload.old ?? msg.envlog.old, undefined)
        assert.notEqual(msg.envlog.device, 'old')
      }
      const [first, second] = messages
      if (!first || !second) continue
      assert.notEqual(first.parts.parts ?? first.parts, second.parts.parts ?? second.parts)
      for (const name of ['envlog', ...FORBIDDEN]) assert.notEqual(first[name], second[name])
    }
  })

  it('sets no properties that downstream nodes interpret', async () => {
    const known = ['_msgid', 'columns', 'envlog', 'parts', 'payload', 'topic', 'trigger']
    for (const { messages } of await run(pairs(), {})) {
      for (const msg of messages) for (const key of Object.keys(msg)) assert.ok(known.includes(key), key)
    }
  })

  it('contains device, row and period in msg.envlog if the message is about one', async () => {
    for (const { action, output, send, messages } of await run(pairs(), {})) {
      for (const { envlog, payload } of messages) {
        const aboutAll = send === 'all' || (action === 'current' && send === 'answer')
        assert.equal('device' in envlog, !aboutAll)
        assert.equal('reading' in envlog, output === 'values')
        assert.equal(envlog.reading?.value, output === 'values' ? payload : undefined)
        const range = { from: new Date(SPAN.from).toISOString(), to: new Date(SPAN.to).toISOString() }
        assert.deepEqual(envlog.range, action === 'range' ? range : undefined)
        assert.equal(envlog.node, action)
        assert.equal(envlog.account, 'Plant A')
        assert.ok('overflow' in envlog === false && 'receipt' in envlog === false)
      }
    }
  })

  for (const [action, output, send] of [
    ['current', 'csv', 'answer'],
    ['current', 'readings', 'each'],
    ['latest', 'rows', 'chunk'],
    ['alerts', 'values', 'value'],
  ] as const) {
    it(`refuses a pair that is not offered, grey and with ENVLOG_CONFIG: ${action} as ${output} by ${send}`, async () => {
      const flow = await startFlow(action, simulator(), { node: { ...chosen, ...PERIOD, output, send } })
      assert.deepEqual(flow.shown().at(-1), { fill: 'grey', shape: 'ring', text: 'status.unconfigured' })
      flow.send({ keep: send })
      const msg = await flow.errors.next()
      assert.deepEqual([msg.error.code, msg.keep, msg.payload], ['ENVLOG_CONFIG', send, undefined])
      assert.equal(flow.output.messages.length, 0)
      assert.equal(simulator().log.length, 0)
    })
  }
})
