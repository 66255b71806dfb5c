/** Validates and parses the addresses of the service and of a Redis or Valkey server. */

/** Whether a URL's `hostname` is a name or an address of this host. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

/**
 * The problem with a service address; `undefined` if it is valid. A valid address uses `https:`, or `http:` on this
 * host, and has no query, fragment or login.
 */
export function findAddressProblem(text: string) {
  if (text.trim() === '') return 'missing'
  if (!URL.canParse(text.trim())) return 'unreadable'
  const url = new URL(text.trim())
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) return 'not-https'
  if (url.search || url.hash || url.username || url.password) return 'has-extras'
  return undefined
}

/**
 * An address without the path of an endpoint, with which the service's documents print it. Without a limit to the parts
 * of that path, the time would grow with the square of the length.
 */
export function withoutEndpoint(text: string): string {
  return text.trim().replace(/(?<=[^/:])\/+v1\/devices(?:\/[\w-]*){0,3}$/, '')
}

/**
 * The base address without trailing slashes. Request paths are appended to it, and it is part of an account's key.
 * @throws TypeError if `findAddressProblem` finds a problem
 */
export function normalizeAddress(text: string): string {
  const { origin, pathname } = new URL(withoutEndpoint(text))
  return origin + pathname.replace(/(?<!\/)\/+$/, '')
}

/**
 * The problem with a Redis or Valkey address; `undefined` if it is valid. It must not contain a password, which is
 * stored separately.
 */
export function findSharedQuotaProblem(text: string) {
  if (splitPassword(text)) return 'has-password'
  return readRedisAddress(text) ? undefined : 'unreadable'
}

/**
 * Splits a Redis address into an address without a password and the password; `undefined` if it has none. The password
 * may contain any character, even unescaped, and may be a query parameter.
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

/** Decodes percent escapes; returns the text unchanged if they are invalid. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Whether the connection to this Redis leaves this host without encryption. */
export function isClearText(text: string): boolean {
  const address = readRedisAddress(text)
  if (!address || address.isTls) return false
  return address.hosts.some(({ host }) => !isLoopback(host.includes(':') ? `[${host}]` : host))
}

/** A Redis or Valkey server, or the sentinels that monitor it. */
export interface RedisAddress {
  isTls: boolean
  username: string
  hosts: { host: string; port: number }[]
  /** The server's name in the sentinels; `null` if there are none. */
  sentinelName: string | null
  database: number
}

const SERVER = /^redis(?<tls>s?):\/\/(?:(?<user>[^@:/?#]*)@)?(?<hosts>[^@/?#,]+)(?:\/(?<database>\d{0,4}))?$/
const SENTINELS =
  /^redis(?<tls>s?)\+sentinel:\/\/(?:(?<user>[^@:/?#]*)@)?(?<hosts>[^@/?#]+)\/(?<name>[^@/?#]+)(?:\/(?<database>\d{1,4}))?$/

/**
 * Parses `redis://user@host:port/database` or `redis+sentinel://user@host:port,host:port/name/database`, with `rediss`
 * for TLS; `undefined` for any other text.
 */
export function readRedisAddress(text: string): RedisAddress | undefined {
  const address = text.trim()
  const { groups } = SERVER.exec(address) ?? SENTINELS.exec(address) ?? {}
  if (!groups) return undefined
  const { tls, user = '', hosts = '', name = null, database } = groups
  const read = hosts.split(',').map((host) => readHost(host, name === null ? 6379 : 26379))
  if (!read.every((host) => host !== undefined)) return undefined
  return {
    isTls: tls === 's',
    username: decodePercent(user),
    hosts: read,
    sentinelName: name,
    database: Number(database ?? 0),
  }
}

/** A host name or IPv4 address, or an IPv6 address in brackets, with or without a port. */
function readHost(text: string, defaultPort: number): { host: string; port: number } | undefined {
  const [, ipv6, host = ipv6, port = defaultPort] =
    /^(?:\[([\da-f:.]+)\]|([\w.-]+))(?::(\d{1,5}))?$/i.exec(text) ?? []
  return host === undefined || Number(port) > 65_535 ? undefined : { host, port: Number(port) }
}
