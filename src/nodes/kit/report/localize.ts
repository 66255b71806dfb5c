import type { NodeAPI } from 'node-red'
import { type Cause, EnvlogError, type ErrorCode } from '../../../lib/errors'
import { localizeParams } from '../../../shared/problems'
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
  const { retryAt } = params
  const localized = {
    ...localizeParams(params, (key, values) => RED._(key, values as never)),
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

function identifyError(error: unknown): string {
  return error instanceof Error
    ? `${error.name} ${(error as NodeJS.ErrnoException).code ?? ''}`.trim()
    : typeof error
}
