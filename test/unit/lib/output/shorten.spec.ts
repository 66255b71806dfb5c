import assert from 'node:assert/strict'
import { shorten } from '../../../../src/lib/output/shorten'

describe('a message for display', () => {
  const list = (length: number) => Array.from({ length }, (_, index) => index)

  it('has at most 20 elements in each list, and says how many were left out', () => {
    const { payload } = shorten({ payload: { records: list(300), channels: list(20) } }) as {
      payload: Record<string, unknown[]>
    }
    assert.deepEqual(payload.records, [...list(20), '… +280'])
    assert.deepEqual(payload.channels, list(20))
    assert.deepEqual(shorten([[list(21)]]), [[[...list(20), '… +1']]])
  })

  it('has at most 20 lines in each text', () => {
    const lines = (length: number) => list(length).join('\n')
    assert.equal(shorten(`${lines(25)}\n`), `${lines(20)}\n… +5`)
    assert.equal(shorten(`${lines(20)}\n`), `${lines(20)}\n`)
  })

  it('keeps everything else', () => {
    const point = { timestamp: new Date(0), fields: { ch1: -18.5 }, group: null }
    assert.deepEqual(shorten(point), point)
  })
})
