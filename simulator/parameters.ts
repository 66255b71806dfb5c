/**
 * Checks the parameters of a request against the table of endpoints (docs/service.md, *Requests*). Unknown parameters
 * are allowed.
 */
import { type EndpointName, endpoints, type ParameterRule } from './endpoints'
import { Refusal } from './errors'

export type Parameters = Readonly<Record<string, unknown>>

const credentials = ['api-key', 'login-id', 'login-pass']

/** Parses a request body; `undefined` if it is not a JSON object. */
export function parseParameters(body: Buffer): Parameters | undefined {
  try {
    const value: unknown = JSON.parse(body.toString())
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Parameters)
      : undefined
  } catch {
    return undefined
  }
}

export function withoutCredentials(body: Parameters): Parameters {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !credentials.includes(name)))
}

/** The serial numbers in a request, whether or not it is valid, for faults that are limited to devices. */
export function serialsIn(params: Parameters): string[] {
  return [params['remote-serial'], params['base-serial']]
    .flat()
    .filter((serial) => typeof serial === 'string')
}

const isSerial = (value: unknown) => typeof value === 'string' && value.length === 8
const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0

function isValid(rule: ParameterRule, value: unknown): boolean {
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

/**
 * @param added rules that variants add
 * @throws Refusal for the first invalid parameter
 */
export function checkParameters(
  endpoint: EndpointName,
  params: Parameters,
  added: Readonly<Record<string, ParameterRule>>,
): void {
  const { required, parameters } = endpoints[endpoint]
  const missing = required.find((name) => params[name] === undefined)
  if (missing) throw new Refusal('missing', missing)
  for (const [name, rule] of Object.entries({ ...parameters, ...added })) {
    if (params[name] !== undefined && !isValid(rule, params[name])) throw new Refusal('parameter', name)
  }
  if (endpoint === 'current' && params['remote-serial'] && params['base-serial']) throw new Refusal('both')
}
