/** What the account's form and its runtime agree on: defaults, lengths, and which addresses are allowed. */

export const ACCOUNT_DEFAULTS = {
  baseUrl: '',
  relaySuffix: 'relay',
  timeout: 30,
  concurrency: 2,
  retries: 3,
  limits: '',
  series1Models: '',
  store: '',
  sharedQuota: '',
} as const

/** Characters of each credential (service-api.md, *Authentication*): at least, at most. */
export const CREDENTIAL_LENGTHS = {
  apiKey: [45, 45],
  loginId: [8, 8],
  loginPass: [4, 16],
} as const

/** Smallest and largest allowed value of the account's whole numbers. */
export const ACCOUNT_RANGES = {
  timeout: [1, 3600],
  concurrency: [1, 20],
  retries: [0, 10],
} as const

/** True for a value Node-RED fills in from the environment before the node is made. */
export function isEnvironment(value: unknown): boolean {
  return typeof value === 'string' && /^\$\{[^}]+\}$/.test(value)
}

/** True for names and addresses of this machine, as a URL's `hostname` writes them. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

export type AddressProblem = 'missing' | 'unreadable' | 'not-https' | 'has-extras'

/** What is wrong with a service address, or nothing: `https:`, or `http:` on this machine; no query, no login. */
export function addressProblem(text: string): AddressProblem | undefined {
  if (text.trim() === '') return 'missing'
  let url: URL
  try {
    url = new URL(text.trim())
  } catch {
    return 'unreadable'
  }
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) return 'not-https'
  if (url.search || url.hash || url.username || url.password) return 'has-extras'
  return undefined
}

/** The address without trailing slashes: what request paths are added to, and what accounts are told apart by. */
export function normaliseAddress(text: string): string {
  const url = new URL(text.trim())
  return url.origin + url.pathname.replace(/\/+$/, '')
}

/** What is wrong with a relay suffix: it becomes part of a path, so only plain characters. */
export function isRelaySuffix(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,40}$/.test(text)
}

export type LedgerProblem = 'unreadable' | 'has-password'

/** What is wrong with the address of a Redis or Valkey, or nothing; its password is a credential of its own. */
export function ledgerProblem(text: string): LedgerProblem | undefined {
  if (splitPassword(text)) return 'has-password'
  return addressesOf(text).every(isRedisAddress) ? undefined : 'unreadable'
}

/** Each of the sentinels' addresses is such a one. */
function addressesOf(text: string): string[] {
  const sentinels = readSentinels(text)
  return sentinels?.nodes.map(({ host, port }) => `redis://${host}:${port}`) ?? [text.trim()]
}

/** The address of a Redis without the password in it, and that; nothing where there is none. */
export function splitPassword(text: string): { address: string; password: string } | undefined {
  const [, scheme, user, password, rest] = /^([^/]*:\/\/)([^/@]*?):([^@]+)@(.*)$/.exec(text.trim()) ?? []
  if (!password) return undefined
  return { address: `${scheme}${user ? `${user}@` : ''}${rest}`, password: unescaped(password) }
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** True where what goes to this Redis can be read on the way: another machine, and no TLS. */
export function isClearText(text: string): boolean {
  if (!/^redis(\+sentinel)?:/.test(text.trim())) return false
  return addressesOf(text).some((one) => URL.canParse(one) && !isLoopback(new URL(one).hostname))
}

function isRedisAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  return (protocol === 'redis:' || protocol === 'rediss:') && hostname !== ''
}

/** A Redis that sentinels watch, by the name that they know it by. */
export interface SentinelAddress {
  isTls: boolean
  nodes: { host: string; port: number }[]
  name: string
  username: string
  database: number
}

const SENTINEL_PORT = 26379
const SENTINELS = /^(rediss?)\+sentinel:\/\/(?:([^@/:]*)@)?([^@/]+)\/([^/]+)(?:\/(\d{1,4}))?$/

/** Reads `redis+sentinel://host:port,host:port/name`; `undefined` for any other text. */
export function readSentinels(text: string): SentinelAddress | undefined {
  const [, scheme, username = '', hosts = '', name = '', database = '0'] = SENTINELS.exec(text.trim()) ?? []
  if (!scheme) return undefined
  const nodes = hosts.split(',').map((one) => {
    const [, host = '', port] = /^(.*?)(?::(\d{1,5}))?$/.exec(one) ?? []
    return { host, port: port ? Number(port) : SENTINEL_PORT }
  })
  return { isTls: scheme === 'rediss', nodes, name, username, database: Number(database) }
}
