import type { Account } from '../../../lib/account'
import type { RequestContext } from '../../../lib/request'
import type { ReportPage } from '../../../shared/admin'
import { reportPreview } from '../../kit/action/report-preview'
import { withoutSecrets } from './node-trial'

/**
 * Makes the page of a report with the settings in a form.
 * @throws EnvlogError if it cannot be made, or if there is no quota now
 */
export async function previewPage(
  account: Account,
  requestContext: RequestContext,
  { node, limits }: Record<string, unknown>,
): Promise<ReportPage> {
  // A user is waiting, and deployed nodes need the quota.
  const context = { ...requestContext, maxWaitMs: 0, isTriedOnce: true }
  const toSaved = (value: unknown) => Object(value) as Record<string, unknown>
  const preview = reportPreview()
  try {
    return {
      page: preview
        ? await preview(account, toSaved(node), limits ? toSaved(limits) : undefined, context)
        : '',
    }
  } catch (error) {
    throw withoutSecrets(error, account)
  }
}
