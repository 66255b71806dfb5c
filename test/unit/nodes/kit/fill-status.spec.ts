import assert from 'node:assert/strict'
import type { Account } from '../../../../src/lib/account'
import { NO_PROBLEMS } from '../../../../src/nodes/kit/report/device-problems'
import { FillStatus } from '../../../../src/nodes/kit/report/fill-status'
import type { RunStatus } from '../../../../src/nodes/kit/report/status'

const devices = ['A', 'B', 'C'].map((one, index) => ({
  target: { serial: `${one}0000001`, base: '5839F001' },
  since: 1000 + index,
}))
const [, second, third] = devices

function setup() {
  const shown: RunStatus[] = []
  const names: Record<string, string> = { B0000001: 'Freezer 2' }
  const account = { devices: { nameOf: ({ serial }: { serial: string }) => names[serial] } }
  const status = new FillStatus(
    account as unknown as Account,
    (one) => shown.push(one),
    () => NO_PROBLEMS,
  )
  return { shown, status }
}

describe('the status while missing records are fetched', () => {
  it('counts the devices that had missing records, and those that have none any more', () => {
    const { shown, status } = setup()
    status.show(devices)
    status.records = 16_000
    status.show([
      { ...second, since: 900 },
      { ...third, since: 1001 },
    ] as typeof devices)
    status.show([])
    const filling = { kind: 'filling', total: 3, problems: NO_PROBLEMS }
    assert.deepEqual(shown, [
      { ...filling, done: 0, name: 'A0000001', records: 0, since: 1002 },
      { ...filling, done: 1, name: 'Freezer 2', records: 16_000, since: 1001 },
    ])
    assert.equal(status.isOpen, false)
  })
})
