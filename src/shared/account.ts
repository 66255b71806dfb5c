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
  if (!URL.canParse(text.trim())) return 'unreadable'
  const { protocol, hostname, password } = new URL(text.trim())
  if ((protocol !== 'redis:' && protocol !== 'rediss:') || hostname === '') return 'unreadable'
  return password === '' ? undefined : 'has-password'
}
