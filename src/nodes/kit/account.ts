import type { Node, NodeAPI, NodeDef } from 'node-red'
import { type Account, type AccountPorts, createAccount } from '../../lib/account'
import { maxResponseMs } from '../../lib/api/client'
import {
  createUndiciTransport,
  proxyPasswords,
  type TlsOptions,
  type TransportOptions,
} from '../../lib/api/transport'
import { reportTo } from '../../lib/background'
import { systemClock } from '../../lib/clock'
import { EnvlogError } from '../../lib/errors'
import { createRegistry } from '../../lib/registry'
import type { StateStore } from '../../lib/state-store'
import { ledgerStatus } from './ledger-status'
import { contextStore } from './store'
import { inWords } from './words'

export interface AccountConfig extends NodeDef {
  tls?: string
  proxy?: string
  concurrency?: number | string
  store?: string
  baseUrl?: string
}

/** What outlives deploys: one for the process. */
export const registry = createRegistry(systemClock)

/** A config node that hands out its account. */
export interface AccountNode extends Node {
  /** The same account at each call. @throws EnvlogError `ENVLOG_CONFIG` */
  envlog(): Account
  /** Where an action node's state outlives the process. @throws EnvlogError `store-unknown` */
  storeFor(node: Node): StateStore
  /** Secrets, and what they are for. */
  stored(): { baseUrl: string; apiKey: string; loginId: string; loginPass: string }
  /** It was told that its context store does not write. */
  isStoreFailing?: boolean
  /** The action nodes that use it: Node-RED brings its states and errors to the flows of these. */
  users: Record<string, Node>
}

interface TlsNode extends Node {
  /** False where its files cannot be read: it would add nothing then. */
  valid: boolean
  addTLSOptions(options: TlsOptions): TlsOptions
}

interface ProxyNode extends Node<{ username?: string; password?: string }> {
  url?: string
  noproxy?: string[]
}

/** Registers envlog-account: settings and credentials in, an account out. */
export function registerAccount(RED: NodeAPI): void {
  reportTo((error) => RED.log.error(`envlog: ${inWords(RED, error).message}`))
  function AccountNodeConstructor(this: AccountNode, config: AccountConfig) {
    RED.nodes.createNode(this, config)
    let opened: Account | undefined
    this.users = {}
    this.storeFor = (node) => {
      const name = String(config.store ?? '').trim()
      return contextStore(RED, node, name, 'cursors', storeFailed(RED, this, name))
    }
    this.stored = () => ({
      baseUrl: String(config.baseUrl ?? ''),
      ...{ apiKey: '', loginId: '', loginPass: '' },
      ...(this.credentials as object),
    })
    this.envlog = () => {
      opened ??= openAccount(RED, config, this.credentials ?? {}, this)
      return opened
    }
    this.on('close', (_removed: boolean, done: () => void) => {
      if (opened) opened.close().then(done, done)
      else done()
    })
  }
  RED.nodes.registerType('envlog-account', AccountNodeConstructor as never, {
    credentials: {
      apiKey: { type: 'password' },
      loginId: { type: 'text' },
      loginPass: { type: 'password' },
      sharedQuotaPassword: { type: 'password' },
    },
  })
}

/**
 * Opens an account by its settings; with its node it keeps what is spent, and shares it where that is set.
 * @param of its node; without one who types its secrets, or nobody where they are stored ones
 * @throws EnvlogError `ENVLOG_CONFIG`
 */
export function openAccount(
  RED: NodeAPI,
  config: AccountConfig,
  credentials: object,
  of: AccountNode | { triedBy: string | undefined },
): Account {
  const node = 'triedBy' in of ? undefined : of
  const { readAccountProperties } = require('./settings') as typeof import('./settings')
  const settings = readAccountProperties(config, credentials)
  const way = transportOptions(RED, config, settings)
  const ports: AccountPorts = {
    transport: createUndiciTransport(way),
    clock: systemClock,
    random: Math.random,
    registry,
    triedBy: 'triedBy' in of ? of.triedBy : undefined,
  }
  if (node) {
    const failed = storeFailed(RED, node, settings.store)
    ports.store = contextStore(RED, node, settings.store, 'quota', failed)
  }
  if (node && settings.sharedQuota) {
    const { openRedis } =
      require('../../lib/quota/shared/redis') as typeof import('../../lib/quota/shared/redis')
    const lease = maxResponseMs(settings.timeout)
    ports.openSharedStore = openRedis(settings.sharedQuota, settings.credentials.sharedQuotaPassword, lease)
    ports.onSharedStoreChange = ledgerStatus(RED, node)
  }
  return createAccount({ ...settings, secrets: proxyPasswords(way, process.env) }, ports)
}

/** The account tells it: there may be many nodes, and one store. */
function storeFailed(RED: NodeAPI, account: AccountNode, name: string): (error: Error) => void {
  return ({ message }) => {
    if (account.isStoreFailing) return
    account.isStoreFailing = true
    account.warn(RED._('warnings.store-failing', { store: name || 'default', detail: message } as never))
  }
}

function transportOptions(
  RED: NodeAPI,
  config: AccountConfig,
  { concurrency, timeout }: { concurrency: number; timeout: number },
): TransportOptions {
  const options: TransportOptions = { connections: concurrency, timeoutMs: timeout * 1000 }
  if (config.tls) {
    const node = referenced<TlsNode>(RED, config.tls, 'tls')
    if (!node.valid) throw new EnvlogError('account-reference', { property: 'tls' })
    options.tls = node.addTLSOptions({})
  }
  if (config.proxy) {
    const { url, noproxy, credentials } = referenced<ProxyNode>(RED, config.proxy, 'proxy')
    if (!url || !/^https?:\/\//i.test(url) || !URL.canParse(url))
      throw new EnvlogError('setting-invalid', { property: 'proxy' })
    options.proxy = { url, noProxy: noproxy ?? [] }
    if (credentials?.username) options.proxy.username = credentials.username
    if (credentials?.password) options.proxy.password = credentials.password
  }
  return options
}

/** A node that was chosen and is gone must not be passed over: the connection would be another than asked for. */
function referenced<T extends Node>(RED: NodeAPI, id: string, property: string): T {
  const node = RED.nodes.getNode(id)
  if (!node) throw new EnvlogError('account-reference', { property })
  return node as unknown as T
}

/**
 * The account of an action node, and where the node's state outlives the process.
 * @throws EnvlogError `no-account`, or what the account's settings say
 */
export function accountOf(RED: NodeAPI, id: string, user: Node): { account: Account; store: StateStore } {
  const node = RED.nodes.getNode(id) as unknown as Partial<AccountNode> | null
  if (!node?.users || !node.envlog || !node.storeFor) throw new EnvlogError('no-account')
  node.users[user.id] = user
  return { account: node.envlog(), store: node.storeFor(user) }
}

/** The node is closed: what happens to the account is none of its flow's business any more. */
export function leaveAccount(RED: NodeAPI, id: string, user: Node): void {
  const node = RED.nodes.getNode(id) as unknown as Partial<AccountNode> | null
  if (node?.users?.[user.id] === user) delete node.users[user.id]
}
