import { EDITOR, type QueueKey } from './types'

/**
 * Waiting requests of one endpoint: lines take turns, one request each. A request may stand in several lines;
 * it is out of all of them as soon as one brings it forward.
 */
export function createFairQueue<T>() {
  /** In the order of their turns: the line that had its turn goes to the end. */
  const lines = new Map<QueueKey, Set<T>>()
  const standing = new Map<T, Set<QueueKey>>()
  /** Who came last to a line: its place is known without counting. */
  const newest = new Map<QueueKey, T>()
  /** Whose turn it was last. */
  let latest: QueueKey | undefined

  function takeOut(name: QueueKey, item: T): void {
    const line = lines.get(name)
    line?.delete(item)
    if (line?.size === 0) lines.delete(name)
    if (newest.get(name) === item) newest.delete(name)
  }

  function toFront(name: QueueKey, line: Set<T>): void {
    const others = [...lines].filter(([other]) => other !== name)
    lines.clear()
    lines.set(name, line)
    for (const [other, waiting] of others) lines.set(other, waiting)
  }

  function remove(item: T): void {
    for (const name of standing.get(item) ?? []) takeOut(name, item)
    standing.delete(item)
  }

  function note(name: QueueKey, item: T): void {
    const names = standing.get(item)
    if (names) names.add(name)
    else standing.set(item, new Set([name]))
  }

  return {
    size: () => standing.size,
    hasEditor: () => lines.has(EDITOR),
    has: (item: T) => standing.has(item),
    remove,

    /** Out of one line; it stays in its others. */
    leave(name: QueueKey, item: T): void {
      standing.get(item)?.delete(name)
      takeOut(name, item)
      if (standing.get(item)?.size === 0) standing.delete(item)
    },

    /** At the end of its line. */
    put(name: QueueKey, item: T): void {
      const line = lines.get(name)
      if (!line?.has(item)) newest.set(name, item)
      if (line) line.add(item)
      else lines.set(name, new Set([item]))
      note(name, item)
    },

    /** Before all of its line, and its line before the others: it had its turn already. */
    putFirst(name: QueueKey, item: T): void {
      toFront(name, new Set([item, ...(lines.get(name) ?? [])]))
      note(name, item)
    },

    /** Who had the turn last cannot go: it is still the turn of its line. */
    keepTurn(): void {
      const line = latest === undefined ? undefined : lines.get(latest)
      if (latest !== undefined && line) toFront(latest, line)
    },

    /** Whose turn it is; its line goes to the end. */
    next(): T | undefined {
      const [first] = lines
      const name = lines.has(EDITOR) ? EDITOR : first?.[0]
      const line = name === undefined ? undefined : lines.get(name)
      if (name === undefined || !line) return undefined
      const [item] = line as Iterable<T>
      latest = name
      lines.delete(name)
      lines.set(name, line)
      remove(item as T)
      return item
    },

    /** All in the order they go, if nobody else comes: what `ahead` tells of one, told of all at once. */
    inOrder(): Set<T> {
      const order = new Set(lines.get(EDITOR))
      let unfinished = [...lines].flatMap(([name, line]) => (name === EDITOR ? [] : line.values()))
      while (unfinished.length > 1) unfinished = unfinished.filter((line) => addNext(line, order))
      for (const line of unfinished) for (const item of line) order.add(item)
      return order
    },

    /** How many go before it, if nobody else comes. */
    ahead(item: T): number {
      let least = Number.POSITIVE_INFINITY
      for (const name of standing.get(item) ?? []) least = Math.min(least, aheadIn(name, item))
      return least
    },
  }

  function aheadIn(name: QueueKey, item: T): number {
    const place = placeIn(name, item)
    if (name === EDITOR) return place
    let ahead = lines.get(EDITOR)?.size ?? 0
    let before = true
    for (const [other, { size }] of lines) {
      if (other === EDITOR) continue
      if (other === name) {
        before = false
        ahead += place
      } else ahead += Math.min(size, before ? place + 1 : place)
    }
    return ahead
  }

  function placeIn(name: QueueKey, item: T): number {
    const line = lines.get(name) ?? new Set()
    if (newest.get(name) === item) return line.size - 1
    let place = 0
    for (const one of line) {
      if (one === item) break
      place++
    }
    return place
  }
}

/** False at the end of the line. */
function addNext<T>(line: Iterator<T>, order: Set<T>): boolean {
  for (let one = line.next(); !one.done; one = line.next()) {
    if (order.has(one.value)) continue
    order.add(one.value)
    return true
  }
  return false
}

export type FairQueue<T> = ReturnType<typeof createFairQueue<T>>
