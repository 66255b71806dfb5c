/** Claims on a shared ledger, and what became of them. */
import assert from 'node:assert/strict'
import type { Claim, Settled, SharedLedger } from '../../src/lib/quota/shared'

/** One request of `current`, unless told otherwise. */
export function claim(over: Partial<Claim>): Claim {
  return { name: 'current', wanted: 1, least: 1, limit: 1, heldMs: 1000, ...over }
}

/** One that was sent, and answered without headers. */
export function settled(over: Partial<Settled>): Settled {
  const { taken = 1 } = over
  const quiet = { remaining: null, flightMs: 0, refused: false }
  return { name: 'current', taken, used: taken, limit: 1, heldMs: 1000, ...quiet, ...over }
}

/** True where all of it was to be had. */
export async function takes(ledger: SharedLedger, id: string, claims: readonly Claim[]): Promise<boolean> {
  return 'taken' in (await ledger.claim(id, claims))
}

/** How much it took. @throws where there was not enough */
export async function holds(
  ledger: SharedLedger,
  id: string,
  claims: readonly Claim[],
): Promise<readonly number[]> {
  const told = await ledger.claim(id, claims)
  assert.ok('taken' in told, `${id} got nothing`)
  return told.taken
}
