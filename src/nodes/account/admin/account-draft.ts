import type { Node, NodeAPI } from 'node-red'
import * as v from 'valibot'
import type { Account } from '../../../lib/account'
import { EnvlogError } from '../../../lib/errors'
import { isEnvVariable, normalizeAddress } from '../../../shared/account'
import { type AccountDraft, STORED_SECRET } from '../../../shared/admin'
import { findAccountNode } from '../../kit/action/account'
import { type AccountConfig, openAccount } from '../open-account'

const text = (maxLength: number) => v.optional(v.pipe(v.string(), v.maxLength(maxLength)), '')
const number = v.optional(v.union([v.number(), v.pipe(v.string(), v.maxLength(10))]), '')

/** Other properties of the request are ignored. */
const draftSchema: v.GenericSchema<unknown, AccountDraft> = v.pipe(
  v.unknown(),
  v.object({
    id: text(40),
    baseUrl: text(2000),
    relaySuffix: text(40),
    timeout: number,
    concurrency: number,
    retries: number,
    limits: text(2000),
    series1Models: text(2000),
    tls: text(40),
    proxy: text(40),
    credentials: v.optional(v.object({ apiKey: text(100), loginId: text(100), loginPass: text(100) }), {}),
  }),
)

/**
 * Opens an account as it is in the editor; close it after use. It shares the quota of deployed accounts with its
 * api-key. It shares their device list only if its secrets are stored ones: a user who types secrets must not see
 * cached answers of other requesters.
 * @param user Node-RED's name of the user
 * @throws EnvlogError `ENVLOG_CONFIG`; `secrets-needed` where a stored secret would be sent elsewhere than it was
 * stored for
 */
export function openAccountDraft(RED: NodeAPI, body: unknown, user: string): Account {
  const result = v.safeParse(draftSchema, body)
  if (!result.success)
    throw new EnvlogError('setting-invalid', { property: String(result.issues[0].path?.[0].key) })
  const draft = result.output
  const isStored = usesStored(draft)
  const resolved = isStored ? resolveStored(RED, draft) : draft
  const config = { ...resolved, name: '' } as unknown as AccountConfig
  return openAccount(RED, config, resolved.credentials, { triedBy: isStored ? undefined : user })
}

/** True where the draft uses stored secrets or environment variables, which may contain secrets as well. */
function usesStored({ credentials, ...settings }: AccountDraft): boolean {
  return [...Object.values(settings), ...Object.values(credentials)].some(
    (value) => value === STORED_SECRET || isEnvVariable(value),
  )
}

/**
 * Replaces stored secrets and environment variables with their values. These are sent only where they were stored for:
 * to the same address, with the same TLS, proxy and login. The draft has to use all of them or none, because a user who
 * could try one of them alone could guess it.
 * @throws EnvlogError `secrets-needed`, `account-incomplete`
 */
function resolveStored(RED: NodeAPI, draft: AccountDraft): AccountDraft {
  const stored = findAccountNode(RED, draft.id)?.deployedLogin()
  // An account that was imported and not deployed has no secrets yet. A draft with a typed secret gets the same error
  // for each account, deployed or not, so that it reveals nothing.
  if (!stored && Object.values(draft.credentials).every((value) => value === STORED_SECRET)) {
    throw new EnvlogError('account-incomplete', { property: 'apiKey' })
  }
  if (!stored) throw new EnvlogError('secrets-needed')
  const saved = readSavedProperties(RED, draft.id)
  const { credentials, ...settings } = draft
  const isUnchanged = (name: string, value: unknown) => value === (saved[name] ?? '')
  const isStoredSecret = (name: 'apiKey' | 'loginPass') =>
    credentials[name] === STORED_SECRET ||
    (isEnvVariable(credentials[name]) && isUnchanged(name, credentials[name]))
  const resolved = resolveVariables(RED, settings, findScope(RED, draft.id))
  const isSameTarget =
    ['tls', 'proxy'].every((name) => isUnchanged(name, settings[name as 'tls'])) &&
    Object.entries(settings).every(([name, value]) => !isEnvVariable(value) || isUnchanged(name, value)) &&
    [stored.loginId, saved.loginId, STORED_SECRET].includes(credentials.loginId) &&
    isStoredSecret('apiKey') &&
    isStoredSecret('loginPass') &&
    isSameAddress(stored.baseUrl, resolved.baseUrl)
  if (!isSameTarget) throw new EnvlogError('secrets-needed')
  const { apiKey, loginId, loginPass } = stored
  return { ...resolved, credentials: { apiKey, loginId, loginPass } }
}

/** The properties and credentials as they are saved, before Node-RED replaces environment variables. */
function readSavedProperties(RED: NodeAPI, id: string): Record<string, unknown> {
  let saved: object = {}
  RED.nodes.eachNode((node) => {
    if (node.id === id) saved = node
  })
  return { ...saved, ...(RED.nodes.getCredentials(id) as object | undefined) }
}

function isSameAddress(one: string, other: string): boolean {
  return URL.canParse(one) && URL.canParse(other) && normalizeAddress(one) === normalizeAddress(other)
}

/** Replaces each value `${NAME}` with the variable in the scope of a node, as Node-RED does before it creates one. */
function resolveVariables<T>(RED: NodeAPI, value: T, scope: Node): T {
  if (typeof value === 'string') {
    const [, name] = /^\$\{([^}]+)\}$/.exec(value) ?? []
    return (name === undefined ? value : (RED.util.getSetting(scope, name) ?? '')) as T
  }
  if (typeof value !== 'object' || value === null) return value
  const resolved = Object.entries(value).map(([key, one]) => [key, resolveVariables(RED, one, scope)])
  return Object.fromEntries(resolved) as T
}

/** The deployed account; without it the node with the variables of all flows, because most accounts are in no flow. */
function findScope(RED: NodeAPI, id: string): Node {
  let scope = RED.nodes.getNode(id)
  RED.nodes.eachNode(({ id: other, type }) => {
    if ((type as string) === 'global-config') scope ??= RED.nodes.getNode(other)
  })
  return scope ?? ({} as Node)
}
