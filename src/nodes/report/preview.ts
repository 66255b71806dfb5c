import type { Node, NodeAPI, NodeMessage } from 'node-red'
import type { Account } from '../../lib/account'
import { EnvlogError } from '../../lib/errors'
import { makeReport } from '../../lib/report/make-report'
import type { RequestContext } from '../../lib/request'
import { findScope, resolveVariables, type Saved } from '../kit/action/trial'
import { LimitRows } from '../kit/limits/limit-rows'
import { findLimitsNode } from '../kit/limits/limits-node'
import { createEvaluator } from '../kit/settings/typed-input'
import { ReportMessages } from './report-messages'
import {
  languageOf,
  type ReadLimits,
  readReportSettings,
  requestedPeriod,
  textsIn,
  toQuery,
} from './report-query'

/**
 * The page of a report of the first device for the settings in the form, with at most two requests.
 * @param limits the properties of the limits, if the form has them: they may not be deployed yet
 * @throws EnvlogError
 */
export async function previewReport(
  RED: NodeAPI,
  account: Account,
  saved: Saved,
  limits: Saved | undefined,
  context: RequestContext,
): Promise<string> {
  const scope = findScope(RED, saved)
  const node = scope ?? ({} as Node)
  const settings = readReportSettings(resolveVariables(RED, saved, scope, account))
  const evaluate = createEvaluator(RED, node, {} as NodeMessage)
  const period = await requestedPeriod(settings, account.now(), evaluate)
  const language = languageOf(RED, settings)
  const readOwn: ReadLimits = async (id) => {
    const deployed = findLimitsNode(RED, id)
    if (limits && (limits.limitsType ?? 'table') === 'table')
      return new LimitRows(RED, node, resolveVariables(RED, limits, deployed, account)).readForReport()
    if (!deployed) throw new EnvlogError('no-limits')
    return deployed.read()
  }
  const query = await toQuery(settings, { account, language, period, evaluate, readLimits: readOwn })
  const report = await makeReport(account, { ...query, isTrial: true }, context)
  const messages = new ReportMessages(RED, {} as NodeMessage, textsIn(language))
  const [page] = await messages.ofReport(report, settings.decimalComma)
  return String(page.payload)
}
