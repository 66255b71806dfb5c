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
 * @param signal aborts the request
 * @throws AdminError
 */
export async function requestAdmin<T>(path: string, body?: object, signal?: AbortSignal): Promise<T> {
  const post = { method: 'POST', contentType: 'application/json', data: JSON.stringify(body) }
  try {
    const request = $.ajax({ url: `envlog/${path}`, dataType: 'json', ...(body && post) })
    signal?.addEventListener('abort', () => request.abort())
    return await request
  } catch (response) {
    const { status, responseJSON } = response as JQuery.jqXHR
    const sentence = status === 0 ? translate('ask.no-runtime') : toSentence(responseJSON, path, status)
    // The status of all failures that the service or the network causes.
    const wasRequested = status === 502 && responseJSON?.code !== undefined
    throw new AdminError(sentence, wasRequested)
  }
}

/** The invalid settings that the form of a request shows itself. Sentences for nodes also say to open the account. */
const SHOWN_SETTINGS: Readonly<Record<string, readonly string[]>> = {
  test: ['account-incomplete', 'setting-invalid'],
  report: ['account-incomplete', 'setting-invalid'],
  try: ['setting-invalid'],
  preview: ['setting-invalid'],
}

/** The sentence about a failure of a request by this path. */
export function toSentence(failure: Partial<AdminFailure> = {}, path: string, status = 0): string {
  const { code, reason, params = {}, subject, retryAt } = failure
  if (code === undefined || reason === undefined) {
    return translate(status === 401 || status === 403 ? 'ask.not-allowed' : 'ask.failed')
  }
  if (SHOWN_SETTINGS[path]?.includes(reason))
    return describeProblem({ problem: 'missing', ...params } as Problem, `${params.property}`, translate)
  const values = { ...params, ...(retryAt && { retryAt: clockTime(Date.parse(retryAt)) }) }
  // The sentences for nodes mention a setting or a part of an error that does not exist in the form.
  const isUsedUp = reason === 'quota-wait' || (reason === 'quota-refused' && retryAt)
  if (isUsedUp) return translate('ask.quota-wait', values)
  if (reason === 'records-wait') return translate('ask.records-wait', values)
  const prefix = subject ? translate(subject.name ? 'failure.device' : 'failure.serial', { ...subject }) : ''
  return prefix + localizeReason({ reason, params: values })
}

/** A reason from the runtime in the user's language, with the labels of settings in the account's form. */
export function localizeReason({ reason, params = {} }: { reason: string; params?: object }): string {
  return translate(`errors.${reason}`, localizeParams({ ...params }, translate)).trim()
}
