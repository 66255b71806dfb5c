import { EnvlogError } from '../../lib/errors'
import { accountSchema, credentialsSchema } from '../../shared/account-schema'
import { findProblem, isEnvVariable } from '../../shared/schema'
import { readSettings } from '../kit/settings/read-settings'

/**
 * Reads the saved properties and credentials of an account.
 * @throws EnvlogError `account-incomplete` or `setting-invalid` with the property, `settings-newer`
 */
export function readAccountSettings(config: object, credentials: object) {
  // Node-RED has already replaced the variables that are set.
  const { name: _name, ...others } = { name: '', ...config, ...credentials }
  const [property, variable] = Object.entries(others).find(([, value]) => isEnvVariable(value)) ?? []
  if (property !== undefined)
    throw new EnvlogError('setting-invalid', { property, problem: 'variable-unset', variable: `${variable}` })
  try {
    return {
      ...readSettings(accountSchema, config),
      credentials: readSettings(credentialsSchema, credentials),
    }
  } catch (error) {
    throw toAccountError(error)
  }
}

/**
 * Checks some of the properties and credentials of an account, each by itself.
 * @throws EnvlogError `account-incomplete` or `setting-invalid` with the first property that is not valid
 */
export function checkAccountSettings(settings: Readonly<Record<string, unknown>>): void {
  for (const schema of [accountSchema, credentialsSchema]) {
    for (const property of Object.keys(schema.shape).filter((name) => name in settings)) {
      const problem = findProblem(schema, property, settings[property])
      if (problem) throw toAccountError(new EnvlogError('setting-invalid', { property, ...problem }))
    }
  }
}

/** A missing value has a sentence of its own. */
function toAccountError(error: unknown): unknown {
  const { property = '', problem } = error instanceof EnvlogError ? error.params : {}
  return problem === 'missing' ? new EnvlogError('account-incomplete', { property }) : error
}
