import { chance, seedFrom } from './random'

/** The credentials of an account (docs/service.md, *Requests*). */
export interface Account {
  /** 45 characters */
  apiKey: string
  /** 8 characters */
  loginId: string
  loginPass: string
  /** the reference-only ID: it can read like the user, and its requests count as the user's */
  referenceId: string
  referencePass: string
}

const letters = 'abcdefghijkmnpqrstuvwxyz23456789'

function text(seed: number, length: number): string {
  let made = ''
  for (let i = 0; i < length; i++) made += letters[Math.floor(chance(seed, i) * letters.length)]
  return made
}

/** Credentials that depend only on the seed, so that a flow saved yesterday still logs in today. */
export function accountFor(seed: number | string): Account {
  return {
    apiKey: text(seedFrom(seed, 'api-key'), 45),
    loginId: `sim${text(seedFrom(seed, 'login-id'), 5)}`,
    loginPass: text(seedFrom(seed, 'login-pass'), 12),
    referenceId: `ref${text(seedFrom(seed, 'reference-id'), 5)}`,
    referencePass: text(seedFrom(seed, 'reference-pass'), 12),
  }
}

/** The login ID of the user for whom a request is counted; undefined if the credentials are wrong. */
export function userOf(
  accounts: readonly Account[],
  body: Readonly<Record<string, unknown>>,
): string | undefined {
  const id = body['login-id']
  const pass = body['login-pass']
  const account = accounts.find(
    (each) =>
      each.apiKey === body['api-key'] &&
      ((each.loginId === id && each.loginPass === pass) ||
        (each.referenceId === id && each.referencePass === pass)),
  )
  return account?.loginId
}

/** The user whose window the headers of a 401 report, even if the password is wrong. */
export function ownerOf(accounts: readonly Account[], id: unknown): string | undefined {
  return accounts.find((each) => each.loginId === id || each.referenceId === id)?.loginId
}
