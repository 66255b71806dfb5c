import type { AdminFailure } from '../shared/admin'
import { clockTime, words } from './red'

/** Parameters of reasons that are keys of the catalog, and where they stand there. */
const NAMED = { serves: 'serves', property: 'account' }

/** Why the runtime did not do what was asked, as a sentence for people. */
export class AdminRequestError extends Error {}

/** Asks one of our admin routes; with a body it is a POST. @throws AdminRequestError */
export async function ask<T>(path: string, body?: object): Promise<T> {
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
    throw new AdminRequestError(toSentence(answer as JQuery.jqXHR))
  }
}

function toSentence({ status, responseJSON }: JQuery.jqXHR): string {
  const { code, reason, params, retryAt } = (responseJSON ?? {}) as Partial<AdminFailure>
  if (status === 0) return words('ask.no-runtime')
  if (code === undefined || reason === undefined) {
    return words(status === 401 || status === 403 ? 'ask.not-allowed' : 'ask.failed')
  }
  const values = { ...params, retryAt: retryAt && clockTime(Date.parse(retryAt)) }
  // Of nodes they speak of a setting, or of an error's part, that a person who waits does not have.
  const isUsedUp = reason === 'quota-wait' || (reason === 'quota-refused' && values.retryAt)
  return isUsedUp ? words('ask.quota-wait', values) : localizeReason({ reason, params: values })
}

/** A reason of the runtime in the viewer's language; settings are called as the account's form calls them. */
export function localizeReason({ reason, params = {} }: { reason: string; params?: object }): string {
  const values: Record<string, unknown> = { ...params }
  for (const [name, prefix] of Object.entries(NAMED)) {
    const key = `${prefix}.${values[name]}`
    const text = words(key)
    // What the catalog does not know comes back as it was, maybe with its namespace.
    if (values[name] !== undefined && !text.endsWith(key)) values[name] = text
  }
  return words(`errors.${reason}`, values).trim()
}
