import assert from 'node:assert/strict'
import { NodeState } from '../../../../src/lib/collect/node-state'
import { writeReceipt } from '../../../../src/lib/collect/signed-receipt'
import { readControlMessage } from '../../../../src/nodes/kit/action/control-message'
import { createVirtualClock } from '../../../support/clock'
import { createRecordingStore } from '../../../support/collect/recording-store'
import { failure } from '../../lib/responses'

const DEVICE = '5839F001/5212A1B2'

describe('a receipt', () => {
  it('of an earlier node of another type with the same id is refused', async () => {
    const nodeState = new NodeState(createVirtualClock(0))
    nodeState.open(createRecordingStore(), { cursorKind: 'alerts' })
    await nodeState.ready()
    const cursor = { held: '', hashes: [], since: null, from: 5, sequence: 9 }
    const receipt = writeReceipt({ node: 'node', device: DEVICE, cursor }, nodeState.receiptKey)
    const apply = readControlMessage({ envlog: { receipt } } as never, 'node')
    assert.throws(() => apply?.(nodeState), failure('receipt-unreadable'))
    assert.equal(nodeState.device(DEVICE).cursor, null)
  })
})
