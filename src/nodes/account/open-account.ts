import type { Node, NodeAPI } from 'node-red'
import { type Account, type AccountPorts, createAccount } from '../../lib/account'
import {
  proxyPasswords,
  type TlsOptions,
  type TransportOptions,
  UndiciTransport,
} from '../../lib/api/transport'
import { systemClock } from '../../lib/clock'
import { EnvlogError } from '../../lib/errors'
import { registry } from '../kit/state/process-registry'
import type { readAccountSettings } from './account-settings'

interface TlsNode extends Node {
  /** False if its files cannot be read, in which case `addTLSOptions` adds nothing. */
  valid: boolean
  addTLSOptions(options: TlsOptions): TlsOptions
}

interface ProxyNode extends Node<{ username?: string; password?: string }> {
  url?: string
  noproxy?: string[]
}

/**
 * Who uses the account. A deployed account may share its quota. For an account opened by the editor, `triedBy` is the
 * name of the user who typed its secrets, or `undefined` if stored secrets are used.
 */
type AccountUse =
  | { onSharedChange(isConnected: boolean, code?: string): void }
  | { triedBy: string | undefined }

/**
 * Opens the account with these settings.
 * @throws EnvlogError `ENVLOG_CONFIG`
 */
export function openAccount(RED: NodeAPI, config: object, credentials: object, use: AccountUse): Account {
  const { readAccountSettings } = require('./account-settings') as typeof import('./account-settings')
  const settings = readAccountSettings(config, credentials)
  const transport = readTransportOptions(RED, settings)
  const ports: AccountPorts = {
    transport: new UndiciTransport(transport),
    clock: systemClock,
    random: Math.random,
    registry,
  }
  if ('triedBy' in use) ports.triedBy = use.triedBy
  else if (settings.sharedQuota) {
    const { createConnector } =
      require('../../lib/quota/redis-connection') as typeof import('../../lib/quota/redis-connection')
    ports.connectRedis = createConnector(settings.sharedQuota, settings.credentials.sharedQuotaPassword)
    ports.onSharedChange = use.onSharedChange
  }
  return createAccount({ ...settings, secrets: proxyPasswords(transport, process.env) }, ports)
}

function readTransportOptions(
  RED: NodeAPI,
  { timeout, tls, proxy }: ReturnType<typeof readAccountSettings>,
): TransportOptions {
  const options: TransportOptions = { timeoutMs: timeout * 1000 }
  if (tls) {
    const node = findReferenced<TlsNode>(RED, tls, 'tls')
    if (!node.valid) throw new EnvlogError('account-reference', { property: 'tls' })
    options.tls = node.addTLSOptions({})
  }
  if (proxy) {
    const { url, noproxy, credentials } = findReferenced<ProxyNode>(RED, proxy, 'proxy')
    if (!url || !/^https?:\/\//i.test(url) || !URL.canParse(url)) throw new EnvlogError('proxy-invalid')
    options.proxy = { url, noProxy: noproxy ?? [] }
    if (credentials?.username) options.proxy.username = credentials.username
    if (credentials?.password) options.proxy.password = credentials.password
  }
  return options
}

/**
 * Finds a referenced config node. A missing node is an error, because without it the connection would differ from the
 * configured one.
 */
function findReferenced<T extends Node>(RED: NodeAPI, id: string, property: string): T {
  const node = RED.nodes.getNode(id)
  if (!node) throw new EnvlogError('account-reference', { property })
  return node as unknown as T
}
