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

interface UsageEntry {
  amount: number
  inFlight: boolean
  ends: number
}

type State = 'connected' | 'disconnected' | 'silent'

/**
 * A shared store as the port describes it, in memory, that can be disconnected, silent, slow, or lose its data.
 * @param name unlike that of any other
 */
export function createMemorySharedStore(clock: Clock, name = '') {
  let limits = new Map<string, Map<string, UsageEntry>>()
  /** When each member was last active. */
  let members = new Map<string, number>()
  let instances = 0
  let since = Number.NEGATIVE_INFINITY
  let state: State = 'connected'
  let delay = () => 0
  let delayThere = () => 0
  const calls: string[] = []
  const failing = new Set<string>()
  let closed = 0
  let reconnects = 0
  const LEASE = 600_000
  const now = () => clock.monotonic()
  const instanceId = () => `${name}${instances}`

  function entries(name: string): Map<string, UsageEntry> {
    const known = limits.get(name) ?? new Map<string, UsageEntry>()
    limits.set(name, known)
    for (const [id, { ends }] of known) if (ends <= now()) known.delete(id)
    return known
  }
  const used = (name: string) => [...entries(name).values()].reduce((sum, { amount }) => sum + amount, 0)

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

  function heartbeat({
    memberId,
    reportedTo,
    isLeaving,
    members: known,
    predecessors,
  }: Heartbeat): HeartbeatReply {
    if (now() - since < REPLAY_PERIOD_MS) {
      for (const { id, ageMs } of known)
        members.set(id, Math.max(members.get(id) ?? -Infinity, Math.min(now() - ageMs, since - 1)))
    }
    for (const id of predecessors) members.delete(id)
    if (reportedTo === instanceId()) members.set(memberId, now())
    if (isLeaving) members.delete(memberId)
    const list = [...members].map(([id, at]) => ({ id, ageMs: now() - at }))
    return { instanceId: instanceId(), ageMs: now() - since, members: list }
  }

  /** The shares that silent members may be using. */
  function reserved({ name, limit, occupiedMs }: ReserveRequest): UsageEntry[] {
    const list = [...members].map(([id, at]) => ({ id, at, ageMs: now() - at }))
    const count = list.filter(({ ageMs }) => ageMs < Math.max(occupiedMs, MEMBER_TIMEOUT_MS)).length
    const share = Math.max(1, Math.floor(limit / Math.max(2, count)))
    const silent = list.filter(
      ({ at, ageMs }) => (ageMs >= MEMBER_TIMEOUT_MS || at < since) && ageMs < occupiedMs,
    )
    return silent.flatMap(({ id, at }) => {
      const own = [...entries(name)].filter(([entry]) => entry.startsWith(`${id}:`))
      const amount = share - own.reduce((sum, [, one]) => sum + one.amount, 0)
      return amount > 0 ? [{ amount, inFlight: false, ends: at + occupiedMs }] : []
    })
  }

  function reserve(member: string, id: string, requests: readonly ReserveRequest[]): ReserveResult {
    members.set(member, now())
    for (const { name } of requests) release(name, id)
    const all = requests.map((one) => {
      const left = reserved(one)
      const reserve = left.reduce((sum, { amount }) => sum + amount, 0)
      return { ...one, left, reserve, total: used(one.name) + reserve }
    })
    for (const [shortIndex, one] of all.entries()) {
      const { name, minimum, limit, occupiedMs, left, reserve, total } = one
      const isClosed = entries(name).get('closed')
      if (isClosed) return { waitMs: isClosed.ends - now(), shortIndex, total, inFlight: false }
      if (limit - total >= Math.min(minimum, Math.max(1, limit - reserve))) continue
      const list = [...entries(name).values(), ...left]
      const next = Math.min(...list.map(({ ends, inFlight }) => (inFlight ? occupiedMs : ends - now())))
      const inFlight = list.some((entry) => entry.inFlight)
      return { waitMs: Math.ceil(next), shortIndex, total, inFlight }
    }
    const granted = all.map(({ wanted, limit, total }) => Math.min(wanted, limit - total))
    for (const [at, { name, occupiedMs }] of all.entries())
      put(name, id, granted[at] ?? 0, true, now() + LEASE + occupiedMs)
    return { granted, totals: all.map(({ total }, at) => total + (granted[at] ?? 0)) }
  }

  function commit(id: string, commits: readonly CommitRequest[]): void {
    for (const { name, used: own, limit, occupiedMs, remaining, closedMs } of commits) {
      release(name, id)
      if (own) put(name, own.id, own.amount, false, now() + occupiedMs - own.ageMs)
      const others = remaining === null ? 0 : limit - remaining - used(name)
      if (others > 0) put(name, `others ${id}`, others, false, now() + occupiedMs)
      if (closedMs > 0) put(name, 'closed', 0, false, now() + closedMs)
    }
  }

  function replay(replays: readonly UsageReplay[]): void {
    for (const { name, occupiedMs, used: own, inFlight, ended, closedMs } of replays) {
      for (const id of ended) release(name, id)
      for (const { id, amount, ageMs } of own) put(name, id, amount, false, now() + occupiedMs - ageMs)
      for (const { id, amount } of inFlight) put(name, id, amount, true, now() + LEASE + occupiedMs)
      if (closedMs > 0) put(name, 'closed', 0, false, now() + closedMs)
    }
  }

  /** The connection of one process, which can be cut separately. */
  function open(reach: () => State = () => 'connected'): SharedQuotaStore {
    const broken = () => Promise.reject(Object.assign(new Error('disconnected'), { code: 'AWAY' }))
    const over = (ms: number) => new Promise<void>((resolve) => clock.after(ms, () => resolve()))

    /** Resolves if it is connected, rejects if it is disconnected, and never settles if it is silent. */
    async function passes(): Promise<void> {
      const states = [state, reach()]
      if (states.includes('disconnected')) await broken()
      if (states.includes('silent')) await new Promise(() => {})
    }

    /** Calls on one connection stay in order: when the last one arrived there, and back. */
    const arrived = { there: 0, back: 0 }
    const after = (way: keyof typeof arrived, ms: number) => {
      arrived[way] = Math.max(arrived[way], now() + ms)
      return over(arrived[way] - now()).then(passes)
    }

    /** A call takes time in both directions, in which the connection may be cut. */
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
    const unlessStale = <T>(instance: string, work: () => T) =>
      instance === instanceId() ? work() : ('stale' as const)
    return {
      heartbeat: (one) => call('heartbeat', () => heartbeat(one)),
      reserve: (instance, member, id, requests) =>
        call('reserve', () => unlessStale(instance, () => reserve(member, id, requests))),
      commit: (instance, id, commits) =>
        call('commit', () =>
          unlessStale(instance, () => {
            commit(id, commits)
            return 'committed' as const
          }),
        ),
      replay: (instance, replays) =>
        call('replay', () =>
          unlessStale(instance, () => {
            replay(replays)
            return 'replayed' as const
          }),
        ),
      reconnect: () => void reconnects++,
      close: async () => {
        closed++
      },
    }
  }

  return {
    calls,
    used,
    inFlight: (name: string) => [...entries(name).values()].filter(({ inFlight }) => inFlight).length,
    members: () => members.size,
    closed: () => closed,
    reconnects: () => reconnects,
    setState: (to: State) => {
      state = to
    },
    /** @param there delay until the work; otherwise it is done immediately */
    slow: (ms: () => number, there = () => 0) => {
      delay = ms
      delayThere = there
    },
    /** The next such call fails. */
    failOnce: (name: string) => void failing.add(name),
    /** It restarts without data. */
    lose() {
      limits = new Map()
      members = new Map()
      instances++
      since = now()
    },
    /** A copy of its data: when it is restored, another process has it, with another instance id. */
    copy() {
      const [oldLimits, oldMembers] = [structuredClone(limits), new Map(members)]
      return () => {
        limits = structuredClone(oldLimits)
        members = new Map(oldMembers)
        instances++
        since = now()
      }
    },
    open,
  }
}
