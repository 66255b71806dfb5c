import type { Account } from '../../../lib/account'
import type { QuotaCounts } from '../../../shared/admin'

/** Limits and usage of an account, with the names of known devices. */
export function readQuotaCounts({ quota, devices }: Account): QuotaCounts {
  const counts = quota.counts()
  const records = counts.records.map((row) => {
    const [base, serial = ''] = row.device.split('/')
    const name = devices.nameOf({ serial, ...(base && { base }) })
    return name === undefined ? row : { ...row, name }
  })
  return { ...counts, records }
}
