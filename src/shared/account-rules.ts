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
  return readRedisAddress(text) ? undefined : 'unreadable'
}

/**
 * Splits the address of a Redis into an address without password and the password; `undefined` where it has none. The
 * password may contain any character, also unescaped, and may be a parameter.
 */
export function splitPassword(text: string): { address: string; password: string } | undefined {
  const [, scheme = '', rest = ''] = /^([a-z+]+:\/\/)(.*)$/i.exec(text.trim()) ?? []
  const [, place = rest, parameter = ''] = /^([^?]*)\?(?:.*&)?password=([^&#]*)/i.exec(rest) ?? []
  const at = place.lastIndexOf('@')
  const [user = '', ...words] = place.slice(0, Math.max(0, at)).split(':')
  const password = decodePercent(words.join(':') || parameter)
  if (password === '') return undefined
  return { address: `${scheme}${user ? `${user}@` : ''}${place.slice(at + 1)}`, password }
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
  const address = readRedisAddress(text)
  if (!address || address.isTls) return false
  return address.hosts.some(({ host }) => !isLoopback(host.includes(':') ? `[${host}]` : host))
}

/** One Redis or Valkey, or the sentinels that monitor it. */
export interface RedisAddress {
  isTls: boolean
  username: string
  hosts: { host: string; port: number }[]
  /** What its sentinels call it; `null` where there are none. */
  sentinelName: string | null
  database: number
}

const SERVER = /^redis(?<tls>s?):\/\/(?:(?<user>[^@:/?#]*)@)?(?<hosts>[^@/?#,]+)(?:\/(?<database>\d{0,4}))?$/
const SENTINELS =
  /^redis(?<tls>s?)\+sentinel:\/\/(?:(?<user>[^@:/?#]*)@)?(?<hosts>[^@/?#]+)\/(?<name>[^@/?#]+)(?:\/(?<database>\d{1,4}))?$/

/**
 * Reads `redis://user@host:port/database` or `redis+sentinel://user@host:port,host:port/name/database`, with `rediss` for
 * TLS; `undefined` for any other text.
 */
export function readRedisAddress(text: string): RedisAddress | undefined {
  const address = text.trim()
  const { groups } = SERVER.exec(address) ?? SENTINELS.exec(address) ?? {}
  if (!groups) return undefined
  const { tls, user = '', hosts = '', name = null, database } = groups
  const read = hosts.split(',').map((one) => readHost(one, name === null ? 6379 : 26379))
  if (!read.every((one) => one !== undefined)) return undefined
  return {
    isTls: tls === 's',
    username: decodePercent(user),
    hosts: read,
    sentinelName: name,
    database: Number(database ?? 0),
  }
}

/** A name or IPv4, or IPv6 in brackets, with or without a port. */
function readHost(text: string, defaultPort: number): { host: string; port: number } | undefined {
  const [, ipv6, host = ipv6, port = defaultPort] =
    /^(?:\[([\da-f:.]+)\]|([\w.-]+))(?::(\d{1,5}))?$/i.exec(text) ?? []
  return host === undefined || Number(port) > 65_535 ? undefined : { host, port: Number(port) }
}
