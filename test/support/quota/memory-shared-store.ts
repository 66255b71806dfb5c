import type { Clock } from '../../../src/lib/clock'
import {
  type CommitRequest,
  type Heartbeat,
  type HeartbeatReply,
  MEMBER_TIMEOUT_MS,
  REPLAY_PERIOD_MS,
  type ReserveRequest,
  type ReserveResult,
  type SharedQuotaStore,
  type UsageReplay,
} from '../../../src/lib/quota/shared/store'

interface Held {
  amount: number
  inFlight: boolean
  ends: number
}

type State = 'here' | 'away' | 'silent'

/**
 * A ledger as the port describes it, in memory, that can be away, silent, slow, or lose what it held.
 * @param name unlike that of any other
 */
export function createLedger(clock: Clock, name = '') {
  let limits = new Map<string, Map<string, Held>>()
  /** Member → when it was heard of last. */
  let members = new Map<string, number>()
  let epochs = 0
  let since = Number.NEGATIVE_INFINITY
  let state: State = 'here'
  let delay = () => 0
  let delayThere = () => 0
  const calls: string[] = []
  const failing = new Set<string>()
  let closed = 0
  let resets = 0
  const LEASE = 600_000
  const now = () => clock.monotonic()
  const epoch = () => `${name}${epochs}`

  function entries(name: string): Map<string, Held> {
    const known = limits.get(name) ?? new Map<string, Held>()
    limits.set(name, known)
    for (const [id, { ends }] of known) if (ends <= now()) known.delete(id)
    return known
  }
  const spent = (name: string) => [...entries(name).values()].reduce((sum, { amount }) => sum + amount, 0)

  function put(name: string, id: string, amount: number, inFlight: boolean, ends: number): void {
    const known = entries(name).get(id)
    if (known && !known.inFlight && inFlight) return
    const isSpent = known && !known.inFlight
    const [most, last] = isSpent
      ? [Math.max(known.amount, amount), Math.max(known.ends, ends)]
      : [amount, ends]
    if (last > now()) entries(name).set(id, { amount: most, inFlight, ends: last })
  }

  function release(name: string, id: string): void {
    if (entries(name).get(id)?.inFlight) entries(name).delete(id)
  }

  function hello({ member, toldTo, isLeaving, peers, predecessors }: Heartbeat): HeartbeatReply {
    if (now() - since < REPLAY_PERIOD_MS) {
      for (const { id, ageMs } of peers)
        members.set(id, Math.max(members.get(id) ?? -Infinity, Math.min(now() - ageMs, since - 1)))
    }
    for (const id of predecessors) members.delete(id)
    if (toldTo === epoch()) members.set(member, now())
    if (isLeaving) members.delete(member)
    const known = [...members].map(([id, at]) => ({ id, ageMs: now() - at }))
    return { epoch: epoch(), ageMs: now() - since, peers: known }
  }

  /** What silent members may be spending by themselves. */
  function reserved({ name, limit, occupiedMs }: ReserveRequest): Held[] {
    const heard = [...members].map(([id, at]) => ({ id, at, ageMs: now() - at }))
    const count = heard.filter(({ ageMs }) => ageMs < Math.max(occupiedMs, MEMBER_TIMEOUT_MS)).length
    const share = Math.max(1, Math.floor(limit / Math.max(2, count)))
    const silent = heard.filter(
      ({ at, ageMs }) => (ageMs >= MEMBER_TIMEOUT_MS || at < since) && ageMs < occupiedMs,
    )
    return silent.flatMap(({ id, at }) => {
      const own = [...entries(name)].filter(([entry]) => entry.startsWith(`${id}:`))
      const amount = share - own.reduce((sum, [, one]) => sum + one.amount, 0)
      return amount > 0 ? [{ amount, inFlight: false, ends: at + occupiedMs }] : []
    })
  }

  function claim(member: string, id: string, claims: readonly ReserveRequest[]): ReserveResult {
    members.set(member, now())
    for (const { name } of claims) release(name, id)
    const told = claims.map((one) => {
      const left = reserved(one)
      const reserve = left.reduce((sum, { amount }) => sum + amount, 0)
      return { ...one, left, reserve, sum: spent(one.name) + reserve }
    })
    for (const [short, { name, least, limit, occupiedMs, left, reserve, sum }] of told.entries()) {
      const isClosed = entries(name).get('closed')
      if (isClosed) return { waitMs: isClosed.ends - now(), short, spent: sum, inFlight: false }
      if (limit - sum >= Math.min(least, Math.max(1, limit - reserve))) continue
      const list = [...entries(name).values(), ...left]
      const next = Math.min(...list.map(({ ends, inFlight }) => (inFlight ? occupiedMs : ends - now())))
      const inFlight = list.some((one) => one.inFlight)
      return { waitMs: Math.ceil(next), short, spent: sum, inFlight }
    }
    const taken = told.map(({ wanted, limit, sum }) => Math.min(wanted, limit - sum))
    for (const [at, { name, occupiedMs }] of told.entries())
      put(name, id, taken[at] ?? 0, true, now() + LEASE + occupiedMs)
    return { taken, spent: told.map(({ sum }, at) => sum + (taken[at] ?? 0)) }
  }

  function settle(id: string, settled: readonly CommitRequest[]): void {
    for (const { name, spent: own, limit, occupiedMs, remaining, closedMs } of settled) {
      release(name, id)
      if (own) put(name, own.id, own.amount, false, now() + occupiedMs - own.ageMs)
      const others = remaining === null ? 0 : limit - remaining - spent(name)
      if (others > 0) put(name, `others ${id}`, others, false, now() + occupiedMs)
      if (closedMs > 0) put(name, 'closed', 0, false, now() + closedMs)
    }
  }

  function replay(usages: readonly UsageReplay[]): void {
    for (const { name, occupiedMs, spent: own, inFlight, ended, closedMs } of usages) {
      for (const id of ended) release(name, id)
      for (const { id, amount, ageMs } of own) put(name, id, amount, false, now() + occupiedMs - ageMs)
      for (const { id, amount } of inFlight) put(name, id, amount, true, now() + LEASE + occupiedMs)
      if (closedMs > 0) put(name, 'closed', 0, false, now() + closedMs)
    }
  }

  /** One process's way to it, which may be cut while others have theirs. */
  function open(reach: () => State = () => 'here'): SharedQuotaStore {
    const broken = () => Promise.reject(Object.assign(new Error('away'), { code: 'AWAY' }))
    const over = (ms: number) => new Promise<void>((resolve) => clock.after(ms, () => resolve()))

    /** Resolves where nothing is in the way, and never where nobody says so. */
    async function passes(): Promise<void> {
      const states = [state, reach()]
      if (states.includes('away')) await broken()
      if (states.includes('silent')) await new Promise(() => {})
    }

    /** On one connection nothing overtakes what went before: when that arrived there, and here. */
    const arrived = { there: 0, back: 0 }
    const after = (way: keyof typeof arrived, ms: number) => {
      arrived[way] = Math.max(arrived[way], now() + ms)
      return over(arrived[way] - now()).then(passes)
    }

    /** Takes its time there and back, as what is on another machine does: the way may be cut meanwhile. */
    async function call<T>(name: string, work: () => T): Promise<T> {
      calls.push(name)
      if (failing.delete(name)) await broken()
      await passes()
      const [there, back] = [delayThere(), delay()]
      if (there > 0 || arrived.there > now()) await after('there', there)
      const result = work()
      if (back > 0 || arrived.back > now()) await after('back', back)
      return result
    }
    const fresh = <T>(told: string, work: () => T) => (told === epoch() ? work() : ('stale' as const))
    return {
      hello: (one) => call('hello', () => hello(one)),
      claim: (told, member, id, claims) => call('claim', () => fresh(told, () => claim(member, id, claims))),
      settle: (told, id, settled) =>
        call('settle', () =>
          fresh(told, () => {
            settle(id, settled)
            return 'settled' as const
          }),
        ),
      replay: (told, usages) =>
        call('replay', () =>
          fresh(told, () => {
            replay(usages)
            return 'replayed' as const
          }),
        ),
      reset: () => void resets++,
      close: async () => {
        closed++
      },
    }
  }

  return {
    calls,
    spent,
    underWay: (name: string) => [...entries(name).values()].filter(({ inFlight }) => inFlight).length,
    members: () => members.size,
    closed: () => closed,
    resets: () => resets,
    become: (to: State) => {
      state = to
    },
    /** @param there till it does what it is asked; else that is at once */
    slow: (ms: () => number, there = () => 0) => {
      delay = ms
      delayThere = there
    },
    /** The next such call fails. */
    failOnce: (name: string) => void failing.add(name),
    /** It begins anew with nothing. */
    lose() {
      limits = new Map()
      members = new Map()
      epochs++
      since = now()
    },
    /** A copy of what it holds: given back, another process has it, under another name. */
    copy() {
      const [oldLimits, oldMembers] = [structuredClone(limits), new Map(members)]
      return () => {
        limits = structuredClone(oldLimits)
        members = new Map(oldMembers)
        epochs++
        since = now()
      }
    },
    open,
  }
}
