import assert from 'node:assert/strict'
import { manualClock, type TrueDevice } from '../../../simulator'
import { OFFERED, OUTPUTS, SENDS } from '../../../src/shared/outputs'
import { A_DAY, freezer, fridge, NOW, rackA, truck } from '../../support/devices'
import { checkSequences, type PairRun, runEveryPair } from '../../support/every-pair'
import { alertFactsIn, factsIn } from '../../support/facts'
import { startFlow, useSimulator } from '../../support/flow'
import { actions, type Message } from '../../support/flow-types'
import { CSV_COLUMNS, contract, type Pair, pairs } from '../../support/outputs'
import { expectedAlerts, expectedFacts, servedDevices } from '../../support/truth'

/** Two hours: enough for several chunks. */
const PERIOD = { ...A_DAY, from: '2026-01-15T10:00:00Z' }
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
  const spare = { serial: '52B10007', base: '52B10007' }
  const chosen = { select: 'list', devices: [freezer, fridge, rackA, truck, spare] }
  const few = { select: 'list', devices: [rackA, truck] }
  const run = (wanted: readonly Pair[], msg: Message = {}, node: Message = chosen) =>
    runEveryPair(simulator(), () => ({ ...node, ...PERIOD }), wanted, msg)
  const isChosen = ({ serial, base }: TrueDevice) =>
    chosen.devices.some((one) => one.serial === serial && ('base' in one ? one.base : serial) === base)
  const requestedDevices = ({ action }: Pair) => servedDevices(simulator(), action).filter(isChosen)

  /** The messages of a device: each names it. */
  const of = ({ messages }: PairRun, { serial, base }: TrueDevice) =>
    messages.filter(({ envlog }) => envlog.device.serial === serial && envlog.device.base === base)

  const isSequenced = ({ action, send }: Pair) =>
    ['each', 'chunk', 'value'].includes(send) || (action === 'current' && send === 'device')

  it('is documented, and in the runtime’s table', () => {
    for (const action of actions) assert.deepEqual(OFFERED[`envlog-${action}`], contract[action])
  })

  it('contains the true data of every device, alerts and current readings included', async () => {
    for (const ran of await run(READ)) {
      const { action, output, send, messages, errors, failed } = ran
      const what = `${action} as ${output} by ${send}`
      assert.equal(failed, undefined, what)
      assert.equal(errors.length, action === 'alerts' ? 1 : 0, 'the spare device has no alerts')
      const devices = requestedDevices(ran)
      assert.equal(devices.length, action === 'alerts' ? 4 : 5)
      const inOne = action === 'current' && send === 'all'
      for (const device of inOne ? [undefined] : devices) {
        const own = device ? of(ran, device) : messages
        const expected = device ? [device] : devices
        if (action === 'alerts') {
          const truth = expected.flatMap((one) => expectedAlerts(simulator(), one, ran))
          assert.ok(truth.length > 0)
          assert.deepEqual(alertFactsIn(own, output), truth, what)
        } else {
          const truth = expected.flatMap((one) =>
            expectedFacts(simulator(), one, { action, output, ...SPAN }),
          )
          assert.ok(truth.length > 0 || device?.serial === spare.serial)
          assert.deepEqual(factsIn(own, action, output), truth, what)
        }
      }
    }
  })

  it('sends payloads of the documented shape', async () => {
    const types: Record<string, (payload: unknown) => boolean> = {
      readings: (one) => typeof one === 'object' && !Array.isArray(one) && !(one instanceof Date),
      rows: (one) => typeof one === 'object' && !Array.isArray(one),
      points: (one) => Object.keys(one as object).join() === 'measurement,tags,fields,timestamp',
      values: (one) => typeof one === 'number',
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
    }
  })

  it('has parts on each, chunk, values and current’s device, and on no other', async () => {
    for (const { action, output, send, messages } of await run(READ)) {
      const sequenced = isSequenced({ action, output, send })
      const what = `${action} as ${output} by ${send}`
      assert.ok(messages.length > 0, what)
      assert.ok(
        messages.every((msg) => 'parts' in msg === sequenced),
        what,
      )
      if (!sequenced) continue
      checkSequences(messages, send === 'chunk' && output !== 'readings' ? CHUNK : 1)
      const ids = new Set(messages.map(({ parts }) => parts.id))
      const devices = new Set(messages.map(({ envlog }) => `${envlog.device.base}/${envlog.device.serial}`))
      assert.equal(ids.size, action === 'current' ? 1 : devices.size, what)
    }
  })

  it('moves the parts of the incoming message into its parts, or keeps them', async () => {
    const parts = { id: 'outer', index: 1, count: 2, parts: { id: 'outermost' } }
    for (const { messages, ...pair } of await run(pairs(), { parts }, few)) {
      assert.ok(messages.length > 0)
      for (const msg of messages) assert.deepEqual(isSequenced(pair) ? msg.parts.parts : msg.parts, parts)
      const [first, second] = messages
      if (first && second)
        assert.notEqual(first.parts.parts ?? first.parts, second.parts.parts ?? second.parts)
    }
  })

  it('sets columns with rows, and does not change them with other outputs', async () => {
    for (const { action, output, messages } of await run(pairs(), { columns: 'mine' }, few)) {
      for (const { columns } of messages) {
        assert.equal(columns, output === 'rows' ? CSV_COLUMNS[action] : 'mine')
      }
    }
  })

  it('keeps other properties, sets none that nodes downstream interpret, and shares no objects', async () => {
    const own = Object.fromEntries(FORBIDDEN.map((name) => [name, { mine: name }]))
    for (const { messages } of await run(pairs(), own, few)) {
      for (const msg of messages) for (const name of FORBIDDEN) assert.deepEqual(msg[name], own[name])
      const [first, second] = messages
      for (const name of second ? FORBIDDEN : []) assert.notEqual(first?.[name], second?.[name])
      if (second) assert.notEqual(first?.envlog, second.envlog)
    }
    const known = ['_msgid', 'columns', 'envlog', 'parts', 'payload', 'topic', 'trigger']
    for (const { messages } of await run(pairs(), {}, few)) {
      for (const msg of messages) for (const key of Object.keys(msg)) assert.ok(known.includes(key), key)
    }
  })

  it('replaces the message’s payload and envlog, and merges neither', async () => {
    const old = { payload: { old: 1 }, envlog: { old: 1, device: 'old' } }
    for (const { messages } of await run(pairs(), old, few)) {
      assert.ok(messages.length > 0)
      for (const { payload, envlog } of messages) {
        assert.equal(payload.old ?? envlog.old, undefined)
        assert.notEqual(envlog.device, 'old')
      }
    }
  })

  it('contains device, row and period in msg.envlog if the message is about one', async () => {
    for (const { action, output, send, messages } of await run(pairs(), {}, few)) {
      for (const { envlog, payload } of messages) {
        const aboutAll = action === 'current' && (send === 'all' || send === 'answer')
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

  for (const action of actions) {
    for (const output of OUTPUTS) {
      const offered = contract[action][output] ?? []
      const refused = SENDS.filter((send) => (offered.length === 1 ? false : !offered.includes(send)))
      if (refused.length === 0) continue
      it(`refuses ${refused.join(', ')} of ${output} for ${action}: grey, and ENVLOG_CONFIG`, async () => {
        for (const send of refused) {
          const flow = await startFlow(action, simulator(), { node: { ...chosen, ...PERIOD, output, send } })
          assert.deepEqual(flow.shown().at(-1), { fill: 'grey', shape: 'ring', text: 'status.unconfigured' })
          flow.send({ keep: send })
          const msg = await flow.errors.next()
          assert.deepEqual([msg.error.code, msg.keep, msg.payload], ['ENVLOG_CONFIG', send, undefined])
          assert.equal(flow.output.messages.length, 0)
        }
        assert.equal(simulator().log.length, 0)
      })
    }
  }
})
