import assert from 'node:assert/strict'
import { addHole, fillHole, findGapsIn, type Hole, rememberInHoles } from '../../../../src/lib/collect/holes'
import { readKnown, saveKnown } from '../../../../src/lib/collect/known-records'

/** A hole without a record that it begins with. */
const holeOf = (from: number, to: number, more: Partial<Hole> = {}): Hole => ({
  ...{ from, to, begin: null, held: '', hashes: [] },
  ...more,
})
const record = (timestamp: number, dataId: number) => ({ time: null, timestamp, dataId })

describe('the late records of a missing period', () => {
  it('are remembered up to 300, at both ends', () => {
    const late = Array.from({ length: 400 }, (_, index) => ({ timestamp: index * 1000, dataId: index }))
    const [remembered] = rememberInHoles([holeOf(0, 1_000_000)], late as never, { channels: [] } as never)
    const ids = remembered && readKnown(remembered).records.map(({ dataId }) => dataId)
    assert.deepEqual([ids?.length, ids?.[0], ids?.at(-1)], [300, 0, 399])
  })
})

describe('missing periods', () => {
  it('are all kept, also one before all others, but none inside of another', () => {
    const bounds = (holes: readonly Hole[]) => holes.map(({ from, to }) => [from, to])
    const known = [holeOf(100, 200)]
    assert.deepEqual(bounds(addHole(known, holeOf(0, 50))), [
      [100, 200],
      [0, 50],
    ])
    assert.deepEqual(bounds(addHole(known, holeOf(120, 180))), [[100, 200]])
  })

  it('are four, of which the two oldest become one that may have records', () => {
    const known = [4, 3, 2, 1].map((index) => holeOf(100 * index, 100 * index + 10, { isEmpty: true }))
    const found = addHole(known, holeOf(500, 510))
    assert.deepEqual([found.length, found.at(-1)], [4, holeOf(100, 210, { isEmpty: false })])
  })
})

describe('a page of a missing period', () => {
  const part = (records: readonly object[]) => ({ channels: [], standalone: true, utcOffset: 0, records })

  it('that is full of known records closes it only if it could have had more', () => {
    const at = [record(200, 7), record(200, 8)]
    const hole = holeOf(100, 200, saveKnown(at, []))
    const isOpen = (number: number) => {
      const page = { part: part(at), requested: { from: 0, to: 1, number }, count: number }
      return fillHole(hole, page as never, 'utc').rest !== undefined
    }
    assert.deepEqual([isOpen(300), isOpen(16_000)], [true, false])
  })

  /** What a page of at most 10 records leaves of a hole. */
  const fill = (hole: Hole, records: readonly object[]) => {
    const page = { part: part(records), requested: { from: 0, to: 1, number: 10 }, count: records.length }
    return fillHole(hole, page as never, 'utc')
  }

  it('says nothing about records beside the period, which were not sent', () => {
    const { inside } = fill(holeOf(100, 200), [record(99, 5), record(150, 6), record(201, 8)])
    assert.deepEqual(
      inside.map(({ dataId }) => dataId),
      [6],
    )
  })

  it('without earlier records closes it, with a loss unless the numbers go on', () => {
    const last = record(200, 7)
    for (const records of [[last], []]) {
      const closed = (begin: number) =>
        fill(holeOf(100, 200, { begin: record(100, begin), ...saveKnown([last], []) }), records)
      assert.deepEqual([closed(3).rest, closed(3).lost], [undefined, { from: 100, to: 200 }])
      assert.deepEqual([closed(6).rest, closed(6).lost], [undefined, undefined])
    }
  })

  it('closes it without a loss if it has the record that it begins with, or an earlier one', () => {
    const end = [record(250, 8), record(300, 9)]
    // The clock was ahead when the second one was received.
    for (const begin of [record(100, 3), record(200, 3)]) {
      const hole = holeOf(100, 300, { begin })
      const { rest, lost } = fill(hole, [begin, ...end])
      assert.deepEqual([rest, lost], [undefined, undefined])
      assert.equal(fill(hole, end).rest?.to, 250)
    }
    assert.equal(fill(holeOf(100, 300), [record(99, 2), ...end]).rest, undefined)
  })

  it('shows no gap at the record that it begins with, or before it', () => {
    const hole = holeOf(100, 200, { begin: { timestamp: 100, dataId: 5 } })
    const gaps = (...records: (readonly [number, number])[]) =>
      findGapsIn(hole, part(records.map(([at, id]) => record(at, id))) as never, true, 'utc').map(
        ({ missing }) => missing,
      )
    assert.deepEqual(gaps([50, 1], [90, 3], [150, 8]), [2])
    assert.deepEqual(gaps([90, 3], [100, 5], [150, 6]), [])
  })

  it('shows no gap after the end of the hole, whatever else the page has', () => {
    const hole = holeOf(100, 200, { begin: { timestamp: 100, dataId: 5 } })
    const others = [record(150, 6), record(250, 9), { time: null, timestamp: null, dataId: 20 }]
    assert.deepEqual(findGapsIn(hole, part(others) as never, true, 'utc'), [])
  })
})
