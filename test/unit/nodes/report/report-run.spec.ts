import assert from 'node:assert/strict'
import { EnvlogError } from '../../../../src/lib/errors'
import type { RequestContext } from '../../../../src/lib/request'
import { readReportSettings } from '../../../../src/nodes/report/report-query'
import { ReportRun } from '../../../../src/nodes/report/report-run'
import { withCatalogs } from '../../../support/catalog-red'

describe('the run of a report', () => {
  it('waits for quota for the seconds of the setting, or for as long as it takes', async () => {
    const waits: (number | null)[] = []
    const client = {
      async read(_: string, __: object, { maxWaitMs }: RequestContext) {
        waits.push(maxWaitMs)
        throw new EnvlogError('no-connection')
      },
    }
    for (const wait of [90, 0, null]) {
      const run = new ReportRun({
        ...{ RED: withCatalogs('en-US'), node: { id: 'node' }, trigger: { msg: {} } },
        ...{ signal: new AbortController().signal, show() {} },
      } as never)
      const settings = readReportSettings({ account: 'account', select: 'all', period: 'now', wait })
      const account = { name: 'Plant A', localTime: 'local', client, now: Date.now }
      await assert.rejects(run.make({ account, settings } as never), { reason: 'no-connection' })
    }
    assert.deepEqual(waits, [90_000, 0, null])
  })
})
