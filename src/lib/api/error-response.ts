import { parseJson, stripBom } from '../decode/fields'
import { type EndpointName, endpoints } from '../endpoints'
import { type Cause, EnvlogError, type Reason } from '../errors'
import { type Redactor, toOneLine } from '../redact'

interface ErrorResponseParts {
  endpoint: EndpointName
  /** Normalized service address. */
  baseUrl: string
  /** The HTTP status; never 200. */
  status: number
  text: string
  /** Number of retries so far. */
  retriesDone: number
  redactor: Redactor
}

/** Statuses of temporary failures, which are retried (docs/errors.md, *Retries*). */
const TRANSIENT_STATUSES = new Set([500, 502, 503, 504])

/**
 * Reads a response whose status is not 200 (docs/service.md, *Errors*). The error contains the service's code and
 * message. If a proxy or gateway responded instead, the headers do not describe the service's limits.
 */
export function readErrorResponse(parts: ErrorResponseParts): { error: EnvlogError; isFromService: boolean } {
  const { endpoint, status, text, redactor } = parts
  const { code, message } = (text.length <= MAX_READ_LENGTH && parseErrorObject(text)) || {}
  const isFromService = code !== undefined || message !== undefined
  // Secrets are removed before the text is shortened, because a part of a secret would not be recognized.
  const toSafeText = (value: unknown) =>
    toOneLine(
      redactor.guard(toOneLine(String(value)).slice(0, MAX_GUARDED_LENGTH)).slice(0, MAX_MESSAGE_LENGTH),
    )
  const words = typeof message === 'string' ? toSafeText(message) : ''
  const serviceCode = typeof code === 'number' || typeof code === 'string' ? toSafeText(code) : ''
  const cause: Cause = { status }
  if (serviceCode !== '') cause.serviceCode = typeof code === 'number' ? code : serviceCode
  const params = { status, words, serves: endpoints[endpoint].serves }
  return { error: new EnvlogError(reasonOf(parts, isFromService), params, cause), isFromService }
}

/**
 * Derives the reason from the status (docs/service.md, *Errors*), not from the message, because the language of the
 * message depends on the host. After a 429, the quota says which limit it was.
 */
function reasonOf(parts: ErrorResponseParts, isFromService: boolean): Reason {
  const { status, endpoint, retriesDone } = parts
  if (TRANSIENT_STATUSES.has(status)) return retriesDone > 0 ? 'service-failed-again' : 'service-failed'
  if (status >= 300 && status < 400) return 'redirected'
  if (status < 400 || status >= 500) return 'service-refused'
  if (status === 404 && endpoints[endpoint].serves === 'relay') return 'relay-not-found'
  if (!isFromService) return 'gateway-responded'
  if (status === 401) return 'login-refused'
  if (status === 403) return 'access-refused'
  return endpoint === 'current' ? reasonOfAll(parts) : 'device-refused'
}

/** The reason if the service refuses the request for all devices. */
function reasonOfAll({ status, baseUrl }: ErrorResponseParts): Reason {
  const hasPath = new URL(baseUrl).pathname !== '/'
  return status === 404 && hasPath ? 'path-not-found' : 'service-refused'
}

/** A longer response is that of a gateway. Parsing up to 16 MB of it, and making it one line, could take seconds. */
export const MAX_READ_LENGTH = 200_000
const MAX_MESSAGE_LENGTH = 300
/** Longer than the displayed text, so that a secret that begins within it is still found. */
const MAX_GUARDED_LENGTH = 4000

/**
 * The service's error object (docs/service.md, *Errors*), which is either the property `error` or the complete
 * response; `undefined` for an HTML page or any other object, for example from a gateway.
 */
function parseErrorObject(text: string): { code?: unknown; message?: unknown } | undefined {
  const json = parseJson(stripBom(text)) as { error?: unknown } | null | undefined
  return [json?.error, json].find(
    (value): value is object =>
      typeof value === 'object' && value !== null && ('code' in value || 'message' in value),
  )
}
