import { type Cause, EnvlogError, type Reason } from '../errors'
import { type EndpointName, endpoints } from './endpoints'
import { withoutBom } from './json'
import type { WireAnswer } from './transport'

interface Refusal {
  endpoint: EndpointName
  answer: WireAnswer
  text: string
  redact(text: string): string
}

/** Status → reason (field notes, *Errors and limits*: classify by code, the words are in the host's language). */
const byStatus: Record<number, Reason> = {
  401: 'login-refused',
  403: 'access-refused',
  429: 'quota-refused',
}
/** These may be better the next time (nodes.md, *retries*). */
const FAILING = new Set([500, 502, 503, 504])

/** The failure behind an answer that is not 200, in the service's own code and words (*Errors*). */
export function failureOf({ endpoint, answer, text, redact }: Refusal): EnvlogError {
  const { status } = answer
  const { code, words } = serviceError(text, redact)
  const cause: Cause = { status }
  if (code !== undefined) cause.serviceCode = code
  return new EnvlogError(
    reasonOf(status, endpoint),
    { status, words, serves: endpoints[endpoint].serves },
    cause,
  )
}

function reasonOf(status: number, endpoint: EndpointName): Reason {
  const named = byStatus[status]
  if (named) return named
  if (FAILING.has(status)) return 'service-failed'
  if (status >= 300 && status < 400) return 'redirected'
  return status >= 400 && status < 500 && endpoint !== 'current' ? 'device-refused' : 'service-refused'
}

const LONGEST_WORDS = 300

function serviceError(
  text: string,
  redact: (text: string) => string,
): { code?: number | string; words: string } {
  try {
    const { error } = JSON.parse(withoutBom(text)) as { error?: { code?: unknown; message?: unknown } }
    const code = error?.code
    const message = error?.message
    const words = typeof message === 'string' ? redact(message).slice(0, LONGEST_WORDS) : ''
    if (typeof code === 'number' && redact(String(code)) === String(code)) return { code, words }
    if (typeof code === 'string' && code !== '') return { code: redact(code).slice(0, LONGEST_WORDS), words }
    return { words }
  } catch {
    return { words: '' }
  }
}
