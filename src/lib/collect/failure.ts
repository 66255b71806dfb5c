import { EnvlogError } from '../errors'
import type { Failure } from './states'

/** What a failed request says of the next one. */
export function failureOf(error: unknown): Failure {
  if (!(error instanceof EnvlogError)) return 'passing'
  if (error.reason === 'device-refused') return 'refused'
  return error.code === 'ENVLOG_REPLY' ? 'unreadable' : 'passing'
}
