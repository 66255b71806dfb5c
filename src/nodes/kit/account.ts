import type { Node, NodeAPI, NodeDef } from 'node-red'
import { type Account, createAccount } from '../../lib/account'
import { type TlsOptions, type TransportOptions, undiciTransport } from '../../lib/api/transport'
import { systemClock } from '../../lib/clock'
import { EnvlogError } from '../../lib/errors'

export interface AccountConfig extends NodeDef {
  tls?: string
  proxy?: string
  concurrency?: number | string
}

/** A config node that hands out its account. */
export interface AccountNode extends Node {
  /** The same account at each call. @throws EnvlogError `ENVLOG_CONFIG` */
  envlog(): Account
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
  function AccountNodeConstructor(this: AccountNode, config: AccountConfig) {
    RED.nodes.createNode(this, config)
    let opened: Account | undefined
    this.envlog = () => {
      opened ??= open(RED, config, this.credentials ?? {})
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
    },
  })
}

function open(RED: NodeAPI, config: AccountConfig, credentials: object): Account {
  const { readAccountProperties } = require('./settings') as typeof import('./settings')
  const properties = readAccountProperties(config, credentials)
  const transport = undiciTransport(transportOptions(RED, config, properties.concurrency))
  return createAccount(properties, { transport, clock: systemClock, random: Math.random })
}

function transportOptions(RED: NodeAPI, config: AccountConfig, connections: number): TransportOptions {
  const options: TransportOptions = { connections }
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

/** The account of an action node. @throws EnvlogError `no-account`, or what the account's settings say */
export function accountOf(RED: NodeAPI, id: string): Account {
  const node = RED.nodes.getNode(id) as unknown as Partial<AccountNode> | null
  if (!node || typeof node.envlog !== 'function') throw new EnvlogError('no-account')
  return node.envlog()
}
