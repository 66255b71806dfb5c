import assert from 'node:assert/strict'
import fc from 'fast-check'
import { NodeState } from '../../../../src/lib/collect/node-state'
import { createVirtualClock } from '../../../support/clock'
import { createRecordingStore } from '../../../support/collect/recording-store'

const targets = ['a', 'b', 'c', 'd', 'e'].map((serial) => ({ serial, base: serial.toUpperCase() }))
const targetAt = (index: number) => targets[index] as (typeof targets)[number]

async function begin(store = createRecordingStore()) {
  const nodeState = new NodeState(createVirtualClock(0))
  nodeState.open(store)
  await nodeState.ready()
  return nodeState
}

describe('the polling order', () => {
  it('continues where an interrupted round stopped, even in a new process', async () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(cuts, fc.boolean(), async (counts, restarts) => {
        const store = createRecordingStore()
        let nodeState = await begin(store)
        const polled: string[] = []
        for (const count of counts) {
          for (const target of nodeState.devices.leastRecentlyPolledFirst(targets).slice(0, count)) {
            nodeState.devices.markPolled(target)
            polled.push(target.serial)
          }
          if (!restarts) continue
          await nodeState.close(store)
          nodeState = await begin(store)
        }
        const inTurn = polled.map((_, index) => targetAt(index % targets.length).serial)
        assert.deepEqual(polled, inTurn)
      }),
    )
  })
})
