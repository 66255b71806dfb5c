import { EnvlogError } from '../../../lib/errors'
import type { AdminFailure } from '../../../shared/admin'

/** An error as the editor gets it. */
export function toAdminFailure(error: unknown): AdminFailure {
  // The message of an unexpected error may contain secrets.
  if (!(error instanceof EnvlogError)) return { reason: 'unexpected', params: {} }
  const { code, reason, params, subject, cause } = error
  const { retryAt } = cause
  return { code, reason, params, ...(subject && { subject }), ...(retryAt !== undefined && { retryAt }) }
}
