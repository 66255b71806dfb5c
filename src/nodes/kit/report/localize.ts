import type { NodeAPI } from 'node-red'
import { type Cause, EnvlogError, type ErrorCode } from '../../../lib/errors'
import { ACTION_TYPES, nameOfType } from '../../../shared/action'
import { formatLocalTime } from './status'

/** An error as Catch nodes get it. Its `name` is the code, because users read `String(error)`. */
export interface LocalizedError extends Error {
  code: ErrorCode | undefined
  cause: Cause
}

/** The error with a message in the language of the server; of an unexpected error only its name and code. */
export function localizeError(RED: NodeAPI, error: unknown): Error {
  // The message of an unexpected error may contain secrets.
  if (!(error instanceof EnvlogError))
    return new Error(RED._('failure.unexpected', { detail: identifyError(error) }))
  const { reason, params, code, cause } = error
  const { serves, property, retryAt } = params
  const localized = {
    ...params,
    serves: typeof serves === 'string' ? RED._(`serves.${serves}`) : '',
    ...(typeof property === 'string' && { property: labelOf(RED, property) }),
    ...(typeof retryAt === 'string' && { retryAt: formatLocalTime(Date.parse(retryAt)) }),
  }
  const result = new Error(RED._(`errors.${reason}`, localized as never)) as LocalizedError
  result.name = code
  result.code = code
  result.cause = { ...cause }
  // Some nodes log the stack instead of the message, and a stack of this function is of no use.
  result.stack = `${code}: ${result.message}`
  return result
}

/** Where the catalog has the labels of the forms. */
const LABEL_GROUPS = ['label', ...ACTION_TYPES.map(nameOfType), 'account']
/** Properties that share the field of another one in the form. */
const SHARED_FIELDS: Record<string, string> = {
  devices: 'select',
  bases: 'select',
  fromType: 'from',
  toType: 'to',
}

/** The label of a property in the form; the property itself where the form has none, such as one of a message. */
function labelOf(RED: NodeAPI, property: string): string {
  const [first = ''] = property.split('.')
  const name = SHARED_FIELDS[first] ?? first
  for (const group of LABEL_GROUPS) {
    const key = `${group}.${name}`
    const label = RED._(key)
    // Node-RED returns the key where the catalog has no text for it.
    if (label !== key) return label
  }
  return property
}

function identifyError(error: unknown): string {
  return error instanceof Error
    ? `${error.name} ${(error as NodeJS.ErrnoException).code ?? ''}`.trim()
    : typeof error
}
