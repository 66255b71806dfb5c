import type { NodeAPI } from 'node-red'
import type { Account } from '../../../lib/account'
import { EnvlogError } from '../../../lib/errors'
import { type AccountDraft, STORED_SECRET, toAccountDraft } from '../../../shared/admin'
import { isEnvVariable } from '../../../shared/schema'
import { type AccountNode, findAccountNode } from '../../kit/action/account-node'
import { openAccount } from '../open-account'

/** Retries would use the nodes' quota, and the user can press the button again. */
const WITHOUT_RETRIES = { retries: 0 }

/** An account as it is in the editor, with the secrets that it may use. */
export interface ResolvedDraft {
  config: object
  credentials: object
  /** The user who typed the secrets; `undefined` if they are the stored ones. */
  triedBy: string | undefined
}

/**
 * Opens an account as it is in the editor; close it after use. It shares the quota of deployed accounts with the same
 * API key.
 * @throws EnvlogError `ENVLOG_CONFIG`
 */
export function openAccountDraft(RED: NodeAPI, { config, credentials, triedBy }: ResolvedDraft): Account {
  return openAccount(RED, { ...config, ...WITHOUT_RETRIES }, credentials, { triedBy })
}

/**
 * Finds the settings and secrets of an account as it is in the editor. It shares the device list of deployed accounts only
 * if it uses stored secrets, because a user who types secrets must not see responses cached for others.
 * @param user the user's name in Node-RED
 * @throws EnvlogError `ENVLOG_CONFIG`; `secrets-needed` if a stored secret could be sent to another address than the
 * saved one
 */
export function resolveAccountDraft(RED: NodeAPI, body: unknown, user: string): ResolvedDraft {
  const fields = (body ?? {}) as Record<string, unknown>
  const secrets = (fields.credentials ?? {}) as Record<string, unknown>
  const draft = toAccountDraft(
    fields.id,
    (name) => fields[name],
    (name) => secrets[name],
  )
  const { credentials, ...settings } = draft
  const all = Object.entries({ ...settings, ...credentials })
  const typed = all.filter(([, value]) => value !== STORED_SECRET && !isEnvVariable(value))
  if (typed.length < all.length) {
    const { checkAccountSettings } = require('../account-settings') as typeof import('../account-settings')
    // A typed value that is not valid is the first thing to correct. This reveals nothing about the deployed account.
    checkAccountSettings(Object.fromEntries(typed))
    return resolveDeployed(RED, draft)
  }
  return { config: settings, credentials, triedBy: user }
}

/** The settings that determine where the secrets are sent. */
const TARGET = ['baseUrl', 'tls', 'proxy', 'loginId']

/**
 * The deployed account, with the typed values of settings that do not determine where its secrets are sent. The
 * draft must use all stored secrets, because a user who could try a single one could guess it.
 * @throws EnvlogError `secrets-needed`, `account-incomplete`
 */
function resolveDeployed(RED: NodeAPI, { id, credentials, ...settings }: AccountDraft): ResolvedDraft {
  const saved = readSaved(RED, id)
  const deployed = findAccountNode(RED, id)?.deployed() ?? (saved && resolveVariables(RED, saved))
  // An imported account has no secrets before it is deployed. A draft with a typed secret gets the same error for every
  // account, deployed or not, so that it reveals nothing.
  if (!deployed && Object.values(credentials).every((value) => value === STORED_SECRET)) {
    throw new EnvlogError('account-incomplete', { property: 'apiKey' })
  }
  if (!saved || !deployed) throw new EnvlogError('secrets-needed')
  const properties = { ...saved.config, ...saved.credentials }
  const isAllowed = ([name, value]: [name: string, value: string]) => {
    if (value === STORED_SECRET) return true
    if (isEnvVariable(value) || TARGET.includes(name)) return value === String(properties[name] ?? '')
    return name in settings
  }
  if (!Object.entries({ ...settings, ...credentials }).every(isAllowed))
    throw new EnvlogError('secrets-needed')
  // The deployed settings contain the values of variables.
  const typed = Object.entries(settings).filter(([, value]) => !isEnvVariable(value))
  const config = { ...deployed.config, ...Object.fromEntries(typed) }
  return { config, credentials: deployed.credentials, triedBy: undefined }
}

type SavedAccount = ReturnType<AccountNode['deployed']>

/** A deployed account before Node-RED replaces environment variables; `undefined` if there is none with this id. */
function readSaved(RED: NodeAPI, id: string): SavedAccount | undefined {
  let config: SavedAccount['config'] | undefined
  RED.nodes.eachNode((node) => {
    if (node.id === id && node.type === 'envlog-account') config = { ...node }
  })
  return config && { config, credentials: { ...(RED.nodes.getCredentials(id) as object | undefined) } }
}

/** An account that is not running, because it is disabled or Node-RED is in safe mode, as it would be if it were. */
function resolveVariables(RED: NodeAPI, { config, credentials }: SavedAccount): SavedAccount {
  const resolve = (properties: Record<string, unknown>) =>
    Object.fromEntries(
      Object.entries(properties).map(([name, value]) => [
        name,
        (isEnvVariable(value) && RED.util.evaluateNodeProperty(String(value), 'env', {} as never, {})) ||
          value,
      ]),
    )
  return { config: resolve(config), credentials: resolve(credentials) }
}
