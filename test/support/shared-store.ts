/** Builders of requests to a shared store, and a member that sends them. */
import assert from 'node:assert/strict'
import type {
  ReserveRequest,
  ReserveResult,
  SharedQuotaStore,
  UsageReplay,
} from '../../src/lib/quota/shared/store'

/** One request of `current`, unless given otherwise. */
export function reserveRequest(over: Partial<ReserveRequest>): ReserveRequest {
  return { name: 'current', wanted: 1, minimum: 1, limit: 1, occupiedMs: 1000, ...over }
}

interface CommitOutcome {
  name: string
  limit: number
  occupiedMs: number
  /** How much was used. */
  used: number
  remaining: number | null
  flightMs: number
  closedMs: number
}

/** The outcome of a request that was sent, and answered without headers. */
export function commitOutcome(over: Partial<CommitOutcome>): CommitOutcome {
  const quiet = { remaining: null, flightMs: 0, closedMs: 0 }
  return { name: 'current', used: 1, limit: 1, occupiedMs: 1000, ...quiet, ...over }
}

/** What a process uses of a limit: nothing, unless given otherwise. */
export function usageReplay(over: Partial<UsageReplay>): UsageReplay {
  const nothing = { used: [], inFlight: [], ended: [], closedMs: 0 }
  return { name: 'current', occupiedMs: 1000, ...nothing, ...over }
}

/** A member of a shared store that has reported all that it used. */
export interface StoreMember {
  sharedStore: SharedQuotaStore
  name: string
  instanceId: string
  reserve(id: string, requests: readonly ReserveRequest[]): Promise<ReserveResult>
  /** @param ageMs how long ago it was answered */
  commit(id: string, outcomes: readonly CommitOutcome[], ageMs?: number): Promise<unknown>
  replay(replays: readonly UsageReplay[]): Promise<unknown>
  /** Sends a heartbeat; resolves with the instance id. */
  heartbeat(): Promise<string>
}

let members = 0

export async function joinStore(
  sharedStore: SharedQuotaStore,
  name = `member ${members++}`,
): Promise<StoreMember> {
  const heartbeat = { memberId: name, isLeaving: false, members: [], predecessors: [] }
  const { instanceId } = await sharedStore.heartbeat(heartbeat)
  await sharedStore.heartbeat({ ...heartbeat, reportedTo: instanceId })
  return {
    ...{ sharedStore, name, instanceId },
    async reserve(id, requests) {
      const result = await sharedStore.reserve(instanceId, name, `${name}:${id}`, requests)
      assert.ok(result !== 'stale', `${id} is of another instance`)
      return result
    },
    commit(id, outcomes, ageMs = 0) {
      const own = `${name}:${id}`
      const commits = outcomes.map(({ used, ...one }) => ({
        ...one,
        used: used > 0 ? { id: own, amount: used, ageMs } : undefined,
      }))
      return sharedStore.commit(instanceId, own, commits)
    },
    replay: (replays) => sharedStore.replay(instanceId, replays),
    heartbeat: async () => (await sharedStore.heartbeat({ ...heartbeat, reportedTo: instanceId })).instanceId,
  }
}

/** True if all of it was granted. */
export async function isGranted(
  member: StoreMember,
  id: string,
  requests: readonly ReserveRequest[],
): Promise<boolean> {
  return 'granted' in (await member.reserve(id, requests))
}

/** How much was granted. @throws if there was not enough */
export async function grantedOf(
  member: StoreMember,
  id: string,
  requests: readonly ReserveRequest[],
): Promise<readonly number[]> {
  const result = await member.reserve(id, requests)
  assert.ok('granted' in result, `${id} got nothing`)
  return result.granted
}
