import { roomAfter } from './room'
import { createUsageLog, type IdentifiedEntry, type UsageEntry } from './usage-log'

/** So many requests, or records, in a window of so many seconds. */
export interface RateLimit {
  limit: number
  window: number
}

/** What outlives the process: instants are ms since 1970 UTC. */
export interface PersistedLimiter {
  own: readonly IdentifiedEntry[]
  foreign: readonly UsageEntry[]
  /** In flight when it was saved. */
  inFlight: readonly { id: string; amount: number }[]
  /** When the service refused. */
  refusedAt: number | null
  /** The row, where answers told it. */
  told: RateLimit | null
}

const LONGEST_MARGIN_MS = 1000
const MARGIN_SHARE = 1 / 50
/** How long what a longer window held is remembered. */
const KEPT_MS = 3_600_000
/** Entries closer than this share of the window are one. */
const GRAIN_SHARE = 1 / 500

/** How long an entry holds its place after its answer: a window and a margin, ms. */
export function occupiedMs(windowSeconds: number): number {
  const window = windowSeconds * 1000
  return window + Math.min(LONGEST_MARGIN_MS, window * MARGIN_SHARE)
}

/**
 * What may be spent of one limit, and when more may (nodes.md, *Quota*). What is taken is held while in flight
 * and released a window and a margin after its answer: by then neither a fixed window of any phase nor a
 * sliding one counts it together with what is spent next. Instants are monotonic ms.
 */
export function createWindowLimiter(described: RateLimit) {
  let base = described
  let told: RateLimit | null = null
  /** A more generous row that an answer told: it counts where the next one says the same. */
  let offered: RateLimit | null = null
  /** The longest window of the last hour, ms, and till when: what it holds is kept. */
  let longest = { held: 0, until: Number.NEGATIVE_INFINITY }
  /** In flight, by the name that it was taken with. */
  const taken = new Map<string, number>()
  let inFlight = 0
  let surprises = 0
  let refusedAt: number | null = null
  const own = createUsageLog()
  const foreign = createUsageLog()
  /** What other processes had spent when they last could tell. */
  let others = { amount: 0, at: Number.NEGATIVE_INFINITY }

  const row = () => told ?? base
  const flying = () => [...taken].map(([id, amount]) => ({ id, amount }))
  const held = () => occupiedMs(row().window)
  /** Told as a limit (429), not only while nothing remained: for the described window, if that is longer. */
  let isPlain = false
  const closed = () => (isPlain ? Math.max(held(), occupiedMs(base.window)) : held())
  const reopens = () => (refusedAt === null ? Number.NEGATIVE_INFINITY : refusedAt + closed())

  function release(now: number): void {
    const kept = now < longest.until ? longest.held : 0
    own.release(now, held(), kept)
    foreign.release(now, held(), kept)
    if (refusedAt !== null && now >= reopens()) refusedAt = null
  }

  /** What of the limit is ours where others share it: at least one, or nothing would ever go. */
  const shareOf = (share: number) => Math.max(1, Math.floor(row().limit * share))

  /** Below 0 where more is taken than that. */
  function room(now: number, share: number): number {
    release(now)
    const mine = inFlight + own.total()
    const all = row().limit - mine - foreign.total()
    if (share >= 1) return all
    const theirs = now < others.at + held() ? others.amount : 0
    return Math.min(all - theirs, shareOf(share) - mine)
  }

  function left(now: number, share = 1): number {
    const free = Math.max(0, room(now, share))
    return refusedAt === null ? free : 0
  }

  /** As `when`, past what is left. */
  function later(now: number, share: number): (amount: number) => number {
    const mine = [...own.list(), { at: now, amount: inFlight }]
    const theirs = share < 1 && now < others.at + held() ? [others] : []
    const all = roomAfter([...mine, ...foreign.list(), ...theirs], row().limit, held(), now)
    const shared = share < 1 ? roomAfter(mine, shareOf(share), held(), now) : () => now
    return (amount) => Math.max(all(amount), shared(amount), reopens(), now)
  }

  /** When so many could be spent, if nobody else spends; in flight counts as answered now. For many amounts. */
  function outlook(now: number, share = 1): (amount: number) => number {
    const free = left(now, share)
    let past: ((amount: number) => number) | undefined
    return (amount) => {
      if (amount <= free) return now
      past ??= later(now, share)
      return past(amount)
    }
  }

  return {
    row,
    left,
    inFlight: () => inFlight,
    /** UsageEntry by ourselves, by others; in flight counts as ours. */
    spent(now: number): { own: number; foreign: number } {
      release(now)
      return { own: inFlight + own.total(), foreign: foreign.total() }
    },

    /** True where what is taken already is within our share. */
    fits: (now: number, share: number) => room(now, share) >= 0,

    /** What all who share the limit have spent of it, ourselves included. */
    noteAll(amount: number, now: number): void {
      release(now)
      others = { amount: Math.max(0, amount - inFlight - own.total()), at: now }
    },

    /** What other processes had spent when they last could tell; until when that counts. */
    others(now: number): { amount: number; until: number } {
      const until = others.at + held()
      return now < until ? { amount: others.amount, until } : { amount: 0, until: now }
    },

    /** Our own spending that is not released, and what is in flight. */
    own(now: number): { spent: IdentifiedEntry[]; inFlight: { id: string; amount: number }[] } {
      release(now)
      return { spent: own.named(), inFlight: flying() }
    },
    /** The latest of it: what was settled last is in there. */
    lastSpent: () => own.last(),
    /** When the service refused, while that counts, monotonic. */
    closedUntil: () => reopens(),

    /** The table's row changed: what answers told stays in force. */
    rebase(changed: RateLimit): void {
      base = changed
    },

    /** At most so much can be had at once. */
    most: (share: number) => (share < 1 ? shareOf(share) : row().limit),

    /**
     * Takes it, and gives the mark by which its answer is read: what of ours the service cannot count any more
     * when it gets there, being released or held for the margin alone.
     * @param id unlike all others: of this limit, and of all processes that share it
     */
    take(id: string, amount: number, now: number): number {
      release(now)
      taken.set(id, amount)
      inFlight += amount
      return own.released() + own.until(now - row().window * 1000)
    },

    /** Only so much of it is needed. */
    shorten(id: string, amount: number): void {
      inFlight += amount - (taken.get(id) ?? 0)
      taken.set(id, amount)
    },

    /** An answer came, or none will: of what was taken so much is spent; nothing where it was not sent. */
    settle(id: string, used: number, now: number): void {
      inFlight -= taken.get(id) ?? 0
      taken.delete(id)
      own.add(now, used, held() * GRAIN_SHARE, id)
    },

    /** The service told its row: a stricter one counts at once, a more generous one where it is told again. */
    tell(changed: RateLimit, now: number): void {
      const { limit, window } = row()
      // Nowhere does it allow more: not in a window of the row that holds either.
      const isStricter = changed.limit * Math.max(1, Math.ceil(window / changed.window)) <= limit
      const isAgain = changed.limit === offered?.limit && changed.window === offered.window
      offered = changed
      // The first that is told takes the place of a description.
      if (told && !isStricter && !isAgain) return
      if (changed.limit !== limit || changed.window !== window) surprises++
      const kept = now < longest.until ? longest.held : 0
      if (changed.window < window) longest = { held: Math.max(kept, held()), until: now + KEPT_MS }
      told = changed
    },

    /**
     * The service told what remains: what others spent takes places away. It never gives any.
     * @param mark of the request that brought it: what was released since may still have been counted
     * @param limit that it is the rest of: a row that was told may not hold yet
     */
    remains(remaining: number, now: number, mark: number, limit = row().limit): void {
      release(now)
      const since = Math.max(0, own.released() - mark)
      const known = inFlight + own.total() + foreign.total() + since
      const more = limit - remaining - known
      if (more > 0) surprises++
      foreign.add(now, more, held() * GRAIN_SHARE)
    },

    /** The service refused: nothing for a window. @param plain by its status for limits */
    refuse(now: number, plain = false): void {
      refusedAt = now
      isPlain = plain
      surprises++
    },

    outlook,
    when: (now: number, amount: number, share = 1) => outlook(now, share)(amount),
    /** How often something took away what could be expected till then. */
    surprises: () => surprises,

    /** `toWall`: what to add to a monotonic instant for one since 1970. */
    save(now: number, toWall: number): PersistedLimiter | null {
      release(now)
      const wall = <T extends UsageEntry>(one: T) => ({ ...one, at: Math.round(one.at + toWall) })
      if (!told && inFlight + own.total() + foreign.total() === 0 && refusedAt === null) return null
      return {
        own: own.named().map(wall),
        foreign: foreign.list().map(wall),
        inFlight: flying(),
        refusedAt: refusedAt === null ? null : Math.round(refusedAt + toWall),
        told,
      }
    },

    /**
     * Takes over what an earlier process saved. What was in flight then, and what seems to lie in the future,
     * counts as spent now. What is known already counts once.
     */
    load(saved: PersistedLimiter, now: number, toWall: number): void {
      told ??= saved.told
      const here = (at: number) => Math.min(now, at - toWall)
      const known = new Set([...own.named().map(({ id }) => id), ...taken.keys()])
      const more = [...saved.own, ...saved.inFlight.map((one) => ({ ...one, at: now + toWall }))]
      own.merge(more.filter(({ id }) => !known.has(id)).map((one) => ({ ...one, at: here(one.at) })))
      const others = saved.foreign.map(({ at, amount }) => ({ at: here(at), amount }))
      foreign.merge(beyond(foreign.total(), others))
      if (saved.refusedAt !== null) refusedAt = Math.max(refusedAt ?? -Infinity, here(saved.refusedAt))
      release(now)
    },
  }
}

/** False for what an older version, or somebody else, may have left in the store. */
export function isPersistedLimiter(value: unknown): value is PersistedLimiter {
  if (typeof value !== 'object' || value === null) return false
  const { own, foreign, inFlight, refusedAt, told } = value as Partial<PersistedLimiter>
  const isCount = (one: unknown) => typeof one === 'number' && Number.isFinite(one) && one >= 0
  const isSpent = (one: Partial<UsageEntry> | null) => Number.isFinite(one?.at) && isCount(one?.amount)
  const isNamed = (one: Partial<IdentifiedEntry> | null) =>
    typeof one?.id === 'string' && isCount(one?.amount)
  const isRow =
    told === null ||
    (isCount(told?.limit) && isCount(told?.window) && Math.min(told?.limit ?? 0, told?.window ?? 0) >= 1)
  const lists = [own, foreign]
  return (
    lists.every((list) => Array.isArray(list) && list.every(isSpent)) &&
    [own, inFlight].every((list) => Array.isArray(list) && list.every(isNamed)) &&
    (refusedAt === null || Number.isFinite(refusedAt)) &&
    isRow
  )
}

export type WindowLimiter = ReturnType<typeof createWindowLimiter>

/** Without the oldest that make up what is known already. */
function beyond(known: number, spent: UsageEntry[]): UsageEntry[] {
  let skip = known
  return spent.flatMap(({ at, amount }) => {
    const skipped = Math.min(skip, amount)
    skip -= skipped
    return amount > skipped ? [{ at, amount: amount - skipped }] : []
  })
}
