/**
 * Checks the parameters of a request against the table of endpoints (docs/service.md, *Requests*). Unknown parameters
 * are allowed.
 */
import { type EndpointName, endpoints, type ParameterRule } from './endpoints'
import { Refusal } from './errors'

export type Parameters = Readonly<Record<string, unknown>>

const credentials = ['api-key', 'login-id', 'login-pass']

export function withoutCredentials(body: Parameters): Parameters {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !credentials.includes(name)))
}

/** The serials in a request of any form, for faults of single devices. */
export function namedSerials(params: Parameters): string[] {
  return [params['remote-serial'], params['base-serial']]
    .flat()
    .filter((serial) => typeof serial === 'string')
}

const isSerial = (value: unknown) => typeof value === 'string' && value.length === 8
const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0

function fits(rule: ParameterRule, value: unknown): boolean {
  switch (rule) {
    case 'serial':
      return isSerial(value)
    case 'serials':
      return Array.isArray(value) && value.length > 0 && value.every(isSerial)
    case 'time':
      return isCount(value)
    case 'count':
      return isCount(value) && value !== 0
    default:
      return rule.includes(value as string)
  }
}

/** @param more rules that variants add  @throws Refusal for the first invalid parameter */
export function checkParameters(
  endpoint: EndpointName,
  params: Parameters,
  more: Readonly<Record<string, ParameterRule>>,
): void {
  const { required, parameters } = endpoints[endpoint]
  const absent = required.find((name) => params[name] === undefined)
  if (absent) throw new Refusal('missing', absent)
  for (const [name, rule] of Object.entries({ ...parameters, ...more })) {
    if (params[name] !== undefined && !fits(rule, params[name])) throw new Refusal('parameter', name)
  }
  if (endpoint === 'current' && params['remote-serial'] && params['base-serial']) throw new Refusal('both')
}
