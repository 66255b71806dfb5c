import assert from 'node:assert/strict'
import type { RecordDefinition, Simulator } from '../../../simulator'
import { request, simulate, startSeconds, tiny, useSimulators } from './support'

const serial = { 'remote-serial': '52000001' }
const ids = async (simulator: Simulator, params: object = {}, endpoint = 'data'): Promise<number[]> => {
  const { json } = await request(simulator, endpoint, { ...serial, ...params })
  return json.data.map((record: Record<string, number>) => record['data-id'])
}
/** The time of record n of `tiny(10)`. */
const at = (n: number) => startSeconds - (11 - n) * 60

describe('the simulator, when asked for records,', () => {
  useSimulators()
  it('returns those newer than `from` and older than `to`, both exclusive', async () => {
    const simulator = await simulate({ fleet: [tiny(10)] })
    assert.deepEqual(await ids(simulator, { 'unixtime-from': at(3), 'unixtime-to': at(6) }), [4, 5])
    assert.deepEqual(await ids(simulator, { 'unixtime-from': at(8) }), [9, 10])
    assert.deepEqual(await ids(simulator, { 'unixtime-to': at(3) }), [1, 2])
    assert.deepEqual(await ids(simulator, { 'unixtime-from': at(6), 'unixtime-to': at(3) }), [])
    assert.deepEqual(await ids(simulator, { 'unixtime-from': at(6), 'unixtime-to': at(6) }), [])
  })

  it('returns none after the time of the request if no `to` is given', async () => {
    const simulator = await simulate({ fleet: [tiny(0, { records: [0, 1, 2].map((i) => record(i - 1)) })] })
    assert.deepEqual(await ids(simulator), [1])
    assert.deepEqual(await ids(simulator, { 'unixtime-to': startSeconds + 100 }), [1, 2, 3])
    assert.deepEqual(await ids(simulator, {}, 'latest-data'), [1, 2, 3])
    simulator.clock.advance(2000)
    assert.deepEqual(await ids(simulator), [1, 2, 3])
  })

  it('sorts them by time if a clock was set back, and returns the one that arrived last in `current`', async () => {
    const simulator = await simulate({
      fleet: [tiny(0, { records: [record(-50), record(-10), record(-30)] })],
    })
    assert.deepEqual(await ids(simulator), [1, 3, 2])
    const { json } = await request(simulator, 'current')
    assert.equal(json.devices[0].unixtime, String(startSeconds - 30))
  })

  it('returns a record only once it has arrived', async () => {
    const late = { ...record(-40), arrives: startSeconds + 60 }
    const simulator = await simulate({ fleet: [tiny(0, { records: [record(-60), record(-20), late] })] })
    assert.deepEqual(await ids(simulator), [1, 2])
    simulator.clock.advance(60_000)
    assert.deepEqual(await ids(simulator), [1, 3, 2])
  })
})

function record(offset: number): RecordDefinition {
  return { unixtime: startSeconds + offset, values: { 1: 1 } }
}
