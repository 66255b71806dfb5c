import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import helper from 'node-red-node-test-helper'
import { manualClock } from '../../../simulator'
import { A_DAY, NOW, rackA } from '../../support/devices'
import { startFlow, useSimulator } from '../../support/flow'
import type { ActionName, Message } from '../../support/flow-types'

const core = createRequire(require.resolve('node-red'))
const split: unknown = core('@node-red/nodes/core/sequence/17-split.js')

describe('a core join node', () => {
  const simulator = useSimulator(() => ({ clock: manualClock(NOW), limits: 'off' }))
  const node = { select: 'list', devices: [rackA], ...A_DAY, from: '2026-01-15T11:00:00Z' }

  /** Returns the message of a join node that is wired to the action node. */
  async function join(action: ActionName, over: Message, msg: Message = {}): Promise<Message> {
    const place = { z: 'tab', x: 100, y: 100 }
    const flow = await startFlow(action, simulator(), {
      node: { ...node, ...over, wires: [['output', 'join']] },
      coreNodes: [split],
      flow: [
        { id: 'join', type: 'join', mode: 'auto', wires: [['joined']], ...place },
        { id: 'joined', type: 'helper', ...place },
      ],
    })
    const joined = new Promise<Message>((resolve) => helper.getNode('joined').on('input', resolve))
    flow.send(msg)
    return joined
  }

  it('restores the array of current readings, and continues the outer sequence', async () => {
    const parts = { id: 'outer', index: 0, count: 1 }
    const { payload, ...msg } = await join('current', { send: 'device' }, { parts, keep: 'me' })
    assert.deepEqual(
      payload.map(({ serial }: Message) => serial),
      [rackA.serial],
    )
    assert.deepEqual([msg.parts, msg.keep], [parts, 'me'])
  })

  it('restores the array of rows even from chunks of one', async () => {
    const { payload } = await join('range', { output: 'rows', send: 'chunk', chunk: 1 })
    const flow = await startFlow('range', simulator(), { node: { ...node, output: 'rows' } })
    flow.send()
    assert.deepEqual(payload, (await flow.output.next()).payload)
  })
})
