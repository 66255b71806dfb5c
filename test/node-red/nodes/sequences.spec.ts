import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import helper from 'node-red-node-test-helper'
import { type DeviceDefinition, manualClock } from '../../../simulator'
import { A_DAY, fridge, NOW, rackA } from '../../support/devices'
import { runEveryPair } from '../../support/every-pair'
import { startFlow, useSimulator } from '../../support/flow'
import type { Message } from '../../support/flow-types'
import { hasFacts, type Pair, pairs } from '../../support/outputs'

const core = createRequire(require.resolve('node-red'))
const split: unknown = core('@node-red/nodes/core/sequence/17-split.js')

const PERIOD = { ...A_DAY, from: '2026-01-15T11:00:00Z' }
const isSequenced = ({ action, send }: Pair) =>
  ['each', 'chunk', 'value'].includes(send) || (action === 'current' && send === 'device')
const factual = pairs().filter(hasFacts)

describe('a core join node', () => {
  const simulator = useSimulator(() => ({ clock: manualClock(NOW), limits: 'off' }))
  const devices = [fridge, rackA]

  /** The output of a join node after the node, one message per sequence, by device. */
  async function joined(
    { action, output, send }: Pair,
    chunk: number,
    msg: Message = {},
  ): Promise<Message[]> {
    const place = { z: 'tab', x: 100, y: 100 }
    const flow = await startFlow(action, simulator(), {
      node: { select: 'list', devices, ...PERIOD, output, send, chunk, wires: [['output', 'join']] },
      coreNodes: [split],
      flow: [
        { id: 'join', type: 'join', mode: 'auto', wires: [['joined']], ...place },
        { id: 'joined', type: 'helper', ...place },
      ],
    })
    const sequences = action === 'current' ? 1 : devices.length
    const found: Message[] = []
    const all = new Promise<void>((resolve) => {
      helper.getNode('joined').on('input', (one: Message) => {
        if (found.push(one) === sequences) resolve()
      })
    })
    flow.send(structuredClone(msg))
    await all
    return found.sort((a, b) => a.envlog.device.serial.localeCompare(b.envlog.device.serial))
  }

  /** The same data unsplit, of each device. */
  async function whole({ action, output }: Pair): Promise<Message[]> {
    const send = action === 'current' ? 'all' : 'device'
    const flow = await startFlow(action, simulator(), {
      node: { select: 'list', devices, ...PERIOD, output, send },
    })
    flow.send()
    await flow.completed.next()
    return flow.output.messages
      .sort((a, b) => (a.envlog.device?.serial ?? '').localeCompare(b.envlog.device?.serial ?? ''))
      .map(({ payload }) => payload)
  }
  const withoutAge = (payload: unknown) =>
    JSON.parse(JSON.stringify(payload, (key, value) => (key === 'age' ? undefined : value)))

  it('restores the array: current readings by device, and continues the outer sequence', async () => {
    const pair = { action: 'current', output: 'readings', send: 'device' } as const
    const parts = { id: 'outer', index: 0, count: 1 }
    const [msg] = await joined(pair, 3, { parts, keep: 'me' })
    assert.deepEqual(withoutAge([msg?.payload]), withoutAge(await whole(pair)))
    assert.deepEqual([msg?.parts, msg?.keep], [parts, 'me'])
  })

  it('restores the records of each device from chunks of a series', async () => {
    const pair = { action: 'range', output: 'readings', send: 'chunk' } as const
    const found = await joined(pair, 3)
    assert.deepEqual(
      found.map(({ payload }) => payload.flatMap(({ records }: Message) => records)),
      (await whole(pair)).map(({ records }) => records),
    )
  })

  it('restores the array of rows even from chunks of one', async () => {
    const pair = { action: 'range', output: 'rows', send: 'chunk' } as const
    const found = await joined(pair, 1)
    assert.deepEqual(
      found.map(({ payload }) => payload),
      await whole(pair),
    )
  })
})

describe('an empty response', () => {
  const simulator = useSimulator(() => ({ clock: manualClock(NOW), limits: 'off' }))
  const silent: DeviceDefinition = { serial: '52000001', name: 'Silent', records: [] }

  it('is sent as an empty payload, except with each, chunk and value, and the trigger completes', async () => {
    simulator().set({ fleet: [silent] })
    for (const { failed, messages, ...pair } of await runEveryPair(simulator(), () => PERIOD, factual)) {
      const { action, output, send } = pair
      const what = `${action} as ${output} by ${send}`
      assert.equal(failed, undefined)
      // A silent device has one current reading, without a value.
      if (action === 'current' && output === 'readings') {
        assert.equal([messages[0]?.payload].flat()[0]?.timestamp, null, what)
        continue
      }
      if (isSequenced(pair) && action !== 'current') assert.deepEqual(messages, [], what)
      else {
        const payloads = messages.map(({ payload }) => (Array.isArray(payload) ? payload : payload.records))
        assert.deepEqual(payloads, send === 'each' || send === 'value' ? [] : [[]], what)
      }
      for (const { envlog } of messages) {
        if (send !== 'all') assert.equal(envlog.device.serial, silent.serial)
      }
    }
  })

  it('for an account without devices is an empty array of current readings, and otherwise nothing', async () => {
    simulator().set({ fleet: [] })
    for (const { action, send, failed, messages } of await runEveryPair(simulator(), () => PERIOD)) {
      assert.equal(failed, undefined)
      const expected = action !== 'current' ? [] : { all: [[]], answer: [{ devices: [] }] }[send as 'all']
      assert.deepEqual(
        messages.map(({ payload }) => payload),
        expected ?? [],
      )
    }
  })
})
