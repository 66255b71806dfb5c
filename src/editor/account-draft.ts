import { ACCOUNT_DEFAULTS } from '../shared/account'
import { type AccountDraft, STORED_SECRET } from '../shared/admin'

const SETTINGS = [
  'baseUrl',
  'relaySuffix',
  'timeout',
  'concurrency',
  'retries',
  'limits',
  'series1Models',
  'tls',
  'proxy',
] as const

const SECRETS = ['apiKey', 'loginId', 'loginPass'] as const

/** An account as its own form shows it now. */
export function readOpenAccount(id: string): AccountDraft {
  const field = (name: string) => String($(`#node-config-input-${name}`).val() ?? '')
  return account(id, field, field)
}

/** The account that is chosen for a node, deployed or not; `undefined` where none is chosen, or it is disabled. */
export function readAccountNode(id: string): AccountDraft | undefined {
  const node = RED.nodes.node(id)
  if (!node || node.d) return undefined
  const { credentials = {} } = node
  // A secret that was not typed since the last deploy is only in the runtime.
  const secret = (name: string) =>
    typeof credentials[name] === 'string'
      ? String(credentials[name])
      : credentials[`has_${name}`] === false
        ? ''
        : STORED_SECRET
  return account(id, (name) => String(node[name] ?? ''), secret)
}

type Read = (name: string) => string

function account(id: string, setting: Read, secret: Read): AccountDraft {
  const all = (names: readonly string[], read: Read) =>
    Object.fromEntries(names.map((name) => [name, read(name)]))
  const settings = all(SETTINGS, setting) as Omit<AccountDraft, 'id' | 'credentials'>
  const credentials = all(SECRETS, secret) as AccountDraft['credentials']
  // Node-RED's value where no config node was ever chosen.
  const chosen = (name: 'tls' | 'proxy') => (settings[name] === '_ADD_' ? '' : settings[name])
  return { ...ACCOUNT_DEFAULTS, ...settings, tls: chosen('tls'), proxy: chosen('proxy'), id, credentials }
}
