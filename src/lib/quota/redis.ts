import { randomUUID } from 'node:crypto'
import { EnvlogError } from '../errors'
import { CATCH_UP, CLAIM, EPOCH, SETTLE } from './redis-scripts'
import type { Claim, Claimed, Missed, Settled, SharedLedger } from './shared'

/** Longest time between two tries to connect. */
const RECONNECT_MS = 1000

/**
 * A ledger in Redis or Valkey. Its client library is optional: users who share an account install it.
 * @param leaseMs how long a request may be in flight: after that its process is taken for dead
 * @throws EnvlogError `shared-client-missing`
 */
export function openRedis(address: string, password: string, leaseMs: number) {
  const { createClient } = loadLibrary()
  return (account: string): SharedLedger => {
    const client = createClient({
      url: address,
      ...(password ? { password } : {}),
      // What cannot be sent at once is for the fallback, not for later.
      disableOfflineQueue: true,
      socket: { reconnectStrategy: (tries: number) => Math.min(RECONNECT_MS, 50 * 2 ** tries) },
    })
    // Its state is asked for, its words may hold the address's secrets.
    client.on('error', () => {})
    let connecting: Promise<unknown> = client.connect().catch(() => {})

    const key = (name: string) => `envlog:{${account}}:${name}`
    const run = (script: string, names: readonly string[], args: readonly (string | number)[]) =>
      client.eval(script, { keys: names.map(key), arguments: args.map(String) })

    return {
      async claim(id, claims) {
        const args = claims.flatMap(({ wanted, least, limit, heldMs }) => [wanted, least, limit, heldMs])
        const [went, ...told] = (await run(CLAIM, namesOf(claims), [id, leaseMs, ...args])) as number[]
        if (went !== 1) {
          const [waitMs = 0, short = 0, spent = 0, flying] = told
          return { waitMs, short, spent, flying: flying === 1 }
        }
        const every = (first: number) => told.filter((_, index) => index % 2 === first)
        return { taken: every(0), spent: every(1) } satisfies Claimed
      },

      async settle(id, settled, ageMs) {
        await run(SETTLE, namesOf(settled), [id, Math.round(ageMs), ...settled.flatMap(settledArgs)])
      },

      async epoch() {
        if (!client.isReady) await connecting
        connecting = Promise.resolve()
        return String(await run(EPOCH, ['epoch'], [randomUUID()]))
      },

      async catchUp(missed: readonly Missed[]) {
        for (const { name, heldMs, spent } of missed) {
          const entries = spent.flatMap(({ ageMs, amount }) => [Math.round(ageMs), amount])
          await run(CATCH_UP, [name], [randomUUID(), heldMs, ...entries])
        }
      },

      async close() {
        client.destroy()
      },
    }
  }
}

const namesOf = (list: readonly (Claim | Settled)[]) => list.map(({ name }) => name)

function settledArgs({ taken, used, limit, heldMs, remaining, refused, flightMs }: Settled): number[] {
  return [taken, used, limit, heldMs, remaining ?? -1, refused ? 1 : 0, flightMs]
}

function loadLibrary(): typeof import('redis') {
  try {
    return require('redis')
  } catch {
    throw new EnvlogError('shared-client-missing')
  }
}
