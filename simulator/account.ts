import { chance, seedFrom } from './random'

/** The credentials of an account (docs/service.md, *Requests*). */
export interface Account {
  /** 45 characters */
  apiKey: string
  /** 8 characters */
  loginId: string
  loginPass: string
}

const characters = 'abcdefghijkmnpqrstuvwxyz23456789'

function randomText(seed: number, length: number): string {
  let result = ''
  for (let i = 0; i < length; i++) result += characters[Math.floor(chance(seed, i) * characters.length)]
  return result
}

/** Creates credentials that depend only on the seed, so that a flow saved yesterday still logs in today. */
export function createAccount(seed: number | string): Account {
  return {
    apiKey: randomText(seedFrom(seed, 'api-key'), 45),
    loginId: `sim${randomText(seedFrom(seed, 'login-id'), 5)}`,
    loginPass: randomText(seedFrom(seed, 'login-pass'), 12),
  }
}

/** Whether the body of a request contains the credentials of the account. */
export function isAuthenticated(
  { apiKey, loginId, loginPass }: Account,
  body: Readonly<Record<string, unknown>>,
): boolean {
  return body['api-key'] === apiKey && body['login-id'] === loginId && body['login-pass'] === loginPass
}
