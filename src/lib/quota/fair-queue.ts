/** Queue key of requests from the editor, which have priority over those of all nodes. */
export const EDITOR = Symbol('editor')

/** Requests of one key are sent in the order of their arrival; keys take turns (round robin). Nodes use their id. */
export type QueueKey = string | typeof EDITOR

/**
 * Waiting items of one endpoint. Keys take turns (round robin), one item each, and the editor's key precedes all
 * others; within a key the oldest item is next. An item may wait under several keys, and leaves all of them as
 * soon as one of them brings it to the front.
 */
export function createFairQueue<T>() {
  /** In the order of their turns: the key that was served last is at the end. */
  const queues = new Map<QueueKey, Set<T>>()
  const keysOf = new Map<T, Set<QueueKey>>()
  /** The newest item of a key: its position is known without counting. */
  const newest = new Map<QueueKey, T>()
  let lastServed: QueueKey | undefined

  function takeOut(key: QueueKey, item: T): void {
    const queue = queues.get(key)
    queue?.delete(item)
    if (queue?.size === 0) queues.delete(key)
    if (newest.get(key) === item) newest.delete(key)
  }

  function moveToFront(key: QueueKey, queue: Set<T>): void {
    const others = [...queues].filter(([other]) => other !== key)
    queues.clear()
    queues.set(key, queue)
    for (const [other, items] of others) queues.set(other, items)
  }

  function remove(item: T): void {
    for (const key of keysOf.get(item) ?? []) takeOut(key, item)
    keysOf.delete(item)
  }

  function addKey(key: QueueKey, item: T): void {
    const keys = keysOf.get(item)
    if (keys) keys.add(key)
    else keysOf.set(item, new Set([key]))
  }

  function positionUnder(key: QueueKey, item: T): number {
    const queue = queues.get(key) ?? new Set()
    if (newest.get(key) === item) return queue.size - 1
    let index = 0
    for (const one of queue) {
      if (one === item) break
      index++
    }
    return index
  }

  /** How many are dequeued before an item that waits under one key. */
  function aheadUnder(key: QueueKey, item: T): number {
    const position = positionUnder(key, item)
    if (key === EDITOR) return position
    let ahead = (queues.get(EDITOR)?.size ?? 0) + position
    let isBefore = true
    for (const [other, { size }] of queues) {
      if (other === key) isBefore = false
      else if (other !== EDITOR) ahead += Math.min(size, isBefore ? position + 1 : position)
    }
    return ahead
  }

  return {
    size: () => keysOf.size,
    hasEditor: () => queues.has(EDITOR),
    has: (item: T) => keysOf.has(item),
    remove,

    /** Removes an item from one key; it stays under its others. */
    removeFrom(key: QueueKey, item: T): void {
      keysOf.get(item)?.delete(key)
      takeOut(key, item)
      if (keysOf.get(item)?.size === 0) keysOf.delete(item)
    },

    /** Adds an item behind all others of its key. */
    enqueue(key: QueueKey, item: T): void {
      const queue = queues.get(key)
      if (!queue?.has(item)) newest.set(key, item)
      if (queue) queue.add(item)
      else queues.set(key, new Set([item]))
      addKey(key, item)
    },

    /** Puts an item that could not be sent before all others of its key, and its key before the other keys. */
    requeueFirst(key: QueueKey, item: T): void {
      moveToFront(key, new Set([item, ...(queues.get(key) ?? [])]))
      addKey(key, item)
    },

    /** The item that was dequeued last could not be used: its key is next again. */
    restoreTurn(): void {
      const queue = lastServed === undefined ? undefined : queues.get(lastServed)
      if (lastServed !== undefined && queue) moveToFront(lastServed, queue)
    },

    /** Takes out the next item; its key goes to the end. */
    dequeue(): T | undefined {
      const [first] = queues
      const key = queues.has(EDITOR) ? EDITOR : first?.[0]
      const queue = key === undefined ? undefined : queues.get(key)
      if (key === undefined || !queue) return undefined
      const [item] = queue as Iterable<T>
      lastServed = key
      queues.delete(key)
      queues.set(key, queue)
      remove(item as T)
      return item
    },

    /** All items in the order in which they would be dequeued: `position` of all of them at once. */
    inOrder(): Set<T> {
      const order = new Set(queues.get(EDITOR))
      let unfinished = [...queues].flatMap(([key, queue]) => (key === EDITOR ? [] : queue.values()))
      while (unfinished.length > 1) unfinished = unfinished.filter((items) => addNext(items, order))
      for (const items of unfinished) for (const item of items) order.add(item)
      return order
    },

    /** How many would be dequeued before an item. */
    position(item: T): number {
      let least = Number.POSITIVE_INFINITY
      for (const key of keysOf.get(item) ?? []) least = Math.min(least, aheadUnder(key, item))
      return least
    },
  }
}

/** Adds the next item that is not in the order yet; false if there is none. */
function addNext<T>(items: Iterator<T>, order: Set<T>): boolean {
  for (let one = items.next(); !one.done; one = items.next()) {
    if (order.has(one.value)) continue
    order.add(one.value)
    return true
  }
  return false
}
