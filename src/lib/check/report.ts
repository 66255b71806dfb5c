import { version } from '../version'
import { type Exchange, isSuccessful } from './exchange'

/**
 * Builds a report of the service's responses that does not identify anyone. `envlog-simulator --replay` serves it.
 * @param exchanges anonymized exchanges
 */
export const buildReport = (exchanges: readonly Exchange[]) => ({
  format: 'envlog-report',
  version: 1,
  package: version,
  responses: exchanges.map(toSavedResponse),
})

function toSavedResponse(exchange: Exchange) {
  const { endpoint, params, durationMs } = exchange
  const about = { endpoint, params, durationMs }
  if (!isSuccessful(exchange)) {
    const { reason, cause } = exchange.error
    const { status = null, serviceCode } = cause
    // A text code may contain anything.
    const code = typeof serviceCode === 'number' ? { code: serviceCode } : {}
    return { ...about, status, error: { reason, ...code } }
  }
  const { limit, windowSeconds, remaining, recordsRemaining } = exchange.quota
  const headers = {
    'x-ratelimit-limit': limit,
    'x-ratelimit-reset': windowSeconds,
    'x-ratelimit-remaining': remaining,
    'x-ratelimit-remaining-datacount': recordsRemaining,
  }
  const sent = Object.entries(headers).filter(([, value]) => value !== null)
  const texts = Object.fromEntries(sent.map(([name, value]) => [name, String(value)]))
  return { ...about, status: 200, headers: texts, body: exchange.body }
}
