import type { Account } from '../../../lib/account'
import { Anonymizer } from '../../../lib/check/anonymize'
import { collectExchanges } from '../../../lib/check/collect'
import { isAnswered } from '../../../lib/check/exchange'
import { buildReport } from '../../../lib/check/report'
import type { RequestContext } from '../../../lib/request'
import { version } from '../../../lib/version'
import type { AccountReport } from '../../../shared/admin'

/** As many requests as the test of an account. */
const MAX_REQUESTS = { current: 1, 'latest-data-relay': 1 } as const

/**
 * Requests what the test of an account requests, and returns the answers without names, serial numbers and credentials:
 * the file that `envlog-check --save` writes, with fewer answers.
 * @throws EnvlogError if `current` fails
 */
export async function reportAccount(
  account: Account,
  requestContext: RequestContext,
): Promise<AccountReport> {
  const exchanges = await collectExchanges(account, requestContext, MAX_REQUESTS)
  for (const exchange of exchanges) {
    if (exchange.endpoint === 'current' && !isAnswered(exchange)) throw exchange.error
  }
  const anonymizer = new Anonymizer(exchanges, account.client.revealsLogin)
  return { report: buildReport(anonymizer.exchanges, version) }
}
