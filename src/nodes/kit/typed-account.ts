import type { Node, NodeAPI } from 'node-red'
import { z } from 'zod'
import type { Account } from '../../lib/account'
import { EnvlogError } from '../../lib/errors'
import { normaliseAddress } from '../../shared/account'
import { STORED, type TypedAccount } from '../../shared/admin'
import { type AccountConfig, type AccountNode, openAccount } from './account'

const text = (most: number) => z.string().max(most).default('')
const number = z.union([z.number(), z.string().max(10)]).default('')

/** What is not here is not taken. */
const typedAccount: z.ZodType<TypedAccount> = z.object({
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
 * Opens the account that is typed; close it after use. It shares quota and device list with deployed ones.
 * @throws EnvlogError `ENVLOG_CONFIG`; `secrets-needed` where a stored secret would go elsewhere than it is for
 */
export function openTypedAccount(RED: NodeAPI, body: unknown): Account {
  const result = typedAccount.safeParse(body)
  if (!result.success)
    throw new EnvlogError('setting-invalid', { property: String(result.error.issues[0]?.path[0]) })
  const typed = fromEnvironment(RED, result.data, placeOf(RED, result.data.id))
  const credentials = withStored(RED, typed)
  return openAccount(RED, { ...typed, name: '' } as unknown as AccountConfig, credentials)
}

/** A stored secret goes only where it was stored for: to the same address, with the same login. */
function withStored(RED: NodeAPI, { id, baseUrl, credentials }: TypedAccount): TypedAccount['credentials'] {
  const { apiKey, loginId, loginPass } = credentials
  if (![apiKey, loginId, loginPass].includes(STORED)) return credentials
  const node = RED.nodes.getNode(id) as unknown as Partial<AccountNode> | null
  const stored = node?.stored?.()
  // As an account is that was imported: nothing was stored for it that could be typed anew.
  if (!stored) throw new EnvlogError('account-incomplete', { property: 'apiKey' })
  const isSame = stored && sameAddress(stored.baseUrl, baseUrl) && [stored.loginId, STORED].includes(loginId)
  if (!isSame) throw new EnvlogError('secrets-needed')
  return {
    loginId: stored.loginId,
    apiKey: apiKey === STORED ? stored.apiKey : apiKey,
    loginPass: loginPass === STORED ? stored.loginPass : loginPass,
  }
}

function sameAddress(one: string, other: string): boolean {
  return URL.canParse(one) && URL.canParse(other) && normaliseAddress(one) === normaliseAddress(other)
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
