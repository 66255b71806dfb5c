import { randomUUID } from 'node:crypto'
import { EnvlogError } from '../../errors'
import { type Connection, connectorTo } from './redis-connection'
import { CLAIM, HELLO, REPLAY, SETTLE } from './redis-scripts'
import { type HeartbeatReply, MAX_REPLAY_BATCH, type ReserveResult, type SharedQuotaStore } from './store'

/**
 * A ledger in Redis or Valkey. Its client library is optional: users who share an account install it.
 * @param leaseMs how long a request may be in flight: after that its process is taken for dead
 * @throws EnvlogError `shared-client-missing`
 */
export function openRedis(address: string, password: string, leaseMs: number) {
  const connect = connectorTo(loadLibrary(), address, password)
  return (account: string): SharedQuotaStore => {
    let connection: Connection = connect()
    const run = (script: string, names: readonly string[], argument: object) => {
      const keys = names.map((name) => `envlog:{${account}}:${name}`)
      return connection.run(script, keys, JSON.stringify(argument))
    }
    const namesOf = (list: readonly { name: string }[]) => list.map(({ name }) => name)

    return {
      async hello(hello) {
        await connection.opened
        const answer = await run(HELLO, ['epoch', 'members'], { ...hello, candidate: randomUUID() })
        return greetingOf(answer as (string | number)[])
      },

      async claim(epoch, member, id, claims) {
        const names = ['epoch', 'members', ...namesOf(claims)]
        return claimedOf((await run(CLAIM, names, { epoch, member, id, leaseMs, claims })) as number[])
      },

      async settle(epoch, id, settled) {
        const told = settled.map((one) => ({ ...one, remaining: one.remaining ?? -1 }))
        const done = await run(SETTLE, ['epoch', ...namesOf(settled)], { epoch, id, settled: told })
        return done === 1 ? 'settled' : 'stale'
      },

      async replay(epoch, all) {
        const batches = Array.from({ length: Math.ceil(all.length / MAX_REPLAY_BATCH) }, (_, at) =>
          all.slice(at * MAX_REPLAY_BATCH, (at + 1) * MAX_REPLAY_BATCH),
        )
        // All of them at once: how far away the ledger is counts one time.
        const done = await Promise.all(
          batches.map((usages) => run(REPLAY, ['epoch', ...namesOf(usages)], { epoch, leaseMs, usages })),
        )
        return done.every((one) => one === 1) ? 'replayed' : 'stale'
      },

      reset() {
        if (!connection.isOpening()) {
          connection.end()
          connection = connect()
        }
      },

      async close() {
        connection.end()
      },
    }
  }
}

function greetingOf([epoch, ageMs, ...members]: (string | number)[]): HeartbeatReply {
  const peers: { id: string; ageMs: number }[] = []
  for (let at = 0; at < members.length; at += 2) {
    peers.push({ id: String(members[at]), ageMs: Number(members[at + 1]) })
  }
  return { epoch: String(epoch), ageMs: Number(ageMs), peers }
}

function claimedOf([went, ...told]: number[]): ReserveResult | 'stale' {
  if (went === -1) return 'stale'
  if (went === 1) {
    const every = (first: number) => told.filter((_, index) => index % 2 === first)
    return { taken: every(0), spent: every(1) }
  }
  const [waitMs = 0, short = 0, spent = 0, inFlight] = told
  return { waitMs, short, spent, inFlight: inFlight === 1 }
}

function loadLibrary(): typeof import('redis') {
  try {
    return require('redis')
  } catch {
    throw new EnvlogError('shared-client-missing')
  }
}
