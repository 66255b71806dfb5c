import type { Node, NodeAPI } from 'node-red'
import { z } from 'zod'
import type { Account } from '../../../lib/account'
import { EnvlogError } from '../../../lib/errors'
import { isEnvVariable, normalizeAddress } from '../../../shared/account'
import { type AccountDraft, STORED_SECRET } from '../../../shared/admin'
import type { AccountNode } from '../../kit/action/account'
import { type AccountConfig, openAccount } from '../open-account'

const text = (most: number) => z.string().max(most).default('')
const number = z.union([z.number(), z.string().max(10)]).default('')

/** What is not here is not taken. */
const typedAccount: z.ZodType<AccountDraft> = z.object({
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
  credentials: z
    .object({ apiKey: text(100), loginId: text(100), loginPass: text(100) })
    .default({ apiKey: '', loginId: '', loginPass: '' }),
})

/**
 * Opens the account that is typed; close it after use. It shares its quota with deployed ones, and its device list where
 * its secrets are stored ones: who types them learns nothing from what others have asked.
 * @param user who types it, as Node-RED calls them
 * @throws EnvlogError `ENVLOG_CONFIG`; `secrets-needed` where a stored secret would go elsewhere than it is for
 */
export function openAccountDraft(RED: NodeAPI, body: unknown, user: string): Account {
  const result = typedAccount.safeParse(body)
  if (!result.success)
    throw new EnvlogError('setting-invalid', { property: String(result.error.issues[0]?.path[0]) })
  const typed = result.data
  const isStored = usesStored(typed)
  const filled = isStored ? withStored(RED, typed) : typed
  const config = { ...filled, name: '' } as unknown as AccountConfig
  return openAccount(RED, config, filled.credentials, { triedBy: isStored ? undefined : user })
}

/** A variable may hold a secret as well. */
function usesStored({ credentials, ...settings }: AccountDraft): boolean {
  return [...Object.values(settings), ...Object.values(credentials)].some(
    (value) => value === STORED_SECRET || isEnvVariable(value),
  )
}

/**
 * Stored secrets, and variables, go only where they were stored for: to the same address, by the same way, with the same
 * login. All of them do, or none: who may try one without the others could find it out.
 */
function withStored(RED: NodeAPI, typed: AccountDraft): AccountDraft {
  const node = RED.nodes.getNode(typed.id) as unknown as Partial<AccountNode> | null
  const stored = node?.stored?.()
  // As an account is that was imported: nothing was stored for it that could be typed anew. Whoever tries a secret is told
  // the same of each account, and of none.
  if (!stored && Object.values(typed.credentials).every((value) => value === STORED_SECRET)) {
    throw new EnvlogError('account-incomplete', { property: 'apiKey' })
  }
  if (!stored) throw new EnvlogError('secrets-needed')
  const deployed = deployedAs(RED, typed.id)
  const { credentials, ...settings } = typed
  const isAsDeployed = (name: string, value: unknown) => value === (deployed[name] ?? '')
  const isSecret = (name: 'apiKey' | 'loginPass') =>
    credentials[name] === STORED_SECRET ||
    (isEnvVariable(credentials[name]) && isAsDeployed(name, credentials[name]))
  const filled = fromEnvironment(RED, settings, placeOf(RED, typed.id))
  const isSame =
    ['tls', 'proxy'].every((name) => isAsDeployed(name, settings[name as 'tls'])) &&
    Object.entries(settings).every(([name, value]) => !isEnvVariable(value) || isAsDeployed(name, value)) &&
    [stored.loginId, deployed.loginId, STORED_SECRET].includes(credentials.loginId) &&
    isSecret('apiKey') &&
    isSecret('loginPass') &&
    sameAddress(stored.baseUrl, filled.baseUrl)
  if (!isSame) throw new EnvlogError('secrets-needed')
  const { apiKey, loginId, loginPass } = stored
  return { ...filled, credentials: { apiKey, loginId, loginPass } }
}

/** As it is saved, before variables are filled in. */
function deployedAs(RED: NodeAPI, id: string): Record<string, unknown> {
  let saved: object = {}
  RED.nodes.eachNode((node) => {
    if (node.id === id) saved = node
  })
  return { ...saved, ...(RED.nodes.getCredentials(id) as object | undefined) }
}

function sameAddress(one: string, other: string): boolean {
  return URL.canParse(one) && URL.canParse(other) && normalizeAddress(one) === normalizeAddress(other)
}

/**
 * `${NAME}` as a whole value, as Node-RED fills it in before a node is made: with the variables where `place` is,
 * those of the process without one.
 */
function fromEnvironment<T>(RED: NodeAPI, value: T, place: Node): T {
  if (typeof value === 'string') {
    const [, name] = /^\$\{([^}]+)\}$/.exec(value) ?? []
    return (name === undefined ? value : (RED.util.getSetting(place, name) ?? '')) as T
  }
  if (typeof value !== 'object' || value === null) return value
  const filled = Object.entries(value).map(([key, one]) => [key, fromEnvironment(RED, one, place)])
  return Object.fromEntries(filled) as T
}

/** The deployed account, or what holds the variables of all flows: an account is in no flow, mostly. */
function placeOf(RED: NodeAPI, id: string): Node {
  let place = RED.nodes.getNode(id)
  RED.nodes.eachNode(({ id: other, type }) => {
    if ((type as string) === 'global-config') place ??= RED.nodes.getNode(other)
  })
  return place ?? ({} as Node)
}
