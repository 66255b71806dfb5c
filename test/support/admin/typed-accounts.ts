/**
 * Drafts of accounts for the admin routes, and the result of each. In addresses, SERVICE stands for the port of the
 * deployed account's service, STRANGER for that of another server, SECURE for that of the same server with
 * TLS.
 */
import { STORED_SECRET } from '../../../src/shared/admin'

/** What becomes of an address where all secrets are typed. */
export type AddressKind = 'as deployed' | 'another' | 'refused'

export interface AddressRow {
  address: string
  kind: AddressKind
  /** The address that is connected to, if it is not the deployed service. */
  reaches?: string
  /** Whether what is there answers as a service does. */
  answers?: boolean
}

const same = (address: string): AddressRow => ({ address, kind: 'as deployed', answers: true })
const another = (address: string, reaches: string, answers = false): AddressRow => ({
  ...{ address, kind: 'another', reaches, answers },
})
const refused = (address: string): AddressRow => ({ address, kind: 'refused' })

export const addresses: readonly AddressRow[] = [
  same('http://127.0.0.1:SERVICE'),
  same('http://127.0.0.1:SERVICE/'),
  same(' HTTP://127.0.0.1:SERVICE// '),
  same('http://127.1:SERVICE'),
  same('http://2130706433:SERVICE'),
  same('http://127.0.\t0.1:SERVICE'),

  another('http://127.0.0.1:SERVICE/other', '127.0.0.1:SERVICE'),
  another('http://127.0.0.1:STRANGER', '127.0.0.1:STRANGER', true),
  another('http://127.0.0.1:STRANGER/http://127.0.0.1:SERVICE', '127.0.0.1:STRANGER', true),
  another('http://localhost:STRANGER', 'localhost:STRANGER', true),
  another('http://127.0.0.1:STRANGER/redirect', '127.0.0.1:STRANGER'),
  another('http://[::1]:1', '::1:1'),
  another('https://127.0.0.1:SECURE', '127.0.0.1:SECURE'),
  another('https://169.254.169.254/latest', '169.254.169.254:443'),
  another('https://10.0.0.1:8443', '10.0.0.1:8443'),
  another('https://other.example/base', 'other.example:443'),

  refused('http://169.254.169.254/latest'),
  refused('http://10.0.0.1'),
  refused('http://other.example'),
  refused('http://0.0.0.0:STRANGER'),
  refused('http://[::]:STRANGER'),
  refused('http://[::ffff:127.0.0.1]:STRANGER'),
  refused('http://localhost.:STRANGER'),
  refused('http://localhost.other.example'),
  refused('http://127.0.0.1.other.example'),
  refused('http://127.0.0.1:SERVICE@other.example'),
  refused('http://other.example\\@127.0.0.1:SERVICE'),
  refused('http://user:word@127.0.0.1:SERVICE'),
  refused('http://user@127.0.0.1:SERVICE'),
  refused('https://user:word@other.example'),
  refused('http://127.0.0.1:SERVICE?other'),
  refused('http://127.0.0.1:SERVICE#other'),
  refused('https://other.example/?x=http://127.0.0.1:SERVICE'),
  refused('file:///etc/passwd'),
  refused('file://127.0.0.1/etc/passwd'),
  refused('ftp://127.0.0.1:SERVICE'),
  refused('gopher://127.0.0.1:SERVICE'),
  refused('ws://127.0.0.1:SERVICE'),
  refused('redis://127.0.0.1:SERVICE'),
  refused('unix:/run/service.sock'),
  refused('data:application/json,{}'),
  refused('localhost:SERVICE'),
  refused('127.0.0.1:SERVICE'),
  refused('//127.0.0.1:SERVICE'),
  refused('https://'),
  refused('$' + '{HOME}'),
  refused(STORED_SECRET),
  refused(''),
]

/** Environment variables: each is deployed as the property of this name; the last is not deployed. */
export const VARIABLES = {
  baseUrl: 'ENVLOG_URL',
  apiKey: 'ENVLOG_KEY',
  loginId: 'ENVLOG_LOGIN',
  loginPass: 'ENVLOG_PASS',
  nowhere: 'ENVLOG_NOWHERE',
} as const

export const variable = (name: string): string => `$\{${name}}`
const [baseUrl, apiKey, loginId, loginPass, nowhere] = Object.values(VARIABLES).map(variable) as [
  ...[string, string, string, string, string],
]

type Outcome =
  /** The service answers. */
  | 'works'
  /** No request is sent, because secrets have to be typed. */
  | 'secrets-needed'
  /** No request is sent: nothing is stored, or settings are invalid. */
  | 'account-incomplete'
  | 'setting-invalid'
  | 'account-reference'

export interface SecretsRow {
  title: string
  /** Over the deployed account with its secrets as the editor has them. */
  typed: Record<string, unknown>
  /** Secrets; those that are left out are stored. `right` and `wrong` mean typed ones. */
  credentials?: Partial<Record<'apiKey' | 'loginId' | 'loginPass', string>>
  outcome: Outcome
}

const typed = { apiKey: 'right', loginId: 'right', loginPass: 'right' }
const asVariables = { apiKey, loginId, loginPass }
const ofVariables = { id: 'variables', baseUrl }

/** At the deployed address. */
export const secrets: readonly SecretsRow[] = [
  { title: 'all typed', typed: {}, credentials: typed, outcome: 'works' },
  { title: 'all typed, for no account', typed: { id: '' }, credentials: typed, outcome: 'works' },
  { title: 'all stored', typed: {}, outcome: 'works' },
  { title: 'all stored, the login typed', typed: {}, credentials: { loginId: 'right' }, outcome: 'works' },
  {
    title: 'all stored, other numbers typed',
    typed: { timeout: 5, retries: '1', concurrency: 1 },
    outcome: 'works',
  },

  ...(['right', 'wrong'] as const).flatMap((word): SecretsRow[] => [
    {
      title: `a ${word} password typed, the rest stored`,
      ...{ typed: {}, credentials: { loginPass: word }, outcome: 'secrets-needed' },
    },
    {
      title: `a ${word} key typed, the rest stored`,
      ...{ typed: {}, credentials: { apiKey: word }, outcome: 'secrets-needed' },
    },
    {
      title: `${word} key and password typed, the login stored`,
      ...{ typed: {}, credentials: { ...typed, apiKey: word, loginPass: word, loginId: STORED_SECRET } },
      outcome: 'secrets-needed',
    },
  ]),
  {
    title: 'all stored, another login typed',
    ...{ typed: {}, credentials: { loginId: 'wrong' }, outcome: 'secrets-needed' },
  },

  { title: 'variables as deployed', typed: ofVariables, credentials: asVariables, outcome: 'works' },
  { title: 'stored variables, their address as deployed', typed: ofVariables, outcome: 'works' },
  {
    title: 'stored variables, the address that the variable holds',
    ...{ typed: { id: 'variables' }, outcome: 'works' },
  },
  {
    title: 'variables as deployed, a stored password',
    ...{ typed: ofVariables, credentials: { apiKey, loginId }, outcome: 'works' },
  },
  {
    title: 'variables as deployed, but of another account',
    ...{ typed: {}, credentials: asVariables, outcome: 'secrets-needed' },
  },
  {
    title: 'variables as deployed, but of no account',
    ...{ typed: { id: '' }, credentials: asVariables, outcome: 'secrets-needed' },
  },
  {
    title: 'variables in each other’s places',
    typed: ofVariables,
    credentials: { apiKey: loginPass, loginId, loginPass: apiKey },
    outcome: 'secrets-needed',
  },
  {
    title: 'a variable that is deployed nowhere, as key',
    ...{ typed: ofVariables, credentials: { ...asVariables, apiKey: nowhere }, outcome: 'secrets-needed' },
  },
  {
    title: 'a variable that is deployed nowhere, as login',
    ...{ typed: ofVariables, credentials: { ...asVariables, loginId: nowhere }, outcome: 'secrets-needed' },
  },
  {
    title: 'a variable of the process, as password',
    typed: ofVariables,
    credentials: { ...asVariables, loginPass: variable('PATH') },
    outcome: 'secrets-needed',
  },
  {
    title: 'a variable as key where the rest is typed',
    ...{ typed: {}, credentials: { ...typed, apiKey: nowhere }, outcome: 'secrets-needed' },
  },
  ...[
    'relaySuffix',
    'limits',
    'series1Models',
    'timeout',
    'concurrency',
    'retries',
    'tls',
    'proxy',
    'id',
  ].map(
    (name): SecretsRow => ({
      title: `all typed, a variable as ${name}`,
      ...{ typed: { [name]: variable('HOME') }, credentials: typed, outcome: 'secrets-needed' },
    }),
  ),
  {
    title: 'all typed, a variable within the relay suffix, where it is none',
    ...{ typed: { relaySuffix: `x${nowhere}` }, credentials: typed, outcome: 'setting-invalid' },
  },

  {
    title: 'stored ones of the account of a stranger',
    ...{ typed: { id: 'other' }, outcome: 'secrets-needed' },
  },
  ...['nobody', '', '__proto__', 'constructor', 'broker', 'proxy', 'action', 'disabled'].map(
    (id): SecretsRow => ({
      title: `all stored of ${id ? `'${id}'` : 'nothing'}, which is no account that runs`,
      ...{ typed: { id }, credentials: { loginId: STORED_SECRET }, outcome: 'account-incomplete' },
    }),
  ),
  ...['broker', 'action', 'nobody'].flatMap((id) =>
    ['tls', 'proxy'].map(
      (name): SecretsRow => ({
        title: `all typed, and '${id}' as ${name}, which is none`,
        typed: { [name]: id },
        credentials: typed,
        outcome: name === 'proxy' && id !== 'nobody' ? 'setting-invalid' : 'account-reference',
      }),
    ),
  ),
  {
    title: 'all typed, and a shared quota, which is not taken',
    typed: { sharedQuota: 'redis://127.0.0.1:STRANGER', store: 'nowhere', version: 99 },
    credentials: typed,
    outcome: 'works',
  },
]

/** Destinations of requests with typed TLS and proxy. `behind` is deployed with both. */
export interface ConnectionRow {
  title: string
  typed: Record<string, unknown>
  isStored: boolean
  outcome: Outcome | 'no-certificate'
  /** Nothing else is connected to. */
  reaches: readonly string[]
}

const behind = { id: 'behind', baseUrl: 'https://service.test', tls: 'tls', proxy: 'proxy' }
const secure = { id: '', baseUrl: 'https://127.0.0.1:SECURE' }
const nothing = { outcome: 'secrets-needed', reaches: [] } as const
const stored = { isStored: true } as const

export const connections: readonly ConnectionRow[] = [
  {
    title: 'stored secrets by TLS and proxy as deployed',
    typed: behind,
    ...stored,
    outcome: 'works',
    reaches: ['127.0.0.1:PROXY'],
  },
  { title: 'stored secrets past the proxy', typed: { ...behind, proxy: '' }, ...stored, ...nothing },
  {
    title: 'stored secrets through another proxy',
    typed: { ...behind, proxy: 'detour' },
    ...stored,
    ...nothing,
  },
  { title: 'stored secrets without the TLS node', typed: { ...behind, tls: '' }, ...stored, ...nothing },
  {
    title: 'stored secrets with certificates unchecked',
    typed: { ...behind, tls: 'unchecked' },
    ...stored,
    ...nothing,
  },
  {
    title: 'stored secrets through a proxy where none is deployed',
    typed: { proxy: 'detour' },
    ...stored,
    ...nothing,
  },
  {
    title: 'stored secrets through a TLS node where none is deployed',
    typed: { tls: 'unchecked' },
    ...stored,
    ...nothing,
  },
  {
    title: 'typed secrets, certificates checked',
    ...{ typed: secure, isStored: false, outcome: 'no-certificate', reaches: ['127.0.0.1:SECURE'] },
  },
  {
    title: 'typed secrets, checked by an authority of a TLS node',
    ...{ typed: { ...secure, tls: 'tls' }, isStored: false, outcome: 'works', reaches: ['127.0.0.1:SECURE'] },
  },
  {
    title: 'typed secrets, certificates unchecked by a TLS node',
    ...{
      typed: { ...secure, tls: 'unchecked' },
      isStored: false,
      outcome: 'works',
      reaches: ['127.0.0.1:SECURE'],
    },
  },
  {
    title: 'typed secrets through a proxy',
    ...{ typed: { ...behind, id: '' }, isStored: false, outcome: 'works', reaches: ['127.0.0.1:PROXY'] },
  },
  {
    title: 'typed secrets in clear to this machine, past any proxy',
    ...{ typed: { proxy: 'detour' }, isStored: false, outcome: 'works', reaches: ['127.0.0.1:SERVICE'] },
  },
]
