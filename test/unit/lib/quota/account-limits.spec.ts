import assert from 'node:assert/strict'
import { allOf, limitsWith } from '../../../../src/lib/quota/account-limits'
import { createLimit } from '../../../../src/lib/quota/window'

describe('the limits of an account', () => {
  it('are overridden key by key', () => {
    const rows = limitsWith({ alert: { limit: 6 }, data: { window: 30, records: 80_000 }, current: {} })
    assert.deepEqual(rows.alert.requests, [createLimit(6, 3600)])
    assert.deepEqual(rows.data, {
      requests: [createLimit(20, 30)],
      records: [createLimit(80_000, 3600)],
    })
    assert.deepEqual([rows.current, rows['data-relay']], [limitsWith().current, limitsWith()['data-relay']])
  })
})

describe('the limits of several nodes', () => {
  it('all apply, each different one once, and those that allow less over time first', () => {
    const rows = allOf([
      limitsWith({ current: { limit: 5, window: 60 }, data: { records: 200_000, recordsWindow: 7200 } }),
      limitsWith({ current: { limit: 20, window: 300 }, data: { records: 90_000 } }),
    ])
    assert.deepEqual(rows.current.requests, [createLimit(20, 300), createLimit(5, 60)])
    assert.deepEqual(rows.data.records, [createLimit(90_000, 3600), createLimit(200_000, 7200)])
    assert.deepEqual(rows.alert, limitsWith().alert)
  })
})
