/** What was spent and when, oldest first: instants are monotonic ms. */
export interface UsageEntry {
  at: number
  amount: number
}

/** One entry by its name: whoever is told of it twice knows it again. */
export interface IdentifiedEntry extends UsageEntry {
  id: string
}

/**
 * A log of spending that forgets what was released. Entries of nearly the same time become one, of the later
 * time: its size is bounded by the grain, whatever the traffic.
 */
export function createUsageLog() {
  let entries: (IdentifiedEntry & { since: number })[] = []
  let head = 0
  let total = 0
  let released = 0

  return {
    total: () => total,
    /** All that was ever released. */
    released: () => released,

    /** What is not yet released and was spent then or before. */
    until(instant: number): number {
      let sum = 0
      for (
        let index = head;
        index < entries.length && (entries[index] as UsageEntry).at <= instant;
        index++
      ) {
        sum += (entries[index] as UsageEntry).amount
      }
      return sum
    },

    /** Adds what was spent at an instant that is not before the last one. @param id of the entry, if it is a new one */
    add(at: number, amount: number, grain = 0, id = ''): void {
      if (amount <= 0) return
      total += amount
      const last = entries.at(-1)
      if (last && entries.length > head && at - last.since <= grain) {
        last.at = at
        last.amount += amount
      } else entries.push({ at, amount, id, since: at })
    },

    /** Takes in what another process spent, whenever that was. Its entries never grow: who else knows them adds nothing. */
    merge(more: readonly (UsageEntry & { id?: string })[]): void {
      const since = Number.NEGATIVE_INFINITY
      const merged = more.map(({ at, amount, id = '' }) => ({ at, amount, id, since }))
      entries = [...entries.slice(head), ...merged]
      entries.sort((a, b) => a.at - b.at)
      head = 0
      total = entries.reduce((sum, { amount }) => sum + amount, 0)
    },

    /**
     * Leaves out what was held so long; the sum is made as `when` makes it, or rounding would part the two.
     * @param kept what is younger is there again where it is held longer
     */
    release(now: number, held: number, kept = held): void {
      while (head > 0 && (entries[head - 1] as UsageEntry).at + held > now) {
        head--
        total += (entries[head] as UsageEntry).amount
        released -= (entries[head] as UsageEntry).amount
      }
      while (head < entries.length && (entries[head] as UsageEntry).at + held <= now) {
        total -= (entries[head] as UsageEntry).amount
        released += (entries[head] as UsageEntry).amount
        head++
      }
      if (head > 512 && head * 2 > entries.length) {
        const first = entries.findIndex(({ at }) => at + Math.max(held, kept) > now)
        const gone = first < 0 ? head : Math.min(head, first)
        entries = entries.slice(gone)
        head -= gone
      }
    },

    /** What is not yet released, oldest first. */
    list: (): UsageEntry[] => entries.slice(head).map(({ at, amount }) => ({ at, amount })),
    /** The same with their names. */
    named: (): IdentifiedEntry[] => entries.slice(head).map(({ id, at, amount }) => ({ id, at, amount })),
    /** The latest entry. */
    last: (): IdentifiedEntry | undefined => (entries.length > head ? entries.at(-1) : undefined),
  }
}
