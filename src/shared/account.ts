/** Settings of the account that command and nodes share: defaults, lengths, and which addresses are allowed. */

export const ACCOUNT_DEFAULTS = { relaySuffix: 'relay', timeout: 30, concurrency: 2, retries: 3 } as const

/** Length of each credential in characters, as [minimum, maximum] (docs/service.md, *Requests*). */
export const CREDENTIAL_LENGTHS = {
  apiKey: [45, 45],
  loginId: [8, 8],
  loginPass: [4, 16],
} as const

/** True for `${NAME}`, which Node-RED replaces with the environment variable before it creates the node. */
export function isEnvVariable(value: unknown): boolean {
  return typeof value === 'string' && /^\$\{[^}]+\}$/.test(value)
}

/** True for names and addresses of this host, in the spelling of a URL's `hostname`. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

export type AddressProblem = 'missing' | 'unreadable' | 'not-https' | 'has-extras'

/**
 * What is wrong with an address of the service; `undefined` for a valid one. It is `https:`, or `http:` on this host,
 * and has no query, fragment or login.
 */
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

/**
 * The address without trailing slashes. Paths of requests are appended to it, and it is part of an account's key.
 * @throws TypeError where `findAddressProblem` finds a problem
 */
export function normalizeAddress(text: string): string {
  const { origin, pathname } = new URL(text.trim())
  let end = pathname.length
  while (pathname[end - 1] === '/') end--
  return origin + pathname.slice(0, end)
}

/** True for a valid relay suffix: it becomes part of a path, so only characters that need no escaping. */
export function isRelaySuffix(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,40}$/.test(text)
}

export type SharedQuotaProblem = 'unreadable' | 'has-password'

/** What is wrong with the address of a Redis or Valkey; `undefined` for a valid one. Its password is stored apart. */
export function findSharedQuotaProblem(text: string): SharedQuotaProblem | undefined {
  if (splitPassword(text)) return 'has-password'
  return addressesOf(text).every(isRedisAddress) ? undefined : 'unreadable'
}

/** The address of each sentinel, or the one address. */
function addressesOf(text: string): string[] {
  const sentinels = readSentinels(text)
  const place = ({ host, port }: { host: string; port: number }) =>
    host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
  return sentinels?.nodes.map((node) => `redis://${place(node)}`) ?? [text.trim()]
}

/**
 * Splits the address of a Redis into an address without password and the password; `undefined` where it has none. The
 * password may contain any character, also unescaped, and may be a parameter.
 */
export function splitPassword(text: string): { address: string; password: string } | undefined {
  const whole = text.trim()
  const loginStart = whole.indexOf('://') + 3
  if (loginStart < 3) return undefined
  const at = whole.lastIndexOf('@')
  const login = whole.slice(loginStart, Math.max(at, loginStart))
  const [place = '', query = ''] = whole.slice(Math.max(at + 1, loginStart)).split('?')
  const colon = login.indexOf(':')
  const user = colon < 0 ? login : login.slice(0, colon)
  const password =
    colon < 0 ? (new URLSearchParams(query).get('password') ?? '') : decodePercent(login.slice(colon + 1))
  if (password === '') return undefined
  return { address: `${whole.slice(0, loginStart)}${user ? `${user}@` : ''}${place}`, password }
}

/** Decodes the percent escapes of a text, which is returned as it is where they are invalid. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** True where the connection to this Redis is not encrypted and leaves this host. */
export function isClearText(text: string): boolean {
  if (!/^redis(\+sentinel)?:/.test(text.trim())) return false
  return addressesOf(text).some((one) => URL.canParse(one) && !isLoopback(new URL(one).hostname))
}

function isRedisAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, search, hash } = new URL(text)
  return (protocol === 'redis:' || protocol === 'rediss:') && hostname !== '' && search + hash === ''
}

/** A Redis that sentinels monitor under `name`. */
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
    const [, ipv6, host = '', port] = /^(?:\[([\d:a-f]+)\]|([^:]*))(?::(\d{1,5}))?$/i.exec(one) ?? []
    return { host: ipv6 ?? host, port: port ? Number(port) : SENTINEL_PORT }
  })
  return { isTls: scheme.startsWith('rediss'), nodes, name, username, database: Number(database) }
}
