import assert from 'node:assert/strict'
import { limitsWith, strictestOf } from '../../../../src/lib/quota/limits'

const RECORDS = { limit: 160_000, windowSeconds: 3600 }

describe('the limits of an account', () => {
  it('are overridden key by key', () => {
    const rows = limitsWith({ alert: { limit: 6 }, data: { window: 30, records: 80_000 }, current: {} })
    assert.deepEqual(rows.alert.requests, { limit: 6, windowSeconds: 3600 })
    assert.deepEqual(rows.data, {
      requests: { limit: 20, windowSeconds: 30 },
      records: { ...RECORDS, limit: 80_000 },
    })
    assert.deepEqual([rows.current, rows['data-relay']], [limitsWith().current, limitsWith()['data-relay']])
  })

  it('count records that the description does not count only if both keys are set', () => {
    assert.equal(limitsWith({ alert: { records: 5 } }).alert.records, null)
    assert.deepEqual(limitsWith({ alert: { records: 5, recordsWindow: 60 } }).alert.records, {
      limit: 5,
      windowSeconds: 60,
    })
  })
})

describe('the limits of several nodes', () => {
  it('are combined by taking, for each limit, the one that allows less over time', () => {
    const rows = strictestOf([
      limitsWith({ current: { limit: 5, window: 60 }, data: { records: 200_000, recordsWindow: 7200 } }),
      limitsWith({ current: { limit: 20, window: 300 }, data: { records: 90_000 } }),
    ])
    assert.deepEqual(rows.current.requests, { limit: 20, windowSeconds: 300 })
    assert.deepEqual(rows.data.records, { limit: 90_000, windowSeconds: 3600 })
    assert.deepEqual(rows.alert, limitsWith().alert)
  })
})
