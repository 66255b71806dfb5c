import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { planAlerts } from '../../../../src/lib/collect/alert-plan'
import type { AlertCursor, RecordCursor } from '../../../../src/lib/collect/cursor'
import { NodeState } from '../../../../src/lib/collect/node-state'
import { planRecords } from '../../../../src/lib/collect/record-plan'
import type { LogEntry } from '../../../../src/lib/readings/alerts'
import { createVirtualClock } from '../../../support/clock'
import { createRecordingStore } from '../../../support/collect/recording-store'
import { record } from '../../../support/collect/records'
import { root } from '../../../support/package'
import { graph, readSeries } from '../responses'

/** Stored state of two nodes, version 1. */
const old = JSON.parse(readFileSync(join(root, 'test/fixtures/saved/node-state-v1.json'), 'utf8'))
const [DELIVERED, BEGUN, REFUSED] = ['5839F001/5212A1B2', '52A10001/52A10001', '52A10002/52A10002']
/** The delivered records: two with the same time, one ahead of the clock and one without a time. */
const delivered = [record(-60, 4), record(0, 5), record(0, 6), record(7200, 9), record(null, 8)]
const alert = (timestamp: number, text: string): LogEntry => ({ timestamp, texts: [{ source: 'ch1', text }] })

async function load(kind: 'records' | 'alerts') {
  const clock = createVirtualClock(0)
  const store = createRecordingStore(old[kind])
  const nodeState = new NodeState(clock)
  nodeState.open(store, { cursorKind: kind })
  await nodeState.ready()
  return { clock, store, nodeState, cursor: (device: string) => nodeState.devices.get(device).cursor }
}

/** The consequences of a response with these records. */
function plan(cursor: unknown, data: typeof delivered) {
  const received = {
    ...{ series: readSeries(graph({ data })), receivedAt: 1_795_161_600_000 },
    ...{ most: 300, time: 'utc' as const },
  }
  return planRecords(cursor as RecordCursor, received, { start: 'all', backfill: true })
}

describe('state saved by the first version', () => {
  it('of records is known: nothing is sent twice, new records are sent', async () => {
    const { cursor } = await load('records')
    const idsAfter = (known: unknown, data: typeof delivered) =>
      plan(known, data).fresh.records.map(({ dataId }) => dataId)
    assert.deepEqual(idsAfter(cursor(DELIVERED), delivered), [])
    const later = [...delivered, record(0, 7), record(60, 10), record(7201, 11)]
    assert.deepEqual(idsAfter(cursor(DELIVERED), later), [7, 10, 11])
    assert.deepEqual(idsAfter(null, delivered), [8, 4, 5, 6, 9], 'without it, all are new')
  })

  it('of missing records is known: they are still to be fetched, and a loss is still to be told', async () => {
    const { nodeState, cursor } = await load('records')
    assert.equal(nodeState.devices.get(DELIVERED).holes.length > 0, true)
    const { holes, unreported } = old.records.devices[DELIVERED].cursor
    const { fresh, overflow, next } = plan(cursor(DELIVERED), [...delivered, record(60, 7)])
    assert.deepEqual(
      [next.holes, fresh.gaps, overflow, next.unreported],
      [holes, unreported.gaps, true, undefined],
    )
  })

  it('of unacknowledged records sends them again, and nothing older, until their receipt', async () => {
    const { nodeState, cursor } = await load('records')
    const { fresh, next } = plan(cursor(BEGUN), delivered)
    const { from } = old.records.devices[BEGUN].cursor
    assert.equal(fresh.records.length, 5)
    assert.ok((next.holes ?? []).every((hole) => hole.from >= from))
    const { sequence, cursor: sent } = old.records.devices[BEGUN].unacknowledged
    nodeState.acknowledge(BEGUN, sequence)
    assert.deepEqual(cursor(BEGUN), sent)
  })

  it('of alerts is known, unacknowledged ones are sent again, and a device without alerts is skipped', async () => {
    const { clock, nodeState, cursor } = await load('alerts')
    const log = [alert(1, 'high'), alert(2, 'low'), alert(3, 'new')]
    const next = (device: string) => planAlerts(cursor(device) as AlertCursor, log, 'all')
    assert.deepEqual(next(DELIVERED).fresh, [log[2]])
    const full = Array.from({ length: 20 }, (_, index) => alert(index, 'other'))
    const begun = planAlerts(cursor(BEGUN) as AlertCursor, full, 'all')
    assert.deepEqual([next(BEGUN).fresh, begun.overflow], [log, false])
    assert.equal(nodeState.devices.get(REFUSED).refusal.left(clock.monotonic()) > 0, true)
  })

  it('is written in the same format, so that the first version can still read it', async () => {
    for (const kind of ['records', 'alerts'] as const) {
      const { store, nodeState } = await load(kind)
      await nodeState.close(store)
      assert.equal(store.writes.length, 1)
      assert.deepEqual(store.latest(), old[kind])
    }
  })
})
