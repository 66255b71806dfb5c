import assert from 'node:assert/strict'
import { NodeState } from '../../../../src/lib/collect/node-state'
import { createVirtualClock } from '../../../support/clock'
import { createRecordingStore, nextTurn } from '../../../support/collect/recording-store'

const DAY = 86_400_000
const A = { serial: '5212A1B2', base: '5839F001' }
const B = { serial: '5212A1B3', base: '5839F001' }

describe('a node whose messages name one device after the other', () => {
  for (const days of [-60, -30, 29, 30, 60]) {
    it(`still knows each of them if the host’s clock is moved by ${days} days in between`, async () => {
      const clock = createVirtualClock(0)
      const nodeState = new NodeState(clock)
      nodeState.open(createRecordingStore())
      await nodeState.ready()
      const cursor = { seen: ['x'], sequence: clock.now() }
      nodeState.setDevices([B])
      nodeState.device(`${B.base}/${B.serial}`).advance(cursor)
      clock.advance(60_000)
      nodeState.setDevices([A])
      clock.jump(days * DAY)
      clock.advance(60_000)
      nodeState.setDevices([A])
      await nextTurn()
      nodeState.setDevices([B])
      assert.deepEqual(
        nodeState.device(`${B.base}/${B.serial}`).cursor,
        cursor,
        'it was polled two minutes ago',
      )
    })
  }
})
