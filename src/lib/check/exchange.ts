/** A request of a check and its result. */

import { type Fields, isObject, readElements } from '../decode/fields'
import type { EndpointName } from '../endpoints'
import type { EnvlogError } from '../errors'
import type { QuotaHeaders } from '../quota-headers'

interface Request {
  endpoint: EndpointName
  /** Without credentials. */
  params: Fields
  /** Time until the response was complete or the request failed, in ms. */
  durationMs: number
}
export type SuccessfulExchange = Request & { body: Fields; quota: QuotaHeaders }
export type Exchange = SuccessfulExchange | (Request & { error: EnvlogError })

export const isSuccessful = (exchange: Exchange): exchange is SuccessfulExchange => 'body' in exchange

/** The objects in a list, which the service may send in several forms. */
export const objectsIn = (value: unknown): Fields[] => (readElements(value) ?? []).filter(isObject)
