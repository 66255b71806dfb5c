import { EnvlogError } from '../errors'
import type { DeviceFailure, ResolvedDevice } from './devices'

/**
 * Decodes a response about one device. Its unreadable parts are left out and reported.
 * @param read decodes the body; `unreadable` has the paths of unreadable parts
 * @throws EnvlogError `reply-unreadable` if no part can be read
 */
export function decode<B, R extends { unreadable: readonly string[] }>(
  { serial, base }: ResolvedDevice,
  { endpoint, body }: { endpoint: string; body: B },
  read: (body: B) => R,
): R & { failed: DeviceFailure[] } {
  try {
    const result = read(body)
    if (result.unreadable.length === 0) return { ...result, failed: [] }
    const params = { part: namesOf(result.unreadable) }
    const error = new EnvlogError('reply-left-out', params, { endpoint, serial, base })
    return { ...result, failed: [{ device: { serial, base }, error }] }
  } catch (error) {
    // Errors of requests already have the endpoint.
    throw error instanceof EnvlogError ? error.with({ endpoint }) : error
  }
}

/** Maximum number of parts of a response that an error message lists. */
const MAX_NAMED_PARTS = 3

const namesOf = (parts: readonly string[]) =>
  [...parts.slice(0, MAX_NAMED_PARTS), ...(parts.length > MAX_NAMED_PARTS ? ['…'] : [])].join(', ')
