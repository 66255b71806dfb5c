import assert from 'node:assert/strict'
import { readQuotaCounts } from '../../../../src/nodes/account/admin/quota-counts'

describe("the remaining quota in the account's form", () => {
  it('names the devices whose records were requested, if their names are known', () => {
    const row = (device: string) => ({ endpoint: 'data', device, limit: 160_000, left: 100 })
    const account = {
      quota: { counts: () => ({ records: [row('5F0A1001/52C10008'), row('52A10009/52A10009')] }) },
      devices: {
        nameOf: ({ serial }: { serial: string }) => (serial === '52C10008' ? 'Freezer 1' : undefined),
      },
    }
    const { records } = readQuotaCounts(account as never)
    assert.deepEqual(
      records.map(({ device, name }) => [device, name]),
      [
        ['5F0A1001/52C10008', 'Freezer 1'],
        ['52A10009/52A10009', undefined],
      ],
    )
  })
})
