import * as v from 'valibot'
import { EnvlogError } from '../../lib/errors'
import {
  ACCOUNT_DEFAULTS,
  ACCOUNT_RANGES,
  CREDENTIAL_LENGTHS,
  findAddressProblem,
  findSharedQuotaProblem,
  isRelaySuffix,
  normalizeAddress,
} from '../../shared/account'
import { isLimits, type LimitsTable, readLimits } from '../../shared/service-limits'
import {
  isBlank,
  migrateToToday,
  optionalText,
  parseSettings,
  property,
  textThat,
  trimmedText,
  wholeNumber,
} from '../kit/settings/schema'

const inRange = (name: keyof typeof ACCOUNT_RANGES) =>
  wholeNumber(ACCOUNT_RANGES[name][0], ACCOUNT_RANGES[name][1], ACCOUNT_DEFAULTS[name])

function credential(name: keyof typeof CREDENTIAL_LENGTHS) {
  const [min, max] = CREDENTIAL_LENGTHS[name]
  return textThat(({ length }) => length >= min && length <= max)
}

const account = v.object({
  name: optionalText,
  baseUrl: v.pipe(
    textThat((text) => findAddressProblem(text) === undefined),
    v.transform(normalizeAddress),
  ),
  relaySuffix: property(
    (value) => (isBlank(value) ? ACCOUNT_DEFAULTS.relaySuffix : value),
    v.pipe(v.unknown(), v.string(), v.check(isRelaySuffix)),
  ),
  timeout: inRange('timeout'),
  concurrency: inRange('concurrency'),
  retries: inRange('retries'),
  series1Models: v.pipe(
    optionalText,
    v.transform((text) =>
      text
        .split(',')
        .map((prefix) => prefix.trim())
        .filter((prefix) => prefix !== ''),
    ),
  ),
  limits: v.pipe(
    property(
      (value) => (typeof value === 'object' && value ? JSON.stringify(value) : value),
      textThat(isLimits),
    ),
    v.transform((text): LimitsTable => readLimits(text) ?? {}),
  ),
  store: trimmedText(() => true),
  sharedQuota: trimmedText((text) => text === '' || findSharedQuotaProblem(text) === undefined),
  credentials: v.object({
    apiKey: credential('apiKey'),
    loginId: credential('loginId'),
    loginPass: credential('loginPass'),
    sharedQuotaPassword: optionalText,
  }),
})

type ParsedSettings = v.InferOutput<typeof account>

/**
 * Migrates and checks the saved properties and credentials of an account.
 * @throws EnvlogError `account-incomplete` or `setting-invalid` with the property, `settings-newer`
 */
export function readAccountSettings(config: object, credentials: object): ParsedSettings {
  const saved = migrateToToday('envlog-account', config)
  const flat: Record<string, unknown> = { ...saved, ...credentials }
  const missing = ['baseUrl', ...Object.keys(CREDENTIAL_LENGTHS)].find((property) => isBlank(flat[property]))
  if (missing !== undefined) throw new EnvlogError('account-incomplete', { property: missing })
  return parseSettings(account, { ...saved, credentials })
}
