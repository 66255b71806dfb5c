/** One request of a check of the service, and what came of it. */

import type { QuotaHeaders } from '../api/quota-headers'
import type { EndpointName } from '../endpoints'
import type { EnvlogError } from '../errors'

export interface Exchange {
  endpoint: EndpointName
  /** Parameters of the request, without credentials. */
  params: Readonly<Record<string, unknown>>
  /** Time until the answer was complete or failed, in ms. */
  durationMs: number
  result: ExchangeResult
}

export type ExchangeResult =
  | {
      isAnswered: true
      /** The JSON of the answer, as the service sends it. */
      body: object
      quota: QuotaHeaders
      /** `Content-Type` of the answer; absent where it is not known. */
      contentType?: string
    }
  | { isAnswered: false; error: EnvlogError }

/** An exchange that was answered. */
export type Answered = Exchange & { result: { isAnswered: true } }

export function isAnswered(exchange: Exchange): exchange is Answered {
  return exchange.result.isAnswered
}
