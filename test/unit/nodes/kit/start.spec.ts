import assert from 'node:assert/strict'
import { EnvlogError } from '../../../../src/lib/errors'
import { readStart } from '../../../../src/nodes/kit/settings/poll-options'

describe('the start of a node that has delivered nothing yet', () => {
  it('is what the answer holds, nothing of it, or a time', () => {
    const since = Date.parse('2026-01-15T08:30:00Z')
    assert.equal(readStart('held'), 'held')
    assert.equal(readStart('now'), 'now')
    for (const same of ['2026-01-15T08:30:00Z', '2026-01-15T17:30:00+09:00', '2026-01-15T08:30', since])
      assert.deepEqual(readStart(same), { since }, `${same}`)
  })

  it('is refused where it is no time', () => {
    for (const none of ['', 'yesterday evening', '2026-02-30T00:00', Number.NaN])
      assert.throws(
        () => readStart(none),
        (error) => error instanceof EnvlogError && error.reason === 'start-unreadable',
        `${none}`,
      )
  })
})
