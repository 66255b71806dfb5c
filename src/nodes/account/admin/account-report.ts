import type { Account } from '../../../lib/account'
import { Anonymizer } from '../../../lib/check/anonymize'
import { collectExchanges } from '../../../lib/check/collect'
import { isSuccessful } from '../../../lib/check/exchange'
import { buildReport } from '../../../lib/check/report'
import type { RequestContext } from '../../../lib/request'

/** A report sends as many requests as the test of an account. */
const MAX_REQUESTS = { current: 1, 'latest-data-relay': 1 } as const

/**
 * Sends the same requests as the test of an account, and returns the responses without names, serial numbers and
 * credentials. The result is like the file of `envlog-check --save`, but with fewer responses.
 * @throws EnvlogError if `current` fails
 */
export async function reportAccount(account: Account, requestContext: RequestContext): Promise<object> {
  const exchanges = await collectExchanges(account, requestContext, MAX_REQUESTS)
  for (const exchange of exchanges) {
    if (exchange.endpoint === 'current' && !isSuccessful(exchange)) throw exchange.error
  }
  const anonymizer = new Anonymizer(exchanges, account.client.revealsLogin)
  return buildReport(anonymizer.exchanges)
}
