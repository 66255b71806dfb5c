import * as z from 'zod/mini'
import { findAddressProblem, findSharedQuotaProblem, normalizeAddress } from './addresses'
import { isTimeZone } from './local-clock'
import { TEMPERATURE_UNITS } from './quantity'
import {
  checked,
  nodeProperties,
  orDefault,
  text,
  textThat,
  trimmedText,
  wholeNumber,
  wholeSeconds,
} from './schema'
import { LIMITS, type LimitsTable, MAX_WINDOW_SECONDS } from './service-limits'

export const ACCOUNT_DEFAULTS = { relaySuffix: 'relay', timeout: 30, concurrency: 2, retries: 3 } as const

/** Becomes part of a path, so it must contain only characters that need no escaping. */
const relaySuffix = textThat((value) => /^[\w-]{1,40}$/.test(value), 'relay-suffix')

const address = z.pipe(
  text.check(
    checked((value) => {
      if (value.includes('${')) return { problem: 'variable-inside' }
      const problem = findAddressProblem(value)
      return problem && { problem: problem === 'missing' ? problem : `address-${problem}` }
    }),
  ),
  z.transform(normalizeAddress),
)

/** Prefixes separated by commas. */
const prefixes = z.transform((list) =>
  String(list)
    .split(',')
    .map((prefix) => prefix.trim())
    .filter((prefix) => prefix !== ''),
)

const amount = z.optional(z.int().check(z.minimum(1)))
const seconds = z.optional(z.int().check(z.minimum(1), z.maximum(MAX_WINDOW_SECONDS)))

/** The rows and columns of the service's table, all optional. */
const limitsTable = z.strictObject(
  Object.fromEntries(
    Object.entries(LIMITS).map(([endpoint, row]) => {
      const columns = Object.keys(row).map((name) => [name, name.endsWith('indow') ? seconds : amount])
      return [endpoint, z.optional(z.strictObject(Object.fromEntries(columns)))]
    }),
  ),
)

/**
 * Reads the setting `limits`, which overrides rows of the table of limits; `undefined` if it is invalid. It is JSON
 * text, but flows that are written by hand may contain an object.
 */
export function readLimitsTable(value: unknown): LimitsTable | undefined {
  try {
    const table = typeof value === 'string' ? JSON.parse(value || '{}') : value
    return z.safeParse(limitsTable, table).data as LimitsTable | undefined
  } catch {
    return undefined
  }
}

const limits = z.pipe(
  z
    .transform(readLimitsTable)
    .check(checked((table) => (table === undefined ? { problem: 'limits' } : undefined))),
  z.transform((table) => table ?? {}),
)

const sharedQuota = trimmedText.check(
  checked((value) => {
    const problem = value === '' ? undefined : findSharedQuotaProblem(value)
    return problem && { problem: `shared-quota-${problem}` }
  }),
)

const timeZone = trimmedText.check(
  checked((name) => (name === '' || isTimeZone(name) ? undefined : { problem: 'time-zone', value: name })),
)

/** The saved properties of an account. */
export const accountSchema = z.object({
  ...nodeProperties,
  baseUrl: orDefault(address, ''),
  relaySuffix: orDefault(relaySuffix, ACCOUNT_DEFAULTS.relaySuffix),
  timeout: orDefault(wholeSeconds(1, 3600), ACCOUNT_DEFAULTS.timeout),
  concurrency: orDefault(wholeNumber(1, 20), ACCOUNT_DEFAULTS.concurrency),
  retries: orDefault(wholeNumber(0, 10), ACCOUNT_DEFAULTS.retries),
  limits: orDefault(limits, ''),
  timeZone: orDefault(timeZone, ''),
  temperatureUnit: orDefault(z.nullable(z.enum(TEMPERATURE_UNITS)), null),
  series1Models: orDefault(prefixes, ''),
  store: orDefault(trimmedText, ''),
  sharedQuota: orDefault(sharedQuota, ''),
  tls: orDefault(text, ''),
  proxy: orDefault(text, ''),
})

/** A credential with a length in characters (docs/service.md, *Requests*). */
function credential(schema: typeof text, least: number, most = least) {
  const problem = least === most ? 'length' : 'length-between'
  const check = checked(({ length: found }: string) => {
    if (found === 0) return { problem: 'missing' }
    return found >= least && found <= most ? undefined : { problem, least, most, found }
  })
  return orDefault(schema.check(check), '')
}

/** The credentials of an account. */
export const credentialsSchema = z.object({
  apiKey: credential(trimmedText, 45),
  loginId: credential(trimmedText, 8),
  loginPass: credential(text, 4, 16),
  sharedQuotaPassword: orDefault(text, ''),
})
