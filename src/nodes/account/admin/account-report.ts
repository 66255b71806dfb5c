import type { Account } from '../../../lib/account'
import { collectExchanges } from '../../../lib/check/collect'
import { anonymizeExchanges, buildReport } from '../../../lib/check/report'
import { runCooperatively } from '../../../lib/cooperative'
import type { RequestContext } from '../../../lib/quota/types'
import type { AccountReport } from '../../../shared/admin'

const { version } = require('../../../../package.json') as { version: string }

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
  const { signal } = requestContext
  const exchanges = await collectExchanges({ account, context: requestContext, maxRequests: MAX_REQUESTS })
  const [current] = exchanges
  if (current && !current.result.isAnswered) throw current.result.error
  const anonymized = await runCooperatively(
    anonymizeExchanges(exchanges, account.client.revealsLogin),
    signal,
  )
  const report = await runCooperatively(buildReport(anonymized, version), signal)
  return { report: report ?? null }
}
