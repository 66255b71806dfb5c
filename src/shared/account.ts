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

/** Characters of each credential (docs/service.md, *Requests*): at least, at most. */
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
export function isEnvVariable(value: unknown): boolean {
  return typeof value === 'string' && /^\$\{[^}]+\}$/.test(value)
}

/** True for names and addresses of this machine, as a URL's `hostname` writes them. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

export type AddressProblem = 'missing' | 'unreadable' | 'not-https' | 'has-extras'

/** What is wrong with a service address, or nothing: `https:`, or `http:` on this machine; no query, no login. */
export function findAddressProblem(text: string): AddressProblem | undefined {
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
export function normalizeAddress(text: string): string {
  const { origin, pathname } = new URL(text.trim())
  let end = pathname.length
  while (pathname[end - 1] === '/') end--
  return origin + pathname.slice(0, end)
}

/** What is wrong with a relay suffix: it becomes part of a path, so only plain characters. */
export function isRelaySuffix(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,40}$/.test(text)
}

export type SharedQuotaProblem = 'unreadable' | 'has-password'

/** What is wrong with the address of a Redis or Valkey, or nothing; its password is a credential of its own. */
export function findSharedQuotaProblem(text: string): SharedQuotaProblem | undefined {
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
  const address = text.trim()
  const login = address.indexOf('://') + 3
  const at = address.indexOf('@')
  const colon = address.indexOf(':', login)
  if (login < 3 || colon < 0 || colon >= at - 1) return undefined
  const user = address.slice(login, colon)
  return {
    address: `${address.slice(0, login)}${user ? `${user}@` : ''}${address.slice(at + 1)}`,
    password: decodePercent(address.slice(colon + 1, at)),
  }
}

/** Percent signs of an address read; as it is where they mean nothing. */
export function decodePercent(text: string): string {
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
const SENTINEL_SCHEMES = ['redis+sentinel://', 'rediss+sentinel://']

/** Reads `redis+sentinel://user@host:port,host:port/name/database`; `undefined` for any other text. */
export function readSentinels(text: string): SentinelAddress | undefined {
  const address = text.trim()
  const scheme = SENTINEL_SCHEMES.find((one) => address.startsWith(one))
  const [place = '', name = '', database = '0', ...more] = address.slice(scheme?.length ?? 0).split('/')
  const [hosts = '', username = '', ...others] = place.split('@').reverse()
  const isWhole = hosts !== '' && name !== '' && /^\d{1,4}$/.test(database)
  if (!scheme || !isWhole || more.length > 0 || others.length > 0 || username.includes(':')) return undefined
  const nodes = hosts.split(',').map((one) => {
    const colon = one.lastIndexOf(':')
    const isPort = colon >= 0 && /^\d{1,5}$/.test(one.slice(colon + 1))
    return isPort
      ? { host: one.slice(0, colon), port: Number(one.slice(colon + 1)) }
      : { host: one, port: SENTINEL_PORT }
  })
  return { isTls: scheme.startsWith('rediss'), nodes, name, username, database: Number(database) }
}
