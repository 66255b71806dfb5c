import assert from 'node:assert/strict'
import { rememberInHoles } from '../../../../src/lib/collect/holes'
import { readKnown } from '../../../../src/lib/collect/known-records'

describe('the late records of a missing period', () => {
  it('are remembered up to 300, at both ends', () => {
    const hole = { from: 0, to: 1_000_000, begin: null, held: '', hashes: [] }
    const late = Array.from({ length: 400 }, (_, index) => ({ timestamp: index * 1000, dataId: index }))
    const [remembered] = rememberInHoles([hole], late as never, { channels: [] } as never)
    const ids = remembered && readKnown(remembered).records.map(({ dataId }) => dataId)
    assert.deepEqual([ids?.length, ids?.[0], ids?.at(-1)], [300, 0, 399])
  })
})
