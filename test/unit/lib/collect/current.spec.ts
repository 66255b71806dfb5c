import assert from 'node:assert/strict'
import { changedReadings } from '../../../../src/lib/collect/current'
import { NodeState } from '../../../../src/lib/collect/node-state'
import type { Reading } from '../../../../src/lib/readings/current'
import { createVirtualClock } from '../../../support/clock'
import { createRecordingStore } from '../../../support/collect/recording-store'
import { sampleReading } from '../../../support/samples'

const at = (timestamp: number | null, over: Partial<Reading> = {}): Reading =>
  ({ ...sampleReading, timestamp, ...over }) as Reading
const base = (serial: string) => ({ base: { serial, name: '', model: '' } })

async function begin(store = createRecordingStore()) {
  const nodeState = new NodeState(createVirtualClock(0))
  nodeState.open(store)
  await nodeState.ready()
  return { store, look: (...readings: Reading[]) => changedReadings(readings, nodeState), nodeState }
}

describe('readings that have changed since they were last sent', () => {
  it('are remembered as they were received, whatever a flow made of them', async () => {
    const { look } = await begin()
    const { changed, remember } = look(at(1))
    Object.assign(changed[0] as Reading, { timestamp: 0, ...base('x') })
    remember()
    assert.equal(look(at(1)).changed.length, 0)
  })

  it('are those with another time, `stale`, battery level or error, not other values or names', async () => {
    const { look } = await begin()
    const first = look(at(1))
    assert.equal(first.changed.length, 1)
    assert.equal(look(at(1)).changed.length, 1, 'not sent yet')
    first.remember()
    const channels = sampleReading.channels.map((one) => ({ ...one, value: (one.value ?? 0) + 1 }))
    assert.equal(
      look(at(1, { rssi: 0, name: 'other', age: 99, channels } as Partial<Reading>)).changed.length,
      0,
    )
    assert.equal(look(at(2)).changed.length, 1)
    assert.equal(look(at(1, { battery: { code: 1, level: 'replace-now' } })).changed.length, 1)
    const [channel] = sampleReading.channels
    const failing = { ...channel, value: null, error: 'Comm Error' } as Reading['channels'][number]
    look(at(1, { channels: [failing] })).remember()
    assert.equal(look(at(1, { channels: [failing] })).changed.length, 0)
    assert.equal(look(at(1, { channels: [{ ...failing, error: 'Sensor Error' }] })).changed.length, 1)
    assert.equal(look(at(1, { channels: [] })).changed.length, 1, 'it works again')
    look(at(1)).remember()
    for (const stale of [true, null]) assert.equal(look(at(1, { stale })).changed.length, 1)
    assert.equal(look(at(null)).changed.length, 1)
  })

  it('are remembered per device: a serial may exist under two base units', async () => {
    const { look } = await begin()
    look(at(1, base('X'))).remember()
    assert.deepEqual(
      look(at(1, base('X')), at(1, base('Y'))).changed.map((one) => one.base.serial),
      ['Y'],
    )
  })

  it('are known in the next process, unless they were forgotten', async () => {
    const { store, look, nodeState } = await begin()
    look(at(1)).remember()
    await nodeState.close(store)
    const next = await begin(store)
    assert.equal(next.look(at(1)).changed.length, 0)
    next.nodeState.forget([sampleReading.serial])
    assert.equal(next.look(at(1)).changed.length, 1)
  })
})
