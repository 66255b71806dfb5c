import type { AdminFailure } from '../shared/admin'
import { describeProblem, localizeParams, type Problem } from '../shared/problems'
import { clockTime, translate } from './red'

/** Why a request to one of our admin routes failed: a sentence in the user's language. */
export class AdminError extends Error {
  /** @param wasRequested whether the runtime has sent a request to the address of the account, or has tried to */
  constructor(
    sentence: string,
    readonly wasRequested: boolean,
  ) {
    super(sentence)
  }
}

/**
 * Sends a request to one of our admin routes by GET or, if there is a body, by POST.
 * @throws AdminError
 */
export async function requestAdmin<T>(path: string, body?: object): Promise<T> {
  const post = { method: 'POST', contentType: 'application/json', data: JSON.stringify(body) }
  try {
    return await $.ajax({ url: `envlog/${path}`, dataType: 'json', ...(body && post) })
  } catch (response) {
    const { status, responseJSON } = response as JQuery.jqXHR
    // The status of all failures that the service or the network causes.
    const wasRequested = status === 502 && responseJSON?.code !== undefined
    throw new AdminError(toSentence(response as JQuery.jqXHR, path), wasRequested)
  }
}

/** The requests of the account's form. Others are sent by the forms of nodes. */
const OF_ACCOUNT = ['test', 'report']

function toSentence({ status, responseJSON }: JQuery.jqXHR, path: string): string {
  const { code, reason, params = {}, retryAt } = (responseJSON ?? {}) as Partial<AdminFailure>
  if (status === 0) return translate('ask.no-runtime')
  if (code === undefined || reason === undefined) {
    return translate(status === 401 || status === 403 ? 'ask.not-allowed' : 'ask.failed')
  }
  // The sentences for nodes also say to open the account.
  const isInForm = OF_ACCOUNT.includes(path) && ['account-incomplete', 'setting-invalid'].includes(reason)
  if (isInForm)
    return describeProblem({ problem: 'missing', ...params } as Problem, `${params.property}`, translate)
  const values = { ...params, ...(retryAt && { retryAt: clockTime(Date.parse(retryAt)) }) }
  // The sentences for nodes mention a setting or a part of an error that does not exist in the form.
  const isUsedUp = reason === 'quota-wait' || (reason === 'quota-refused' && retryAt)
  return isUsedUp ? translate('ask.quota-wait', values) : localizeReason({ reason, params: values })
}

/** A reason from the runtime in the user's language, with the labels of settings in the account's form. */
export function localizeReason({ reason, params = {} }: { reason: string; params?: object }): string {
  return translate(`errors.${reason}`, localizeParams({ ...params }, translate)).trim()
}
