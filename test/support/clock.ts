import type { Clock } from '../../src/lib/clock'
import { EnvlogError } from '../../src/lib/errors'

interface Due {
  at: number
  /** Of those due together, the one asked for first goes first. */
  order: number
  /** Undefined once cancelled. */
  run: (() => void) | undefined
}

/** Time that passes only when told to, as fast as the machine can. */
export interface VirtualClock extends Clock {
  /** Sets the wall clock forwards, or back; what is waited for does not notice. */
  jump(ms: number): void
  /** Lets time pass: what falls due happens at its instant, with all that follows from it. */
  pass(ms: number): Promise<void>
  /** The same at once: what follows from it comes later. */
  advance(ms: number): void
  /** The event loop stands still for so long: what falls due meanwhile is late, the first of it first. */
  block(ms: number): void
  /** What is due now, and what follows from it. */
  settle(): Promise<void>
  /** Callbacks that are waited for. */
  pending(): number
  /** The same time for a process that may end at any instant, or do nothing for a while. */
  process(): ProcessClock
}

export interface ProcessClock {
  clock: Clock
  /** Nothing comes any more. */
  kill(): void
  /** Its event loop stands still for so long: what comes meanwhile is late. */
  block(ms: number): void
  /** What comes from outside is read when the event loop is free, and after the timers that are due. */
  reads<T>(work: Promise<T>): Promise<T>
}

/** When it begins, ms since 1970 UTC. */
const NOW = 1_795_161_600_000

/** Until every promise that could go on has done so. */
const oneTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

/**
 * @param started monotonic; that it is no whole number finds those who round the wrong way
 * @param now ms since 1970 UTC
 * @param quiet resolves when nothing goes on before time does
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

  /** Runs what falls due next, if that is not after `end`. */
  function runNext(end: number): boolean {
    for (let due = queue.first(); due && due.at <= end; due = queue.first()) {
      queue.shift()
      if (!due.run) continue
      at = Math.max(at, due.at)
      due.run()
      return true
    }
    // What was due may itself have let time pass.
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
