import assert from 'node:assert/strict'
import { readReportSettings, toQuery } from '../../../../src/nodes/report/report-query'

describe('a report without limits', () => {
  it('calls a device silent after an hour', async () => {
    const about = {
      account: { name: 'Plant A' },
      language: 'en-US',
      period: { kind: 'now' },
      evaluate: () => assert.fail('nothing to evaluate'),
      readLimits: () => assert.fail('no limits to read'),
    }
    const settings = readReportSettings({ account: 'account', select: 'all' })
    assert.equal((await toQuery(settings, about as never)).silentAfterMs, 3_600_000)
  })
})
