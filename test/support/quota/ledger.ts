import type { Clock } from '../../../src/lib/clock'
import type { Claim, Claimed, Missed, Settled, SharedLedger } from '../../../src/lib/quota/shared'

interface Entry {
  id: string
  amount: number
  flying: boolean
  ends: number
}

/** A ledger as the port describes it, in memory, that can be away, silent, slow, or lose what it held. */
export function createLedger(clock: Clock) {
  let limits = new Map<string, Entry[]>()
  let epoch = 0
  let state: 'here' | 'away' | 'silent' = 'here'
  let delay = () => 0
  const calls: string[] = []
  const failing = new Set<string>()
  let closed = 0
  const LEASE = 600_000

  function entries(name: string): Entry[] {
    const live = (limits.get(name) ?? []).filter(({ ends }) => ends > clock.monotonic())
    limits.set(name, live)
    return live
  }
  const spent = (name: string) => entries(name).reduce((sum, { amount }) => sum + amount, 0)

  function claim(id: string, claims: readonly Claim[]): Claimed {
    const now = clock.monotonic()
    for (const [index, { name, least, limit, heldMs }] of claims.entries()) {
      const refused = entries(name).find((one) => one.id === 'refused')
      const [spends, flying] = [spent(name), entries(name).some((one) => one.flying)]
      if (refused) return { waitMs: refused.ends - now, short: index, spent: spends, flying: false }
      if (limit - spends >= least) continue
      const next = Math.min(...entries(name).map(({ ends, flying }) => (flying ? heldMs : ends - now)))
      return { waitMs: Math.ceil(next), short: index, spent: spends, flying }
    }
    const taken = claims.map(({ name, wanted, limit }) => Math.min(wanted, limit - spent(name)))
    for (const [index, { name, heldMs }] of claims.entries()) {
      entries(name).push({ id, amount: taken[index] ?? 0, flying: true, ends: now + LEASE + heldMs })
    }
    return { taken, spent: claims.map(({ name }) => spent(name)) }
  }

  function settle(id: string, settled: readonly Settled[], ageMs: number): void {
    for (const { name, used, limit, heldMs, remaining, refused } of settled) {
      limits.set(
        name,
        entries(name).filter((one) => !(one.id === id && one.flying)),
      )
      const ends = clock.monotonic() + heldMs - ageMs
      const put = (by: string, amount: number) => entries(name).push({ id: by, amount, flying: false, ends })
      if (used > 0) put(id, used)
      const others = remaining === null || ageMs > 0 ? 0 : limit - remaining - spent(name)
      if (others > 0) put('others', others)
      if (refused) put('refused', 0)
    }
  }

  function catchUp(missed: readonly Missed[]): void {
    for (const { name, heldMs, spent: lost } of missed) {
      for (const { ageMs, amount } of lost) {
        entries(name).push({ id: 'missed', amount, flying: false, ends: clock.monotonic() + heldMs - ageMs })
      }
    }
  }

  /** Does it at once and answers later, as what is on another machine does. */
  function call<T>(name: string, work: () => T): Promise<T> {
    calls.push(name)
    if (state === 'away' || failing.delete(name)) return Promise.reject(new Error('away'))
    if (state === 'silent') return new Promise(() => {})
    const ms = delay()
    const result = work()
    return ms === 0
      ? Promise.resolve(result)
      : new Promise((resolve) => clock.after(ms, () => resolve(result)))
  }

  return {
    calls,
    spent,
    underWay: (name: string) => entries(name).filter(({ flying }) => flying).length,
    closed: () => closed,
    become: (to: typeof state) => {
      state = to
    },
    slow: (ms: () => number) => {
      delay = ms
    },
    /** The next such call fails. */
    failOnce: (name: string) => void failing.add(name),
    /** It begins anew with nothing. */
    lose() {
      limits = new Map()
      epoch++
    },
    /** One process's way to it. */
    open(): SharedLedger {
      return {
        claim: (id, claims) => call('claim', () => claim(id, claims)),
        settle: (id, settled, ageMs) => call('settle', () => settle(id, settled, ageMs)),
        epoch: () => call('epoch', () => `${epoch}`),
        catchUp: (missed) => call('catchUp', () => catchUp(missed)),
        close: async () => {
          closed++
        },
      }
    },
  }
}
