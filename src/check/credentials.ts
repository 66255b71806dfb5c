import { readFileSync } from 'node:fs'
import { stripBom } from '../lib/decode/fields'
import type { Translate } from '../lib/texts'
import { ACCOUNT_DEFAULTS, accountSchema, credentialsSchema } from '../shared/account-schema'
import { normalizeAddress } from '../shared/addresses'
import { describeProblem } from '../shared/problems'
import { findProblem } from '../shared/schema'
import { UsageError } from './options'
import { ask, type Io } from './terminal'

export type Login = Awaited<ReturnType<typeof readLogin>>

/** The environment variable for each property of a login. */
const VARIABLES = {
  baseUrl: 'ENVLOG_URL',
  apiKey: 'ENVLOG_API_KEY',
  loginId: 'ENVLOG_LOGIN_ID',
  loginPass: 'ENVLOG_LOGIN_PASS',
  relaySuffix: 'ENVLOG_RELAY_SUFFIX',
} as const
type Name = keyof typeof VARIABLES

/**
 * Reads the login from a file or from environment variables, and prompts for missing values on a terminal.
 * @throws UsageError
 */
export async function readLogin(file: string | undefined, io: Io, translate: Translate) {
  const fromFile = file === undefined ? {} : readFile(file)
  const read = async (name: Name, isSecret = false): Promise<string> => {
    const value = fromFile[name] ?? io.env[VARIABLES[name]]
    if (value !== undefined) return value.trim()
    if (!io.stdin.isTTY) throw new UsageError('check.usage-missing', { variable: VARIABLES[name] })
    return ask(io, `${translate(`check.ask-${name}`)}: `, isSecret)
  }
  const baseUrl = await read('baseUrl')
  const credentials = {
    apiKey: await read('apiKey', true),
    loginId: await read('loginId'),
    loginPass: await read('loginPass', true),
  }
  // Blank means the default, as in the account.
  const suffix = fromFile.relaySuffix ?? io.env[VARIABLES.relaySuffix] ?? ''
  const relaySuffix = suffix.trim() || ACCOUNT_DEFAULTS.relaySuffix
  for (const [property, value] of Object.entries({ baseUrl, relaySuffix, ...credentials })) {
    const schema = property in credentials ? credentialsSchema : accountSchema
    const problem = findProblem(schema, property, value)
    if (problem) throw new UsageError(describeProblem(problem, property, translate))
  }
  return { baseUrl: normalizeAddress(baseUrl), relaySuffix, credentials }
}

/** Reads a JSON file whose keys are property names of the account. Values that are not texts are ignored. */
function readFile(file: string): Partial<Record<Name, string>> {
  try {
    const entries = Object.entries(JSON.parse(stripBom(readFileSync(file, 'utf8'))))
    return Object.fromEntries(entries.filter(([, value]) => typeof value === 'string'))
  } catch {
    // The JSON parser's message may quote a part of the file.
    throw new UsageError('check.usage-file')
  }
}
