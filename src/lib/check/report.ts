import { randomBytes, randomInt } from 'node:crypto'
import type { EndpointName } from '../endpoints'
import { type Anonymizer, createAnonymizer } from './anonymize'
import { type Exchange, isAnswered } from './exchange'

/** A file that shows what the service answers and gives nothing away; `envlog-simulator --replay` serves it. */
export interface SavedReport {
  format: 'envlog-report'
  version: 1
  /** Version of the package that made it. */
  package: string
  answers: SavedAnswer[]
}

export interface SavedAnswer {
  endpoint: EndpointName
  /** Parameters of the request, without credentials. */
  params: Record<string, unknown>
  durationMs: number
  /** HTTP status; `null` where there was no response. */
  status: number | null
  /** Of a successful request. */
  headers?: Record<string, string>
  body?: object
  /** Of a failed one: the package's reason, and the service's words. */
  error?: { reason: string; code?: string | number; words?: string }
}

/** Times move back by a number of weeks between these: the hour and the day of the week stay. */
const WEEKS = [4, 104] as const

/** What a check shows: its exchanges with stand-ins for names and serial numbers, and times that have moved. */
export interface AnonymizedCheck {
  exchanges: Exchange[]
  anonymizer: Anonymizer
}

/**
 * Replaces names, serial numbers and times of all exchanges, in steps.
 * @param hasSecret finds credentials and the address, which a service may repeat
 */
export function* anonymizeExchanges(
  exchanges: readonly Exchange[],
  hasSecret: (text: string) => boolean,
  random = { key: randomBytes(32).toString('hex'), weeks: randomInt(...WEEKS) },
): Generator<undefined, AnonymizedCheck> {
  const originals = exchanges.flatMap((exchange) => [
    exchange.params,
    ...(isAnswered(exchange) ? [exchange.result.body] : []),
  ])
  const anonymizer = yield* createAnonymizer(originals, { hasSecret, ...random })
  const converted: Exchange[] = []
  for (const exchange of exchanges) {
    const { result } = exchange
    converted.push({
      ...exchange,
      params: yield* anonymizer.convert(exchange.params),
      result: result.isAnswered ? { ...result, body: yield* anonymizer.convert(result.body) } : result,
    })
  }
  return { anonymizer, exchanges: converted }
}

/**
 * The report of an anonymized check, in steps.
 * @returns `undefined` where a name, serial number or secret is left in it: then it must not be shared
 */
export function* buildReport(
  { exchanges, anonymizer }: AnonymizedCheck,
  packageVersion: string,
): Generator<undefined, SavedReport | undefined> {
  const answers = exchanges.map((exchange) => toSavedAnswer(exchange, anonymizer))
  for (const { params, body = {}, error } of answers) {
    // The reason is the package's own word.
    for (const shared of [params, body, { words: error?.words }])
      if (yield* anonymizer.reveals(shared)) return undefined
  }
  return { format: 'envlog-report', version: 1, package: packageVersion, answers }
}

function toSavedAnswer(
  { endpoint, params, durationMs, result }: Exchange,
  anonymizer: Anonymizer,
): SavedAnswer {
  const about = { endpoint, params: { ...params }, durationMs }
  if (!result.isAnswered) {
    const { reason, cause, params: details } = result.error
    const words = anonymizer.convertText(String(details.words ?? ''))
    const error: NonNullable<SavedAnswer['error']> = { reason, words }
    if (typeof cause.serviceCode === 'number') error.code = cause.serviceCode
    return { ...about, status: cause.status ?? null, error }
  }
  const { limit, windowSeconds, remaining, recordsRemaining } = result.quota
  const headers = {
    'content-type': mediaTypeOf(result.contentType),
    'x-ratelimit-limit': limit,
    'x-ratelimit-reset': windowSeconds,
    'x-ratelimit-remaining': remaining,
    'x-ratelimit-remaining-datacount': recordsRemaining,
  }
  const known = Object.entries(headers).filter(([, value]) => value !== null && value !== undefined)
  return {
    ...about,
    status: 200,
    headers: Object.fromEntries(known.map(([name, value]) => [name, String(value)])),
    body: result.body,
  }
}

/** A header may hold anything, also what was sent: only the usual types are saved, without their parameters. */
const mediaTypeOf = (contentType = '') =>
  /^(?:application|text)\/(?:json|plain|html|xml|csv|javascript|octet-stream)(?=\s*(?:;|$))/i.exec(
    contentType,
  )?.[0]
