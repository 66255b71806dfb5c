import { chance, seedFrom } from './random'

/** The credentials of an account (docs/service.md, *Requests*). */
export interface Account {
  /** 45 characters */
  apiKey: string
  /** 8 characters */
  loginId: string
  loginPass: string
  /** the reference-only ID, which can read like the user; its requests count for the user */
  referenceId: string
  referencePass: string
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
    referenceId: `ref${randomText(seedFrom(seed, 'reference-id'), 5)}`,
    referencePass: randomText(seedFrom(seed, 'reference-pass'), 12),
  }
}

/** The login ID of the user for whom a request is counted; `undefined` if the credentials are wrong. */
export function authenticate(
  accounts: readonly Account[],
  body: Readonly<Record<string, unknown>>,
): string | undefined {
  const id = body['login-id']
  const pass = body['login-pass']
  const account = accounts.find(
    ({ apiKey, loginId, loginPass, referenceId, referencePass }) =>
      apiKey === body['api-key'] &&
      ((loginId === id && loginPass === pass) || (referenceId === id && referencePass === pass)),
  )
  return account?.loginId
}

/** The user to whom a login ID belongs, whose windows the headers of a 401 report even if the password is wrong. */
export function findOwner(accounts: readonly Account[], id: unknown): string | undefined {
  return accounts.find(({ loginId, referenceId }) => loginId === id || referenceId === id)?.loginId
}
