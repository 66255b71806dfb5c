/** A request of a check and its result. */

import { readElements } from '../decode/fields'
import type { EndpointName } from '../endpoints'
import type { EnvlogError } from '../errors'
import type { QuotaHeaders } from '../quota/headers'

/** A JSON object from the service, or the parameters of a request. */
export type JsonObject = Readonly<Record<string, unknown>>

interface Request {
  endpoint: EndpointName
  /** Without credentials. */
  params: JsonObject
  /** Time until the response was complete or the request failed, in ms. */
  durationMs: number
}
export type SuccessfulExchange = Request & { body: JsonObject; quota: QuotaHeaders }
export type Exchange = SuccessfulExchange | (Request & { error: EnvlogError })

export const isSuccessful = (exchange: Exchange): exchange is SuccessfulExchange => 'body' in exchange

/** The objects in a list, which the service may send in several forms. */
export const objectsIn = (value: unknown): JsonObject[] =>
  (readElements(value) ?? []).filter(
    (element): element is JsonObject => typeof element === 'object' && !Array.isArray(element),
  )
