import { parseJson, stripBom } from '../decode/json'
import { type EndpointName, endpoints } from '../endpoints'
import { type Cause, EnvlogError, type Reason } from '../errors'
import type { Redactor } from '../redact'

interface ErrorResponseParts {
  endpoint: EndpointName
  /** Not 200. */
  status: number
  text: string
  /** Number of earlier attempts. */
  retriesDone: number
  redactor: Redactor
}

/**
 * Status → reason (docs/service.md, *Errors*). The message cannot be used, because its language depends on the host.
 */
const SERVICE_REASONS: Record<number, Reason> = {
  401: 'login-refused',
  403: 'access-refused',
}
/** Statuses of temporary failures, which are retried (docs/errors.md, *Retries*). */
const TRANSIENT_STATUSES = new Set([500, 502, 503, 504])

export interface ErrorResponse {
  error: EnvlogError
  /** False if a proxy or gateway responded: its headers say nothing about the service's limits. */
  isFromService: boolean
}

/**
 * Reads a response whose status is not 200 (docs/service.md, *Errors*). The error contains the service's code and
 * message.
 */
export function readErrorResponse(parts: ErrorResponseParts): ErrorResponse {
  const { endpoint, status, text, redactor } = parts
  const errorObject = parseErrorObject(text)
  const isFromService = errorObject !== undefined
  const { code, message } = readErrorObject(errorObject ?? {}, redactor)
  const cause: Cause = { status }
  if (code !== undefined) cause.serviceCode = code
  const params = { status, words: message, serves: endpoints[endpoint].serves }
  return { error: new EnvlogError(reasonOf(parts, isFromService), params, cause), isFromService }
}

function reasonOf({ status, endpoint, retriesDone }: ErrorResponseParts, isFromService: boolean): Reason {
  if (status === 429) return 'quota-refused'
  if (TRANSIENT_STATUSES.has(status)) return retriesDone > 0 ? 'service-failed-again' : 'service-failed'
  if (status >= 300 && status < 400) return 'redirected'
  if (status < 400 || status >= 500) return 'service-refused'
  if (status === 404 && endpoints[endpoint].relay) return 'relay-not-found'
  if (!isFromService) return 'gateway-answered'
  return SERVICE_REASONS[status] ?? (endpoint === 'current' ? 'service-refused' : 'device-refused')
}

const MAX_MESSAGE_LENGTH = 300
/** Longer than the text that is shown, so that a secret at its end is still found. */
const MAX_GUARDED_LENGTH = 4000

interface ErrorObject {
  code?: unknown
  message?: unknown
}

/**
 * The service's error object (docs/service.md, *Errors*), wrapped in `error` or not; `undefined` for a page or any
 * other object, such as a gateway's.
 */
function parseErrorObject(text: string): ErrorObject | undefined {
  const json = parseJson(stripBom(text)) as { error?: unknown } | null | undefined
  const candidates = [json?.error, json]
  return candidates.find(
    (one): one is ErrorObject =>
      typeof one === 'object' && one !== null && ('code' in one || 'message' in one),
  )
}

/** The code and message, without secrets. */
function readErrorObject(
  { code, message }: ErrorObject,
  redactor: Redactor,
): { code?: number | string; message: string } {
  // Control characters could forge log lines.
  const toSafeText = (text: unknown) =>
    typeof text === 'string'
      ? redactor
          .guard(text.slice(0, MAX_GUARDED_LENGTH))
          .replace(/\p{Cc}+/gu, ' ')
          .slice(0, MAX_MESSAGE_LENGTH)
      : ''
  const safeMessage = toSafeText(message)
  if (typeof code === 'number' && toSafeText(String(code)) !== '') return { code, message: safeMessage }
  const safeCode = toSafeText(code)
  return safeCode === '' ? { message: safeMessage } : { code: safeCode, message: safeMessage }
}
