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

/** What `limits` may replace of an endpoint's row: requests, and records of a device, with their windows in s. */
export const LIMIT_KEYS = ['limit', 'window', 'records', 'recordsWindow'] as const
/** Endpoints whose records are counted. */
export const ENDPOINTS_OF_RECORDS = ['data', 'data-relay'] as const
export const ENDPOINTS = [
  'current',
  'latest-data',
  'latest-data-relay',
  ...ENDPOINTS_OF_RECORDS,
  'alert',
] as const
/** Alert requests an hour, for all devices of an account (service-api.md, *Limits*). */
export const ALERTS_AN_HOUR = 12
/** Longest window of a limit in seconds. */
export const LONGEST_WINDOW = 86_400

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
  if (!URL.canParse(text.trim())) return 'unreadable'
  const { protocol, hostname, password } = new URL(text.trim())
  if ((protocol !== 'redis:' && protocol !== 'rediss:') || hostname === '') return 'unreadable'
  return password === '' ? undefined : 'has-password'
}

/** True for JSON that `limits` may hold; blank is none. */
export function isLimits(text: string): boolean {
  return text.trim() === '' || readLimits(text) !== undefined
}

type LimitKey = (typeof LIMIT_KEYS)[number]
export type LimitsTable = Partial<Record<(typeof ENDPOINTS)[number], Partial<Record<LimitKey, number>>>>

/** The rows that `limits` replaces; nothing where it cannot be read, or names what there is not. */
export function readLimits(text: string): LimitsTable | undefined {
  try {
    const table: unknown = JSON.parse(text)
    return isObject(table) && Object.entries(table).every(isRow) ? (table as LimitsTable) : undefined
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function isRow([endpoint, row]: [string, unknown]): boolean {
  const counted = (ENDPOINTS_OF_RECORDS as readonly string[]).includes(endpoint)
  const keys: readonly string[] = counted ? LIMIT_KEYS : LIMIT_KEYS.slice(0, 2)
  if (!(ENDPOINTS as readonly string[]).includes(endpoint) || !isObject(row)) return false
  return Object.entries(row).every(([key, value]) => {
    const most = key.toLowerCase().endsWith('window') ? LONGEST_WINDOW : Number.MAX_SAFE_INTEGER
    return keys.includes(key) && Number.isInteger(value) && Number(value) >= 1 && Number(value) <= most
  })
}
