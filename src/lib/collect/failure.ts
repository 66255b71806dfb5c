import { EnvlogError } from '../errors'
import type { Failure } from './states'

/** What a failed request says of the next one. */
export function failureOf(error: unknown): Failure {
  if (!(error instanceof EnvlogError)) return 'passing'
  return error.reason === 'device-refused' || error.code === 'ENVLOG_REPLY' ? 'lasting' : 'passing'
}
