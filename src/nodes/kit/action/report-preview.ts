import type { Account } from '../../../lib/account'
import type { RequestContext } from '../../../lib/request'
import type { Saved } from './trial'

/**
 * Makes the page of a report of the first device, with the settings in a form.
 * @param saved the properties of the node @param limits those of its limits, if the form has them
 * @throws EnvlogError
 */
export type PreviewReport = (
  account: Account,
  saved: Saved,
  limits: Saved | undefined,
  context: RequestContext,
) => Promise<string>

let preview: PreviewReport | undefined

/** The node registers it, because the account handles the editor's requests, and nodes do not know each other. */
export function setReportPreview(registered: PreviewReport): void {
  preview = registered
}

export const reportPreview = (): PreviewReport | undefined => preview
