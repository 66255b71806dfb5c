/** One request of a check, and its result. */

import { readElements } from '../decode/fields'
import type { EndpointName } from '../endpoints'
import type { EnvlogError } from '../errors'
import type { QuotaHeaders } from '../quota/headers'

/** A JSON object from the service, or the parameters of a request. */
export type Json = Readonly<Record<string, unknown>>

interface Request {
  endpoint: EndpointName
  /** Without credentials. */
  params: Json
  /** Time until the response was complete or the request failed, in ms. */
  durationMs: number
}
export type Answered = Request & { body: Json; quota: QuotaHeaders }
export type Exchange = Answered | (Request & { error: EnvlogError })

export const isAnswered = (exchange: Exchange): exchange is Answered => 'body' in exchange

/** The objects of a list, in any form that the service sends. */
export const objectsIn = (value: unknown): Json[] =>
  (readElements(value) ?? []).filter((one): one is Json => typeof one === 'object' && !Array.isArray(one))
