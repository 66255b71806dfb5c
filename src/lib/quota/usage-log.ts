/** An amount that was used at an instant, in monotonic ms. */
export interface UsageEntry {
  at: number
  amount: number
}

/** An entry with an id that is unique among all processes, so that it counts once, however often it is read. */
export interface IdentifiedEntry extends UsageEntry {
  id: string
}

/** Expired entries are removed from memory once there are more. An account has several logs for each endpoint. */
const MAX_EXPIRED = 32

/**
 * A log of usage in order of time, for a sliding window. Entries that are close together are merged into one of the
 * later time, so its size is bounded by the window and not by the traffic.
 */
export function createUsageLog() {
  let entries: (IdentifiedEntry & { firstAt: number })[] = []
  /** Entries before this index have expired. They stay for a while, because a longer window may count them again. */
  let head = 0
  let total = 0
  let expiredTotal = 0

  const atOf = (index: number) => (entries[index] as UsageEntry).at
  const amountOf = (index: number) => (entries[index] as UsageEntry).amount

  function compact(now: number, keptMs: number): void {
    if (head <= MAX_EXPIRED || head * 2 <= entries.length) return
    const firstKept = entries.findIndex(({ at }) => at + keptMs > now)
    const removed = firstKept < 0 ? head : Math.min(head, firstKept)
    entries = entries.slice(removed)
    head -= removed
  }

  return {
    /** All that has not expired. */
    total: () => total,
    /** All that has ever expired. */
    expiredTotal: () => expiredTotal,

    /** What was used up to an instant and has not expired. */
    totalUntil(instant: number): number {
      let sum = 0
      for (let index = head; index < entries.length && atOf(index) <= instant; index++) sum += amountOf(index)
      return sum
    },

    /**
     * Appends an entry that is not older than the last one.
     * @param mergeMs it is merged into an entry that began no longer ago than this
     */
    append(at: number, amount: number, mergeMs = 0, id = ''): void {
      if (amount <= 0) return
      total += amount
      const last = entries.at(-1)
      if (last && entries.length > head && at - last.firstAt <= mergeMs) {
        last.at = at
        last.amount += amount
      } else entries.push({ at, amount, id, firstAt: at })
    },

    /** Inserts entries of another process by their time. Nothing is merged into them, because others know their ids. */
    insert(more: readonly (UsageEntry & { id?: string })[]): void {
      const firstAt = Number.NEGATIVE_INFINITY
      entries = [
        ...entries.slice(head),
        ...more.map(({ at, amount, id = '' }) => ({ at, amount, id, firstAt })),
      ]
      entries.sort((a, b) => a.at - b.at)
      head = 0
      total = entries.reduce((sum, { amount }) => sum + amount, 0)
    },

    /**
     * Expires the entries that have been occupied for `occupiedMs`, and restores expired ones if a longer window
     * counts them again. `at + occupiedMs` is computed here as in `createAvailability`: another order of the terms
     * would be rounded differently.
     * @param keptMs expired entries that are younger than this can be restored
     */
    expire(now: number, occupiedMs: number, keptMs = occupiedMs): void {
      while (head > 0 && atOf(head - 1) + occupiedMs > now) {
        head--
        total += amountOf(head)
        expiredTotal -= amountOf(head)
      }
      while (head < entries.length && atOf(head) + occupiedMs <= now) {
        total -= amountOf(head)
        expiredTotal += amountOf(head)
        head++
      }
      compact(now, Math.max(occupiedMs, keptMs))
    },

    /** What has not expired, oldest first. */
    entries: (): UsageEntry[] => entries.slice(head).map(({ at, amount }) => ({ at, amount })),
    /** The same with the ids. */
    identifiedEntries: (): IdentifiedEntry[] =>
      entries.slice(head).map(({ id, at, amount }) => ({ id, at, amount })),
    latest: (): IdentifiedEntry | undefined => (entries.length > head ? entries.at(-1) : undefined),
  }
}

/**
 * When an amount is available under a limit, by the usage that has not expired: a function for many amounts. Amounts
 * above the limit take a further window for each multiple of it. Instants are monotonic ms.
 */
export function createAvailability(
  usage: UsageEntry[],
  limit: number,
  occupiedMs: number,
  now: number,
): (amount: number) => number {
  usage.sort((a, b) => a.at - b.at)
  let total = 0
  /** Index of an entry → what has been released once that entry expires. */
  const released = usage.map(({ amount }) => {
    total += amount
    return total
  })
  return (amount) => {
    const furtherWindows = Math.max(0, Math.ceil((amount - limit) / limit))
    const missing = amount - furtherWindows * limit - (limit - total)
    const at = missing <= 0 ? now : (usage[firstAtLeast(released, missing)]?.at ?? now) + occupiedMs
    return at + furtherWindows * occupiedMs
  }
}

/** Index of the first value of an ascending list that is at least `minimum`; binary search. */
function firstAtLeast(ascending: readonly number[], minimum: number): number {
  let [from, to] = [0, ascending.length - 1]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((ascending[middle] as number) >= minimum) to = middle
    else from = middle + 1
  }
  return from
}
