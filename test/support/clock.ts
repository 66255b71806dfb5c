import type { Clock } from '../../src/lib/clock'
import { EnvlogError } from '../../src/lib/errors'

interface Due {
  at: number
  /** Callbacks that are due at the same time run in the order of registration. */
  order: number
  /** Undefined once cancelled. */
  run: (() => void) | undefined
}

/** A virtual clock: time passes only when it is advanced. */
export interface VirtualClock extends Clock {
  /** Moves the wall clock forwards or back; timers are not affected. */
  jump(ms: number): void
  /** Lets time pass: timers run when they are due, with all asynchronous work that follows. */
  pass(ms: number): Promise<void>
  /** The same, synchronously: asynchronous work that follows runs later. */
  advance(ms: number): void
  /** Blocks the event loop: timers that become due in the meantime run late, in order. */
  block(ms: number): void
  /** Runs timers that are due now, and the asynchronous work that follows. */
  settle(): Promise<void>
  /** Number of pending timers. */
  pending(): number
  /** The clock of a process that can be killed or blocked. */
  process(): ProcessClock
}

export interface ProcessClock {
  clock: Clock
  /** No more timers fire, and no more results arrive. */
  kill(): void
  /** Blocks its event loop: timers and results arrive late. */
  block(ms: number): void
  /** Delivers a result from outside when the event loop is free, after timers that are due. */
  reads<T>(work: Promise<T>): Promise<T>
}

/** The initial time, ms since 1970 UTC. */
const NOW = 1_795_161_600_000

/** Resolves after all promise callbacks that are ready. */
const oneTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

/**
 * @param started monotonic ms; not an integer, to detect wrong rounding
 * @param now ms since 1970 UTC
 * @param quiet resolves when nothing more happens until time passes
 */
export function createVirtualClock(started = 1000.25, now = NOW, quiet = oneTurn): VirtualClock {
  const queue = createHeap()
  let at = started
  let ahead = now - started
  let count = 0

  function after(ms: number, run: () => void): () => void {
    const due: Due = { at: at + Math.max(0, ms), order: count++, run }
    queue.push(due)
    return () => {
      due.run = undefined
    }
  }

  /** Runs the next timer, if it is not due after `end`. */
  function runNext(end: number): boolean {
    for (let due = queue.first(); due && due.at <= end; due = queue.first()) {
      queue.shift()
      if (!due.run) continue
      at = Math.max(at, due.at)
      due.run()
      return true
    }
    // The callback itself may have let time pass.
    at = Math.max(at, end)
    return false
  }

  async function reach(end: number): Promise<void> {
    do await quiet()
    while (runNext(end))
  }

  const clock: Clock = {
    now: () => Math.floor(at + ahead),
    monotonic: () => at,
    after,
    sleep: (ms, signal) => sleep(after, ms, signal),
  }

  return {
    ...clock,
    jump: (ms) => {
      ahead += ms
    },
    pass: (ms) => reach(at + ms),
    advance(ms) {
      const end = at + ms
      while (runNext(end));
    },
    block(ms) {
      at += ms
    },
    settle: () => reach(at),
    pending: () => queue.size(),
    process() {
      let alive = true
      let busyUntil = Number.NEGATIVE_INFINITY
      function whenFree(run: () => void, isRead = false): void {
        if (!alive) return
        if (at >= busyUntil) run()
        else after(busyUntil - at, () => (isRead ? after(0, () => whenFree(run, true)) : whenFree(run)))
      }
      function own(ms: number, run: () => void): () => void {
        let cancelled = false
        const cancel = after(ms, () => whenFree(() => cancelled || run()))
        return () => {
          cancelled = true
          cancel()
        }
      }
      return {
        clock: { ...clock, after: own, sleep: (ms, signal) => sleep(own, ms, signal) },
        kill() {
          alive = false
        },
        block(ms) {
          busyUntil = Math.max(busyUntil, at + ms)
        },
        reads: (work) =>
          new Promise((resolve, reject) => {
            work.then(
              (value) => whenFree(() => resolve(value), true),
              (error) => whenFree(() => reject(error), true),
            )
          }),
      }
    },
  }
}

function sleep(after: Clock['after'], ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      cancel()
      reject(new EnvlogError('closed'))
    }
    const cancel = after(ms, () => {
      signal.removeEventListener('abort', stop)
      resolve()
    })
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
}

function createHeap() {
  const heap: Due[] = []
  const before = (a: number, b: number) => {
    const [one, other] = [heap[a] as Due, heap[b] as Due]
    return one.at < other.at || (one.at === other.at && one.order < other.order)
  }
  const swap = (a: number, b: number) => {
    const one = heap[a] as Due
    heap[a] = heap[b] as Due
    heap[b] = one
  }

  function sink(from: number): void {
    for (let at = from; ; ) {
      let least = at
      for (const child of [2 * at + 1, 2 * at + 2])
        if (child < heap.length && before(child, least)) least = child
      if (least === at) return
      swap(at, least)
      at = least
    }
  }

  return {
    first: (): Due | undefined => heap[0],
    size: () => heap.filter(({ run }) => run).length,
    push(due: Due): void {
      heap.push(due)
      for (let at = heap.length - 1; at > 0; ) {
        const parent = (at - 1) >> 1
        if (!before(at, parent)) return
        swap(at, parent)
        at = parent
      }
    },
    shift(): void {
      const last = heap.pop()
      if (!last || heap.length === 0) return
      heap[0] = last
      sink(0)
    },
  }
}
