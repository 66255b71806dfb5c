import { parseJson, stripBom } from '../decode/json'
import { type EndpointName, endpoints } from '../endpoints'
import { type Cause, EnvlogError, type Reason } from '../errors'

interface ErrorResponseParts {
  endpoint: EndpointName
  /** Any but 200. */
  status: number
  /** The body. */
  text: string
  /** Returns a text as it is, or a blank one where it may hold a secret. */
  guard(text: string): string
}

/** Status → reason (docs/service.md, *Errors*). The message does not help: it is in the language of the host. */
const REASONS: Record<number, Reason> = {
  401: 'login-refused',
  403: 'access-refused',
  429: 'quota-refused',
}
/** Statuses of transient failures, which are retried (docs/nodes.md, *retries*). */
const TRANSIENT_STATUSES = new Set([500, 502, 503, 504])

export interface ErrorResponse {
  error: EnvlogError
  /** False where a proxy or gateway has answered: its headers say nothing about the service's limits. */
  isFromService: boolean
}

/**
 * Reads a response whose status is not 200 (docs/service.md, *Errors*). The error has the service's code and message.
 */
export function readErrorResponse({ endpoint, status, text, guard }: ErrorResponseParts): ErrorResponse {
  const errorObject = parseErrorObject(text)
  const isFromService = errorObject !== undefined
  const { code, message } = readErrorObject(errorObject ?? {}, guard)
  const cause: Cause = { status }
  if (code !== undefined) cause.serviceCode = code
  const reason = reasonOf(status, endpoint, isFromService)
  const params = { status, words: message, serves: endpoints[endpoint].serves }
  return { error: new EnvlogError(reason, params, cause), isFromService }
}

function reasonOf(status: number, endpoint: EndpointName, isFromService: boolean): Reason {
  const reason = REASONS[status]
  if (reason) return reason
  if (TRANSIENT_STATUSES.has(status)) return 'service-failed'
  if (status >= 300 && status < 400) return 'redirected'
  if (status < 400 || status >= 500) return 'service-refused'
  if (!isFromService) return 'gateway-answered'
  return endpoint === 'current' ? 'service-refused' : 'device-refused'
}

const MAX_MESSAGE_LENGTH = 300

interface ErrorObject {
  code?: unknown
  message?: unknown
}

/**
 * The service's error object (docs/service.md, *Errors*); `undefined` for a page or other object, such as a gateway's.
 */
function parseErrorObject(text: string): ErrorObject | undefined {
  const json = parseJson(stripBom(text)) as { error?: ErrorObject | null } | null | undefined
  const error = json?.error
  if (typeof error !== 'object' || error === null) return undefined
  return 'code' in error || 'message' in error ? error : undefined
}

/** The code and message as far as they can be shown. */
function readErrorObject(
  { code, message }: ErrorObject,
  guard: (text: string) => string,
): { code?: number | string; message: string } {
  // Control characters could forge lines of a log.
  const toSafeText = (text: string) =>
    guard(text)
      .replace(/\p{Cc}+/gu, ' ')
      .slice(0, MAX_MESSAGE_LENGTH)
  const safeMessage = typeof message === 'string' ? toSafeText(message) : ''
  if (typeof code === 'number' && toSafeText(String(code)) !== '') return { code, message: safeMessage }
  const safeCode = typeof code === 'string' ? toSafeText(code) : ''
  return safeCode === '' ? { message: safeMessage } : { code: safeCode, message: safeMessage }
}
