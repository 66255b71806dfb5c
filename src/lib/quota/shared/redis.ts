import { randomUUID } from 'node:crypto'
import { EnvlogError } from '../../errors'
import { createConnector } from './redis-connection'
import { COMMIT, HEARTBEAT, REPLAY, RESERVE } from './redis-scripts'
import {
  type HeartbeatReply,
  MAX_REPLAY_BATCH,
  type Member,
  type ReserveResult,
  type SharedQuotaStore,
} from './store'

/**
 * A shared store in Redis or Valkey. Its client library is optional: users who share an account install it.
 * @param leaseMs how long a request may be in flight: after that its process counts as dead
 * @returns opens the store of one account, by its key
 * @throws EnvlogError `shared-client-missing`
 */
export function openRedis(address: string, password: string, leaseMs: number) {
  const connect = createConnector(loadLibrary(), address, password)
  return (account: string): SharedQuotaStore => {
    let connection = connect()
    const run = (script: string, names: readonly string[], argument: object) => {
      const keys = names.map((name) => `envlog:{${account}}:${name}`)
      return connection.run(script, keys, JSON.stringify(argument))
    }
    const namesOf = (list: readonly { name: string }[]) => list.map(({ name }) => name)

    return {
      async heartbeat(heartbeat) {
        await connection.opened
        const reply = await run(HEARTBEAT, ['epoch', 'members'], { ...heartbeat, candidate: randomUUID() })
        return readHeartbeatReply(reply as (string | number)[])
      },

      async reserve(instanceId, memberId, id, requests) {
        const names = ['epoch', 'members', ...namesOf(requests)]
        const reply = await run(RESERVE, names, { instanceId, memberId, id, leaseMs, requests })
        return readReserveResult(reply as number[])
      },

      async commit(instanceId, id, all) {
        const commits = all.map((one) => ({ ...one, remaining: one.remaining ?? -1 }))
        const reply = await run(COMMIT, ['epoch', ...namesOf(commits)], { instanceId, id, commits })
        return reply === 1 ? 'committed' : 'stale'
      },

      async replay(instanceId, all) {
        // All batches at once: the way to the store then takes its time only once.
        const replies = await Promise.all(
          batchesOf(all, MAX_REPLAY_BATCH).map((replays) =>
            run(REPLAY, ['epoch', ...namesOf(replays)], { instanceId, leaseMs, replays }),
          ),
        )
        return replies.every((reply) => reply === 1) ? 'replayed' : 'stale'
      },

      reconnect() {
        if (connection.isOpening()) return
        connection.end()
        connection = connect()
      },

      async close() {
        connection.end()
      },
    }
  }
}

function batchesOf<T>(list: readonly T[], size: number): T[][] {
  const count = Math.ceil(list.length / size)
  return Array.from({ length: count }, (_, index) => list.slice(index * size, (index + 1) * size))
}

function readHeartbeatReply([instanceId, ageMs, ...rest]: (string | number)[]): HeartbeatReply {
  const members: Member[] = []
  for (let index = 0; index < rest.length; index += 2) {
    members.push({ id: String(rest[index]), ageMs: Number(rest[index + 1]) })
  }
  return { instanceId: String(instanceId), ageMs: Number(ageMs), members }
}

function readReserveResult([status, ...rest]: number[]): ReserveResult | 'stale' {
  if (status === -1) return 'stale'
  if (status === 1) {
    const everySecond = (first: number) => rest.filter((_, index) => index % 2 === first)
    return { granted: everySecond(0), totals: everySecond(1) }
  }
  const [waitMs = 0, shortIndex = 0, total = 0, inFlight] = rest
  return { waitMs, shortIndex, total, inFlight: inFlight === 1 }
}

function loadLibrary(): typeof import('redis') {
  try {
    return require('redis')
  } catch {
    throw new EnvlogError('shared-client-missing')
  }
}
