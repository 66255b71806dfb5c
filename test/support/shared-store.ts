/** Claims on a shared ledger, and what became of them. */
import assert from 'node:assert/strict'
import type {
  ReserveRequest,
  ReserveResult,
  SharedQuotaStore,
  UsageReplay,
} from '../../src/lib/quota/shared/store'

/** One request of `current`, unless told otherwise. */
export function claim(over: Partial<ReserveRequest>): ReserveRequest {
  return { name: 'current', wanted: 1, least: 1, limit: 1, occupiedMs: 1000, ...over }
}

interface Outcome {
  name: string
  limit: number
  occupiedMs: number
  /** How much was spent. */
  used: number
  remaining: number | null
  flightMs: number
  closedMs: number
}

/** One that was sent, and answered without headers. */
export function settled(over: Partial<Outcome>): Outcome {
  const quiet = { remaining: null, flightMs: 0, closedMs: 0 }
  return { name: 'current', used: 1, limit: 1, occupiedMs: 1000, ...quiet, ...over }
}

/** What a process uses of a limit: nothing, unless told otherwise. */
export function usage(over: Partial<UsageReplay>): UsageReplay {
  const nothing = { spent: [], inFlight: [], ended: [], closedMs: 0 }
  return { name: 'current', occupiedMs: 1000, ...nothing, ...over }
}

/** A member of a ledger that has told all that it spent. */
export interface Member {
  ledger: SharedQuotaStore
  name: string
  epoch: string
  claim(id: string, claims: readonly ReserveRequest[]): Promise<ReserveResult>
  /** @param ageMs how long ago it was answered */
  settle(id: string, settled: readonly Outcome[], ageMs?: number): Promise<unknown>
  replay(usages: readonly UsageReplay[]): Promise<unknown>
  /** What it does every few seconds; gives the epoch. */
  greet(): Promise<string>
}

let members = 0

export async function joins(ledger: SharedQuotaStore, name = `member ${members++}`): Promise<Member> {
  const hello = { member: name, isLeaving: false, peers: [], predecessors: [] }
  const { epoch } = await ledger.hello(hello)
  await ledger.hello({ ...hello, toldTo: epoch })
  return {
    ...{ ledger, name, epoch },
    async claim(id, claims) {
      const told = await ledger.claim(epoch, name, `${name}:${id}`, claims)
      assert.ok(told !== 'stale', `${id} is of another epoch`)
      return told
    },
    settle(id, outcomes, ageMs = 0) {
      const own = `${name}:${id}`
      const settled = outcomes.map(({ used, ...one }) => ({
        ...one,
        spent: used > 0 ? { id: own, amount: used, ageMs } : undefined,
      }))
      return ledger.settle(epoch, own, settled)
    },
    replay: (usages) => ledger.replay(epoch, usages),
    greet: async () => (await ledger.hello({ ...hello, toldTo: epoch })).epoch,
  }
}

/** True where all of it was to be had. */
export async function takes(member: Member, id: string, claims: readonly ReserveRequest[]): Promise<boolean> {
  return 'taken' in (await member.claim(id, claims))
}

/** How much it took. @throws where there was not enough */
export async function holds(
  member: Member,
  id: string,
  claims: readonly ReserveRequest[],
): Promise<readonly number[]> {
  const told = await member.claim(id, claims)
  assert.ok('taken' in told, `${id} got nothing`)
  return told.taken
}
