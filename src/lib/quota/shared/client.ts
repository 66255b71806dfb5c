import { inBackground } from '../../background'
import type { Clock } from '../../clock'
import type { AccountLimiter, Reservation } from '../account-limiter'
import type { AttemptCost } from '../attempt-cost'
import type { AttemptResult, LimitScope } from '../job'
import { occupiedMs } from '../window-limiter'
import type { Membership } from './membership'
import { claimsOf, limitsOf, settledOf } from './messages'
import {
  type CommitRequest,
  type HeartbeatReply,
  MAX_REPLAY_BATCH,
  MEMBER_TIMEOUT_MS,
  type Member,
  REPLAY_PERIOD_MS,
  type ReserveResult,
  type SharedQuotaStore,
} from './store'

/** A ledger that is slower than this is away. */
const ANSWER_MS = 1000
/** How often one looks whether it is back. */
const LOOK_MS = 1000
/** How often it hears of us. */
const HEARTBEAT_MS = MEMBER_TIMEOUT_MS / 3
/** Looks in vain before another connection is tried. */
const MOST_LOOKS = 2
/** Times that a ledger may have forgotten everything before it is taken for lost. */
const MOST_TRIES = 3
/** Claims in a row that found nothing free must not become a storm. */
const LEAST_WAIT_MS = 20

const UNSPENT: AttemptCost = {
  used: { requests: 0, records: 0 },
  refused: undefined,
  closed: undefined,
  isPlain: false,
}

/** The ledger lost its data while it was told of it. */
const stale = () => Object.assign(new Error('stale'), { code: 'DATA_LOST' })

export type Admission =
  | 'go'
  /** Others have what is free of the endpoint, or of the device's records. */
  | { waitMs: number; short: LimitScope; inFlight: boolean }
  /** The ledger went away meanwhile, and more than our share is taken. */
  | 'over-share'

export interface SharedQuotaPorts {
  ledger: SharedQuotaStore
  clock: Clock
  places: AccountLimiter
  membership: Membership
  /** It went away, or came back. */
  changed(): void
}

/**
 * One process of several on one account (docs/quota.md). While it is connected the ledger decides; without it each
 * keeps to its share of every limit. Whoever connects tells the ledger all that it spent, which changes nothing where
 * the ledger knows it.
 */
export function createSharedQuota({ ledger, clock, places, membership, changed }: SharedQuotaPorts) {
  const { member, claimed } = membership
  /** What the ledger holds, while we are connected: it knows all that we spent of that. */
  let epoch: string | undefined
  /** Why we are not, where that is known. */
  let reason: string | undefined
  let closed = false
  /** ReserveResult and not settled yet: a lease that is left behind would hold its place for minutes. */
  let open = 0
  /** They are claimed just now, or will be where the ledger is found: nothing else is told of them. */
  const asking = new Set<string>()
  let joining: Promise<void> | undefined
  /** While it connects: it is told all that we spent, and waits for what others have to tell. */
  let isSettling = false
  /** It may count us among those that have it, and leave nothing to us. */
  let isTold = false
  /** Whose spending it was told as well. */
  let replaced: readonly string[] = []
  let looks = 0
  let cancelLook = () => {}

  const now = () => clock.monotonic()

  /** Two timers in a row: where the event loop was blocked, an answer that has come meanwhile is read between them. */
  function within<T>(work: Promise<T>, ms = ANSWER_MS): Promise<T> {
    return new Promise((resolve, reject) => {
      const late = () => reject(Object.assign(new Error('silent'), { code: 'TIMEOUT' }))
      let cancel = clock.after(ms / 2, () => {
        cancel = clock.after(ms / 2, late)
      })
      work.then(resolve, reject).finally(() => cancel())
    })
  }

  async function hello(toldTo?: string, isLeaving = false): Promise<HeartbeatReply> {
    const since = now() - membership.heardAt
    const peers = membership.peers.map(({ id, ageMs }) => ({ id, ageMs: Math.round(ageMs + since) }))
    // Till it knows what they spent, their share is left to them.
    const predecessors = toldTo === undefined ? [] : replaced
    const greeting = await within(ledger.hello({ member, toldTo, isLeaving, peers, predecessors }))
    // While it is away the ages grow of all who share it, and none of them counts less for that.
    if (!membership.isAway) Object.assign(membership, { peers: greeting.peers, heardAt: now() })
    return greeting
  }

  /** Tells the ledger all that we use, and which claims are over; false where it is another one by now. */
  async function replay(of: string): Promise<boolean> {
    const usages = places.usage(now()).map((one) => ({
      ...one,
      inFlight: one.inFlight.filter(({ id }) => !asking.has(id)),
    }))
    const predecessors = [...membership.predecessors]
    const inFlight = new Map<string, string[]>()
    for (const { name, inFlight: list } of usages) {
      for (const { id } of list) inFlight.set(id, [...(inFlight.get(id) ?? []), name])
    }
    const ended = [...claimed].filter(([id]) => !inFlight.has(id) && !asking.has(id))
    const nothing = { occupiedMs: 0, spent: [], inFlight: [], closedMs: 0 }
    for (const [id, names] of ended) for (const name of names) usages.push({ name, ended: [id], ...nothing })
    for (const [id, names] of inFlight) claimed.set(id, names)
    const ms = ANSWER_MS * Math.max(1, Math.ceil(usages.length / MAX_REPLAY_BATCH))
    if ((await within(ledger.replay(of, usages), ms)) === 'stale') return false
    for (const [id] of ended) claimed.delete(id)
    replaced = predecessors
    return true
  }

  /**
   * Where others may still have something to tell, because the ledger or the way to it was lost, it waits till they
   * have. False where the ledger has lost its data meanwhile.
   */
  async function tryToConnect(): Promise<boolean> {
    const { epoch: current, ageMs } = await hello()
    // What would go now is in nothing that it is told.
    isSettling = true
    if (!(await replay(current))) return false
    const settling = REPLAY_PERIOD_MS - (isFoundNow(current, ageMs) ? 0 : ageMs)
    isTold = true
    let greeting = await hello(current)
    if (settling > 0) {
      await new Promise<void>((resolve) => clock.after(settling, resolve))
      greeting = await hello(current)
    }
    if (greeting.epoch !== current) return false
    if (!closed) connected(greeting)
    return true
  }

  /** Others find it just now as well, and not since it has its name: it was away, or is another one that is older. */
  function isFoundNow(current: string, ageMs: number): boolean {
    const isOther = membership.epoch !== undefined && membership.epoch !== current
    return membership.isAway || (isOther && ageMs >= REPLAY_PERIOD_MS)
  }

  function connected({ epoch: current, ageMs, peers }: HeartbeatReply): void {
    const isNew = epoch === undefined
    if (membership.isAway || membership.epoch !== current) {
      // What they spent is lost with the ledger's data, and nobody has told it again.
      const missing = peers.filter((peer) => peer.ageMs > ageMs)
      places.findLedger(now() - Math.min(...missing.map((peer) => peer.ageMs)))
    }
    if (membership.isAway) meetAgain(peers)
    Object.assign(membership, { isAway: false, epoch: current })
    epoch = current
    reason = undefined
    looks = 0
    if (isNew) changed()
  }

  /** Who was there before is expected back, though it may be heard of only after us. */
  function meetAgain(peers: readonly Member[]): void {
    const before = new Map(membership.peers.map(({ id, ageMs }) => [id, ageMs]))
    const known = peers.map(({ id, ageMs }) => ({ id, ageMs: Math.min(ageMs, before.get(id) ?? ageMs) }))
    Object.assign(membership, { peers: known, heardAt: now() })
  }

  async function connect(): Promise<void> {
    for (let tries = 0; tries < MOST_TRIES; tries++) if (await tryToConnect()) return
    throw stale()
  }

  function join(): Promise<void> {
    joining ??= connect().finally(() => {
      joining = undefined
      isSettling = false
    })
    return joining
  }

  function lose(error: unknown): void {
    if (closed) return
    const { code } = error as { code?: string }
    const isNews = epoch !== undefined || !membership.isAway || code !== reason
    if (!membership.isAway || isTold) places.loseLedger(now(), membership.peers.length > 0)
    membership.isAway = true
    isTold = false
    epoch = undefined
    reason = code
    lookIn(LOOK_MS)
    if (isNews) changed()
  }

  function lookIn(ms: number): void {
    cancelLook()
    if (!closed) cancelLook = clock.after(ms, () => inBackground(look()))
  }

  /** A heartbeat; without a ledger, a look whether it is back. Never rejects. */
  async function look(): Promise<void> {
    try {
      if (epoch === undefined || (await hello(epoch)).epoch !== epoch) await join()
      lookIn(HEARTBEAT_MS)
    } catch (error) {
      lose(error)
      if (!closed && ++looks % MOST_LOOKS === 0) ledger.reset()
    }
  }

  return {
    here: () => epoch !== undefined,
    /** Why it is not: a code; `undefined` where it is, or that is not known. */
    reason: () => reason,
    /** The first look. */
    start: look,

    /** Tells the ledger what was not known before. */
    async tellAll(): Promise<void> {
      await joining?.catch(() => {})
      if (epoch !== undefined) await join().catch(lose)
    },

    /** Our part of a limit whose window is so long, in seconds. */
    share(window: number): number {
      if (epoch !== undefined) return 1
      const since = Math.max(occupiedMs(window), MEMBER_TIMEOUT_MS)
      return 1 / Math.max(2, membership.peers.filter(({ ageMs }) => ageMs < since).length)
    },

    /** With `go` it is to be settled, whatever becomes of the request. */
    async claim(reservation: Reservation): Promise<Admission> {
      open++
      const admission = await ask(reservation)
      if (admission !== 'go') await over()
      return admission
    },

    /** It does not go: what the ledger may hold for it is free. Never rejects. */
    async giveBack(reservation: Reservation): Promise<void> {
      if (claimed.has(reservation.id))
        await tell(reservation.id, settledOf(reservation, null, UNSPENT, now())).catch(lose)
    },

    /** @param isOurs it was claimed here, and not before a deploy. Never rejects */
    async settle(
      reservation: Reservation,
      { reading }: AttemptResult<unknown>,
      cost: AttemptCost,
      isOurs: boolean,
    ): Promise<void> {
      const settled = settledOf(reservation, reading, cost, now())
      await tell(reservation.id, settled).catch(lose)
      if (isOurs) await over()
    },

    /** What is still on its way is settled first. Never rejects. */
    async close(): Promise<void> {
      closed = true
      cancelLook()
      if (open === 0) await leave()
    },
  }

  async function ask(reservation: Reservation): Promise<Admission> {
    asking.add(reservation.id)
    try {
      return await askFor(reservation)
    } finally {
      asking.delete(reservation.id)
    }
  }

  async function askFor(reservation: Reservation): Promise<Admission> {
    const names = limitsOf(reservation).map(({ name }) => name)
    for (let tries = 0; tries < MOST_TRIES && (epoch !== undefined || isSettling); tries++) {
      try {
        await joining
        if (epoch === undefined) break
        // It may have been lost and found since this was taken.
        if (!places.fits(reservation, now())) return 'over-share'
        claimed.set(reservation.id, names)
        const answer = await within(ledger.claim(epoch, member, reservation.id, claimsOf(reservation)))
        if (answer !== 'stale') return verdictOf(reservation, answer)
        await join()
      } catch (error) {
        lose(error)
      }
    }
    // A deploy has opened another way, which decides.
    if (closed) return 'over-share'
    if (epoch !== undefined) lose(stale())
    return places.fits(reservation, now()) ? 'go' : 'over-share'
  }

  function verdictOf(reservation: Reservation, answer: ReserveResult): Admission {
    const { id, requests, budget, number = 0 } = reservation
    if ('waitMs' in answer) {
      claimed.delete(id)
      const { spent, inFlight, waitMs } = answer
      const short: LimitScope = answer.short === 0 ? 'endpoint' : 'device'
      // What is taken here is given back, and the ledger has not counted it.
      if (short === 'endpoint') requests.noteAll(spent + 1, now())
      else budget?.limiter.noteAll(spent + number, now())
      // Records are mostly given back in part; of requests that are in flight it counts where all hangs on them.
      const hangs = inFlight && (short === 'device' || waitMs >= occupiedMs(requests.row().window))
      return { waitMs: Math.max(LEAST_WAIT_MS, waitMs), short, inFlight: hangs }
    }
    requests.noteAll(answer.spent[0] ?? 0, now())
    const taken = answer.taken[1]
    if (budget && taken !== undefined) {
      budget.limiter.noteAll(answer.spent[1] ?? 0, now())
      // Somebody else needs records of the device as well.
      budget.limiter.shorten(id, taken)
      reservation.number = taken
    }
    return 'go'
  }

  async function tell(id: string, settled: CommitRequest[]): Promise<void> {
    if (joining !== undefined) {
      // It may have been told as in flight just now.
      await joining.catch(() => {})
      for (const one of settled) one.remaining = null
    }
    if (epoch === undefined) return
    if ((await within(ledger.settle(epoch, id, settled))) === 'stale') await join()
    claimed.delete(id)
  }

  async function over(): Promise<void> {
    open--
    if (closed && open === 0) await leave()
  }

  async function leave(): Promise<void> {
    if (epoch !== undefined) await hello(undefined, true).catch(() => {})
    await ledger.close().catch(() => {})
  }
}

export type SharedQuota = ReturnType<typeof createSharedQuota>
