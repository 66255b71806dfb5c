import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { planAlerts } from '../../../../src/lib/collect/alert-cursor'
import type { AlertCursor, RecordCursor } from '../../../../src/lib/collect/cursor'
import { NodeState } from '../../../../src/lib/collect/node-state'
import { createVirtualClock } from '../../../support/clock'
import { createRecordingStore, nextTurn } from '../../../support/collect/recording-store'
import { planResponse, planSequence, record } from '../../../support/collect/records'
import { root } from '../../../support/package'

/** Stored state of two nodes, version 1. */
const old = JSON.parse(readFileSync(join(root, 'test/fixtures/saved/node-state-v1.json'), 'utf8'))
const [DELIVERED, BEGUN] = ['5839F001/5212A1B2', '52A10001/52A10001']
/** The delivered records: two with the same time, one ahead of the clock and one without a time. */
const delivered = [record(-60, 4), record(0, 5), record(0, 6), record(7200, 9), record(null, 8)]
const alert = (timestamp: number, text: string) => ({ timestamp, texts: [{ source: 'ch1', text }] })

async function load(kind: 'records' | 'alerts') {
  const store = createRecordingStore(old[kind])
  const nodeState = new NodeState(createVirtualClock(0))
  nodeState.open(store, { cursorKind: kind })
  await nodeState.ready()
  return { store, nodeState, cursor: (device: string) => nodeState.device(device).cursor }
}

describe('state saved by the first version', () => {
  it('of records is known: nothing is sent twice, new records are sent', async () => {
    const { cursor } = await load('records')
    const known = cursor(DELIVERED) as RecordCursor
    const ids = (data: typeof delivered) => {
      const found = planResponse(known, data)
      assert.ok(found.kind === 'complete')
      return found.fresh.records.map(({ dataId }) => dataId)
    }
    assert.deepEqual(ids(delivered), [])
    assert.deepEqual(ids([...delivered, record(0, 7), record(60, 10), record(7201, 11)]), [7, 10, 11])
    assert.deepEqual(planSequence().next(delivered), [8, 4, 5, 6, 9], 'without it, all are new')
  })

  it('of unacknowledged records sends them again, without a request for older ones', async () => {
    const { cursor } = await load('records')
    const found = planResponse(cursor(BEGUN) as RecordCursor, delivered)
    assert.ok(found.kind === 'complete')
    assert.equal(found.fresh.records.length, 5)
  })

  it('of alerts is known, and unacknowledged ones are sent again', async () => {
    const { cursor } = await load('alerts')
    const log = [alert(1, 'high'), alert(2, 'low'), alert(3, 'new')]
    const next = (device: string) => planAlerts(cursor(device) as AlertCursor, log, Date.now(), 'all')
    assert.deepEqual(next(DELIVERED).fresh, [log[2]])
    const full = Array.from({ length: 20 }, (_, index) => alert(index, 'other'))
    const begun = planAlerts(cursor(BEGUN) as AlertCursor, full, Date.now(), 'all')
    assert.deepEqual([next(BEGUN).fresh, begun.overflow], [log, false])
  })

  it('is written in the same format, so that the first version can still read it', async () => {
    for (const kind of ['records', 'alerts'] as const) {
      const { store, nodeState } = await load(kind)
      nodeState.save()
      await nextTurn()
      assert.equal(store.writes.length, 1)
      assert.deepEqual(store.latest(), old[kind])
    }
  })
})
