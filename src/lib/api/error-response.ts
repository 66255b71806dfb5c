import { parseJson, stripBom } from '../decode/json'
import { type EndpointName, endpoints } from '../endpoints'
import { type Cause, EnvlogError, type Reason } from '../errors'
import type { HttpResponse } from './transport'

interface Refusal {
  endpoint: EndpointName
  answer: HttpResponse
  text: string
  /** The text, or nothing where it may hold a secret. */
  guard(text: string): string
}

/** Status → reason (docs/service.md, *Errors*): by the code, because the words are in the host's language. */
const byStatus: Record<number, Reason> = {
  401: 'login-refused',
  403: 'access-refused',
  429: 'quota-refused',
}
/** These may be better the next time (docs/nodes.md, *retries*). */
const FAILING = new Set([500, 502, 503, 504])

export interface Failure {
  error: EnvlogError
  /** False where something on the way has answered: what its headers say is not about our limits. */
  isOfService: boolean
}

/** The failure behind an answer that is not 200, in the service's own code and words (docs/service.md, *Errors*). */
export function readErrorResponse({ endpoint, answer, text, guard }: Refusal): Failure {
  const { status } = answer
  const said = serviceError(text)
  const isOfService = said !== undefined
  const { code, words } = wordsOf(said ?? {}, guard)
  const cause: Cause = { status }
  if (code !== undefined) cause.serviceCode = code
  const reason = reasonOf(status, endpoint, isOfService)
  return {
    error: new EnvlogError(reason, { status, words, serves: endpoints[endpoint].serves }, cause),
    isOfService,
  }
}

function reasonOf(status: number, endpoint: EndpointName, isOfService: boolean): Reason {
  const named = byStatus[status]
  if (named) return named
  if (FAILING.has(status)) return 'service-failed'
  if (status >= 300 && status < 400) return 'redirected'
  if (status < 400 || status >= 500) return 'service-refused'
  if (!isOfService) return 'gateway-answered'
  return endpoint === 'current' ? 'service-refused' : 'device-refused'
}

const LONGEST_WORDS = 300

interface ServiceError {
  code?: unknown
  message?: unknown
}

/** The service's own error object (docs/service.md, *Errors*); a page or an object of something on the way has none. */
function serviceError(text: string): ServiceError | undefined {
  const json = parseJson(stripBom(text)) as { error?: ServiceError | null } | null | undefined
  const error = json?.error
  if (typeof error !== 'object' || error === null) return undefined
  return 'code' in error || 'message' in error ? error : undefined
}

function wordsOf(
  { code, message }: ServiceError,
  guard: (text: string) => string,
): { code?: number | string; words: string } {
  // Control characters could forge lines of a log.
  const told = (text: string) =>
    guard(text)
      .replace(/\p{Cc}+/gu, ' ')
      .slice(0, LONGEST_WORDS)
  const words = typeof message === 'string' ? told(message) : ''
  if (typeof code === 'number' && told(String(code)) !== '') return { code, words }
  const named = typeof code === 'string' ? told(code) : ''
  return named === '' ? { words } : { code: named, words }
}
