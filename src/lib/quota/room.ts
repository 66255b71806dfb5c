import type { UsageEntry } from './usage-log'

/** When a limit has room for so many more beside what is spent of it, each entry of which is held so long, ms. */
export function roomAfter(
  spent: UsageEntry[],
  limit: number,
  held: number,
  now: number,
): (amount: number) => number {
  spent.sort((a, b) => a.at - b.at)
  let total = 0
  /** What is free once an entry and those before it are released. */
  const freed = spent.map(({ amount }) => {
    total += amount
    return total
  })
  return (amount) => {
    // Each further round over the limit takes a window more.
    const rounds = Math.max(0, Math.ceil((amount - limit) / limit))
    const missing = amount - rounds * limit - (limit - total)
    const at = missing <= 0 ? now : (spent[firstOf(freed, missing)]?.at ?? now) + held
    return at + rounds * held
  }
}

/** The first of a growing list that is so much. */
function firstOf(growing: readonly number[], least: number): number {
  let [from, to] = [0, growing.length - 1]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((growing[middle] as number) >= least) to = middle
    else from = middle + 1
  }
  return from
}
