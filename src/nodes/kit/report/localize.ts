import type { NodeAPI } from 'node-red'
import { type Cause, EnvlogError, type ErrorCode } from '../../../lib/errors'
import { formatLocalTime } from './status'

/** A failure in words, as Catch nodes get it: `name` is the code, because users read `String(error)`. */
export interface LocalizedError extends Error {
  code: ErrorCode | undefined
  cause: Cause
}

/** The sentence of the server's language for a failure; of anything else only what kind of error it is. */
export function localizeError(RED: NodeAPI, error: unknown): Error {
  // An error that is none of ours is a defect: its own words may hold what must not be seen.
  if (!(error instanceof EnvlogError))
    return new Error(RED._('failure.unexpected', { detail: nameOf(error) }))
  const { reason, params, code, cause } = error
  const { serves, property, retryAt } = params
  const told = {
    ...params,
    serves: typeof serves === 'string' ? RED._(`serves.${serves}`) : '',
    ...(typeof property === 'string' && { property: labelOf(RED, property) }),
    ...(typeof retryAt === 'string' && { retryAt: formatLocalTime(Date.parse(retryAt)) }),
  }
  const report = new Error(RED._(`errors.${reason}`, told as never)) as LocalizedError
  report.name = code
  report.code = code
  report.cause = { ...cause }
  // The stack of the place where words were made helps nobody, and some log it instead of the sentence.
  report.stack = `${code}: ${report.message}`
  return report
}

const ACCOUNT = '@envlog/node-red-envlog/envlog-account:account'
/** Where the catalogs have the labels of the forms. */
const LABELS = ['label', 'range', 'latest', 'current', ACCOUNT]
/** Fields of the form that stand for several properties. */
const FIELDS: Record<string, string> = { devices: 'select', bases: 'select', fromType: 'from', toType: 'to' }

/** What the form calls a property; as it is where the form has none, as of a message. */
function labelOf(RED: NodeAPI, property: string): string {
  const [first = ''] = property.split('.')
  const name = FIELDS[first] ?? first
  for (const place of LABELS) {
    const key = [place, name].join('.')
    const label = RED._(key)
    // What the catalog does not have comes back as it was asked for.
    if (!label.endsWith(key)) return label
  }
  return property
}

function nameOf(error: unknown): string {
  return error instanceof Error
    ? `${error.name} ${(error as NodeJS.ErrnoException).code ?? ''}`.trim()
    : typeof error
}
