import type { Node, NodeAPI } from 'node-red'
import { type Account, type AccountPorts, createAccount } from '../../lib/account'
import { proxyPasswords, type TransportOptions, UndiciTransport } from '../../lib/api/transport'
import { systemClock } from '../../lib/clock'
import { EnvlogError } from '../../lib/errors'
import { registry } from '../kit/state/process-registry'
import type { readAccountSettings } from './account-settings'

interface TlsNode extends Node {
  /** False if its files cannot be read; `addTLSOptions` then adds nothing. */
  valid: boolean
  addTLSOptions<T extends object>(options: T): T
}

interface ProxyNode extends Node<{ username?: string; password?: string }> {
  url?: string
  noproxy?: string[]
}

/**
 * Opens the account with these settings.
 * @param use `onSharedChange` for a deployed account, which may share its quota; `triedBy` for one opened by the editor
 * @throws EnvlogError `ENVLOG_CONFIG`
 */
export function openAccount(
  RED: NodeAPI,
  config: object,
  credentials: object,
  use: Pick<AccountPorts, 'onSharedChange' | 'triedBy'>,
): Account {
  const { readAccountSettings } = require('./account-settings') as typeof import('./account-settings')
  const settings = readAccountSettings(config, credentials)
  const options = readTransportOptions(RED, settings)
  const transport = new UndiciTransport(options)
  const ports: AccountPorts = { transport, clock: systemClock, random: Math.random, registry, ...use }
  if (settings.sharedQuota && use.onSharedChange) {
    const { createConnector } =
      require('../../lib/shared-quota/redis-connection') as typeof import('../../lib/shared-quota/redis-connection')
    const { openSharedQuota } =
      require('../../lib/shared-quota/shared-quota') as typeof import('../../lib/shared-quota/shared-quota')
    const { sharedQuota, credentials } = settings
    const { userDir } = RED.settings
    const connect = createConnector(sharedQuota, credentials.sharedQuotaPassword, userDir)
    ports.shareQuota = (account, leaseMs) => openSharedQuota(systemClock, { connect, account, leaseMs })
  }
  return createAccount({ ...settings, secrets: proxyPasswords(options, process.env) }, ports)
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
