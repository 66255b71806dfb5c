import type { AdminFailure } from '../shared/admin'
import { localizeParams } from '../shared/problems'
import { clockTime, translate } from './red'

/** An admin request failed; the message is a sentence in the viewer's language. */
export class AdminRequestError extends Error {
  /** @param isFromService the service was asked, and what came instead of its answer is the reason */
  constructor(
    message: string,
    readonly isFromService = false,
  ) {
    super(message)
  }
}

/** Sends a request to one of our admin routes: GET, or POST if it has a body. @throws AdminRequestError */
export async function requestAdmin<T>(path: string, body?: object): Promise<T> {
  const url = `envlog/${path}`
  try {
    return body === undefined
      ? await $.ajax({ url, dataType: 'json' })
      : await $.ajax({
          url,
          dataType: 'json',
          method: 'POST',
          contentType: 'application/json',
          data: JSON.stringify(body),
        })
  } catch (answer) {
    const { status } = answer as JQuery.jqXHR
    throw new AdminRequestError(toSentence(answer as JQuery.jqXHR), status === 502)
  }
}

function toSentence({ status, responseJSON }: JQuery.jqXHR): string {
  const { code, reason, params, retryAt } = (responseJSON ?? {}) as Partial<AdminFailure>
  if (status === 0) return translate('ask.no-runtime')
  if (code === undefined || reason === undefined) {
    return translate(status === 401 || status === 403 ? 'ask.not-allowed' : 'ask.failed')
  }
  const values = { ...params, retryAt: retryAt && clockTime(Date.parse(retryAt)) }
  // The catalog's sentences for nodes name a setting or a part of an error, which a user of the form does not have.
  const isUsedUp = reason === 'quota-wait' || (reason === 'quota-refused' && values.retryAt)
  return isUsedUp ? translate('ask.quota-wait', values) : localizeReason({ reason, params: values })
}

/** A reason of the runtime in the viewer's language; settings have the labels of the account's form. */
export function localizeReason({ reason, params = {} }: { reason: string; params?: object }): string {
  return translate(`errors.${reason}`, localizeParams({ ...params }, translate)).trim()
}
