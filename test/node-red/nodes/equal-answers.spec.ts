import assert from 'node:assert/strict'
import type { Node } from 'node-red'
import helper from 'node-red-node-test-helper'
import { type DeviceDefinition, manualClock } from '../../../simulator'
import { measured } from '../../../src/lib/cooperative'
import { NOW } from '../../support/devices'
import { startFlow, useSimulator } from '../../support/flow'

const device: DeviceDefinition = {
  serial: '52A10001',
  name: 'Freezer',
  kind: 'standalone-1',
  channels: [{ num: 1, unit: 'C' }],
  records: { interval: 60 },
}
const chosen = { select: 'list', devices: [{ serial: device.serial, base: device.serial }] }

function work(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

describe('nodes that poll one device at the same moment', () => {
  const clock = manualClock(NOW)
  const simulator = useSimulator(() => ({ clock, limits: 'off', fleet: [device] }))

  it('each get what is theirs, whatever the others know', async () => {
    const place = { z: 'tab', x: 100, y: 100, account: 'account', ...chosen }
    const received: Record<string, number[]> = { all: [], raw: [], late: [] }
    const flow = await startFlow('latest', simulator(), {
      node: { ...chosen, onlyNew: true, start: 'held' },
      watched: ['all', 'raw', 'late'],
      flow: [
        { id: 'all', type: 'envlog-latest', onlyNew: false, wires: [['got-all']], ...place },
        { id: 'raw', type: 'envlog-latest', onlyNew: false, output: 'raw', wires: [['got-raw']], ...place },
        { id: 'late', type: 'envlog-latest', onlyNew: true, wires: [['got-late']], ...place },
        ...Object.keys(received).map((id) => ({ id: `got-${id}`, type: 'helper', ...place })),
      ],
    })
    for (const id of Object.keys(received)) {
      ;(helper.getNode(`got-${id}`) as Node).on('input', (msg) => {
        const size = Array.isArray(msg.payload)
          ? msg.payload.length
          : Object.keys(msg.payload as object).length
        received[id]?.push(size)
      })
    }
    const turns = [
      ['node', 'all'],
      ['node', 'all', 'raw'],
      ['node', 'all'],
      ['all', 'node', 'raw'],
      ['node', 'late', 'all'],
      ['late', 'node', 'all'],
    ]
    const before = simulator().log.length
    for (const ids of turns) {
      for (const id of ids) helper.getNode(id).receive({})
      for (const _ of ids)
        await Promise.race([
          flow.completed.next(),
          flow.errors.next().then(({ error }) => assert.fail(JSON.stringify(error))),
        ])
    }
    const sent = simulator().log.length - before
    assert.deepEqual(flow.errors.messages, [])
    assert.equal(flow.output.messages.length, 1)
    const { all = [], raw = [], late = [] } = received
    assert.equal(all.length, turns.length)
    assert.equal(new Set(all).size, 1, `${all}`)
    assert.ok((all[0] ?? 0) > 0)
    assert.deepEqual([raw.length, late.length], [2, 1])
    assert.ok(sent < turns.flat().length, 'no request was shared')
  })

  it('end with an error or are complete where they are closed while others take every turn', async () => {
    for (const delay of [0, 1, 3, 10, 30]) {
      const flow = await startFlow('latest', simulator(), { node: { ...chosen, onlyNew: true } })
      let isOver = false
      const busy = () => {
        measured(() => work(4))
        if (!isOver) setTimeout(busy, 0)
      }
      busy()
      try {
        for (let trigger = 0; trigger < 5; trigger++) flow.send()
        await new Promise((resolve) => setTimeout(resolve, delay))
        await flow.close()
        const ended = () => flow.errors.messages.length + flow.completed.messages.length
        while (ended() < 5) await new Promise((resolve) => setTimeout(resolve, 5))
        for (const { error } of flow.errors.messages) assert.equal(error.code, 'ENVLOG_CLOSED')
      } finally {
        isOver = true
      }
    }
  })
})
