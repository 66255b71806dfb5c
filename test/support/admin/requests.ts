/**
 * Dimensions of a request to the admin routes, besides the account in it, and how secrets are sent to an address.
 */
import type { AddressKind, SecretsRow } from './typed-accounts'
import { VARIABLES, variable } from './typed-accounts'

export const JSON_TYPE = 'application/json'

/** Content types, and whether they are accepted: a web page could send all others without a preflight request. */
export const types: Record<string, boolean> = {
  [JSON_TYPE]: true,
  'application/json; charset=utf-8': true,
  'Application/JSON;charset="UTF-8"': true,
  'application/x-www-form-urlencoded': false,
  'application/x-www-form-urlencoded; application/json': false,
  'text/plain': false,
  'text/plain;charset=utf-8': false,
  'text/plain; application/json': false,
  'text/plain, application/json': false,
  'multipart/form-data; boundary=application/json': false,
  'text/json': false,
  'application/json-seq': false,
  'application/vnd.api+json': false,
  '*/*': false,
  '': false,
  none: false,
}

export const FOREIGN_ORIGIN = 'https://other.example'
export const origins = ['absent', 'same', 'foreign', 'null'] as const
export type Origin = (typeof origins)[number]

/** @param own address of the Node-RED */
export function headersOf(type: string, origin: Origin, own: string): Record<string, string> {
  const value = { absent: undefined, same: own, foreign: FOREIGN_ORIGIN, null: 'null' }[origin]
  return { ...(type !== 'none' && { 'content-type': type }), ...(value && { origin: value }) }
}

export const ALL_TYPED = { apiKey: 'right', loginId: 'right', loginPass: 'right' } as const

interface SecretSource {
  credentials: NonNullable<SecretsRow['credentials']>
  /** Kinds of address to which they are sent. */
  to: readonly AddressKind[]
}

/** Ways to provide secrets with an address. */
export const secretSources = {
  typed: { credentials: ALL_TYPED, to: ['as deployed', 'another'] },
  stored: { credentials: {}, to: ['as deployed'] },
  'typed in part': { credentials: { loginPass: 'right' }, to: [] },
  'from a variable': { credentials: { ...ALL_TYPED, apiKey: variable(VARIABLES.nowhere) }, to: [] },
} as const satisfies Record<string, SecretSource>

export const sourceNames = Object.keys(secretSources) as (keyof typeof secretSources)[]

/** Whether the secrets are sent to such an address. */
export function isSent(how: keyof typeof secretSources, kind: AddressKind): boolean {
  const { to }: SecretSource = secretSources[how]
  return to.includes(kind)
}
