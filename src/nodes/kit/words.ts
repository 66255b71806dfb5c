import type { NodeAPI } from 'node-red'
import { type Cause, EnvlogError, type ErrorCode } from '../../lib/errors'

/** A failure in words, as Catch nodes get it: `name` is the code, because users read `String(error)`. */
export interface Report extends Error {
  code: ErrorCode | undefined
  cause: Cause
}

/** The sentence of the server's language for a failure; of anything else only what kind of error it is. */
export function inWords(RED: NodeAPI, error: unknown): Error {
  // An error that is none of ours is a defect: its own words may hold what must not be seen.
  if (!(error instanceof EnvlogError))
    return new Error(RED._('failure.unexpected', { detail: nameOf(error) }))
  const { reason, params, code, cause } = error
  const serves = typeof params.serves === 'string' ? RED._(`serves.${params.serves}`) : ''
  const report = new Error(RED._(`errors.${reason}`, { ...params, serves } as never)) as Report
  report.name = code
  report.code = code
  report.cause = { ...cause }
  // The stack of the place where words were made helps nobody, and some log it instead of the sentence.
  report.stack = `${code}: ${report.message}`
  return report
}

function nameOf(error: unknown): string {
  return error instanceof Error
    ? `${error.name} ${(error as NodeJS.ErrnoException).code ?? ''}`.trim()
    : typeof error
}
