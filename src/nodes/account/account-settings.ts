import { z } from 'zod'
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
import { isBlank, migrateToToday, optionalText, parseSettings, wholeNumber } from '../kit/settings/schema'

const inRange = (name: keyof typeof ACCOUNT_RANGES) =>
  wholeNumber(ACCOUNT_RANGES[name][0], ACCOUNT_RANGES[name][1], ACCOUNT_DEFAULTS[name])

function credential(name: keyof typeof CREDENTIAL_LENGTHS) {
  const [min, max] = CREDENTIAL_LENGTHS[name]
  return optionalText.refine((value) => value.length >= min && value.length <= max)
}

const account = z.object({
  name: optionalText,
  baseUrl: optionalText
    .refine((value) => findAddressProblem(value) === undefined)
    .transform(normalizeAddress),
  relaySuffix: z.preprocess(
    (value) => (isBlank(value) ? ACCOUNT_DEFAULTS.relaySuffix : value),
    z.string().refine(isRelaySuffix),
  ),
  timeout: inRange('timeout'),
  concurrency: inRange('concurrency'),
  retries: inRange('retries'),
  series1Models: optionalText.transform((value) =>
    value
      .split(',')
      .map((prefix) => prefix.trim())
      .filter((prefix) => prefix !== ''),
  ),
  limits: z
    .preprocess((value) => (typeof value === 'object' && value ? JSON.stringify(value) : value), optionalText)
    .refine(isLimits)
    .transform((value): LimitsTable => readLimits(value) ?? {}),
  store: optionalText.transform((value) => value.trim()),
  sharedQuota: optionalText
    .transform((value) => value.trim())
    .refine((value) => value === '' || findSharedQuotaProblem(value) === undefined),
  credentials: z.object({
    apiKey: credential('apiKey'),
    loginId: credential('loginId'),
    loginPass: credential('loginPass'),
    sharedQuotaPassword: optionalText,
  }),
})

type ParsedSettings = z.infer<typeof account>

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
