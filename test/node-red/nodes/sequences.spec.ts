import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import helper from 'node-red-node-test-helper'
import { type DeviceDefinition, manualClock } from '../../../simulator'
import { A_DAY, freezer, fridge, NOW, rackA, truck } from '../../support/devices'
import { runEveryPair } from '../../support/every-pair'
import { alertFactsIn, factsIn } from '../../support/facts'
import { startFlow, useSimulator } from '../../support/flow'
import type { Message } from '../../support/flow-types'
import { hasFacts, type Pair, pairs } from '../../support/outputs'
import { expectedAlerts, expectedFacts, servedDevices } from '../../support/truth'

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

  /** The same data unsplit: an array, or a series in an array, like a join of series. */
  async function whole({ action, output }: Pair): Promise<unknown[]> {
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

  const flat = pairs().filter(
    (pair) =>
      pair.send !== 'answer' &&
      isSequenced(pair) &&
      !(pair.action === 'current' && pair.send === 'device' && pair.output !== 'readings'),
  )
  for (const pair of flat) {
    const { action, output, send } = pair
    const isSeries = output === 'readings' && action !== 'current' && action !== 'alerts'
    it(`restores the array: ${action} as ${output} by ${send}`, async () => {
      const parts = { id: 'outer', index: 0, count: 1 }
      const found = await joined(pair, 3, { parts, keep: 'me' })
      for (const msg of found) {
        assert.deepEqual(msg.parts, parts, 'the outer sequence continues')
        assert.equal(msg.keep, 'me')
      }
      if (isSeries) {
        const series = found.map(({ payload }) => payload.flatMap(({ records }: Message) => records))
        assert.deepEqual(
          series,
          (await whole(pair)).map((one) => (one as Message).records),
        )
      } else if (output === 'values') {
        const rows = (await whole({ ...pair, output: 'rows' })) as Message[][]
        const numbers = rows.map((one) => one.flatMap(({ value }) => value ?? []))
        assert.deepEqual(
          found.map(({ payload }) => payload),
          numbers,
        )
      } else {
        assert.deepEqual(withoutAge(found.map(({ payload }) => payload)), withoutAge(await whole(pair)))
      }
    })
  }

  it('restores the arrays of each device: current as rows and points by device', async () => {
    for (const output of ['rows', 'points'] as const) {
      const [msg] = await joined({ action: 'current', output, send: 'device' }, 3)
      const [all] = (await whole({ action: 'current', output, send: 'all' })) as [unknown[]]
      assert.equal(msg?.payload.length, 2)
      assert.deepEqual(withoutAge(msg?.payload.flat()), withoutAge(all))
    }
  })

  for (const output of ['rows', 'points'] as const) {
    it(`restores the array of ${output} even from chunks of one`, async () => {
      const pair = { action: 'range', output, send: 'chunk' } as const
      const found = (await joined(pair, 1)).map(({ payload }) => payload)
      assert.deepEqual(withoutAge(found), withoutAge(await whole(pair)))
    })
  }
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

describe('one serial under two base units', () => {
  const simulator = useSimulator(() => ({ clock: manualClock(NOW), limits: 'off' }))

  it('means two devices in every output: topics, rows, tags, envlog', async () => {
    const node = { select: 'list', devices: [{ serial: rackA.serial }], ...PERIOD }
    for (const { messages, ...pair } of await runEveryPair(simulator(), () => node, factual)) {
      const { action, output, send } = pair
      const truth = action === 'alerts' ? alertFactsIn(messages, output) : factsIn(messages, action, output)
      const bases = new Set(truth.map(([serial, base]) => `${base}/${serial}`))
      const both = [rackA, truck].map(({ serial, base }) => `${base}/${serial}`)
      assert.deepEqual([...bases].sort(), both.toSorted(), `${action} as ${output} by ${send}`)
      if (send === 'all') continue
      for (const { topic, envlog } of messages) {
        const { serial, base, name } = envlog.device
        assert.ok(topic.startsWith(`envlog/${base}/${serial}`))
        assert.equal(name, base === truck.base ? 'Freezer truck' : 'Rack A')
      }
    }
  })
})

describe('local times of the device', () => {
  const simulator = useSimulator(() => ({ clock: manualClock(NOW), limits: 'off' }))

  it('are the same instants with an offset, in every output of all four actions', async () => {
    const node = { select: 'list', devices: [freezer, truck], ...PERIOD, time: 'local' }
    const span = { from: Date.parse(PERIOD.from), to: Date.parse(PERIOD.to), time: 'local' as const }
    for (const ran of await runEveryPair(simulator(), () => node, factual)) {
      const { action, output, send, messages } = ran
      const devices = servedDevices(simulator(), action).filter(
        ({ serial, base }) => serial === freezer.serial || base === truck.base,
      )
      assert.equal(devices.length, 2)
      for (const device of devices) {
        const own =
          send === 'all' ? messages : messages.filter(({ envlog }) => envlog.device.base === device.base)
        const ofDevice = ([, base]: readonly unknown[]) => base === device.base
        if (action === 'alerts') {
          assert.deepEqual(
            alertFactsIn(own, output),
            expectedAlerts(simulator(), device, { output, ...span }),
          )
        } else {
          const truth = expectedFacts(simulator(), device, { action, output, ...span })
          assert.deepEqual(factsIn(own, action, output).filter(ofDevice), truth)
        }
      }
      const text = JSON.stringify(messages.map(({ payload, envlog }) => [payload, envlog.reading]))
      const times = text.match(/"time":"[^"]+"/g) ?? []
      assert.equal(times.length > 0, output !== 'points')
      assert.ok(
        times.every((time) => /[+-]\d\d:\d\d"$/.test(time)),
        times[0],
      )
    }
  })
})
