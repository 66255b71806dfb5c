/**
 * Long work in steps that yield to the event loop, which the user's other flows need too. What is long is written
 * as an iterator of steps: `runCooperatively` yields between them, `runToEnd` does not.
 */

/** Longest work in one turn of the event loop, of all nodes together, in ms. */
const MAX_TURN_MS = 3
/** Messages sent without yielding: Node-RED delivers each of them in a callback of its own, after the sender yields. */
const MAX_UNDELIVERED = 64

/** Work that waits for a turn of the event loop, the longest waiting first. */
const waiting: (() => void)[] = []
/** How long all nodes have worked in this turn, in ms. */
let workedMs = 0
let isResetDue = false
/** Whether work that waited was resumed in this turn. */
let hasResumed = false

function startTurn(): void {
  workedMs = 0
  isResetDue = false
  hasResumed = false
}

/** The next turn begins before those that yield now are resumed in it. */
function scheduleReset(): void {
  if (!isResetDue) setImmediate(startTurn)
  isResetDue = true
}

/** Does a piece of work, and counts its time. @returns what `work` returns */
export function measured<T>(work: () => T): T {
  const start = performance.now()
  try {
    return work()
  } finally {
    workedMs += performance.now() - start
    scheduleReset()
  }
}

/** Resumes one in this turn, or in a later one: at least one in each turn, and all together where they are short. */
function resumeOne(): void {
  if (workedMs < MAX_TURN_MS || !hasResumed) {
    hasResumed = true
    scheduleReset()
    waiting.shift()?.()
  } else setImmediate(resumeOne)
}

/** Yields to the event loop. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    scheduleReset()
    waiting.push(resolve)
    setImmediate(resumeOne)
  })
}

/** Yields to the event loop where this turn was long already; otherwise returns nothing to await. */
export const yieldIfDue = (): Promise<void> | undefined =>
  workedMs < MAX_TURN_MS ? undefined : yieldToEventLoop()

export interface Yielder {
  /** Counts a message that was sent. */
  countMessage(): void
  /** Yields to the event loop where that is due; otherwise returns nothing, so that there is nothing to await. */
  maybeYield(): Promise<void> | undefined
}

/** @param signal nothing yields once it aborts: pending messages have to be sent before the node is removed */
export function createYielder(signal: AbortSignal): Yielder {
  let undelivered = 0
  return {
    countMessage() {
      undelivered++
    },
    maybeYield() {
      if (signal.aborted) return undefined
      if (undelivered < MAX_UNDELIVERED) return yieldIfDue()
      undelivered = 0
      return yieldToEventLoop()
    },
  }
}

/**
 * Runs the steps and yields to the event loop between them.
 * @param onStep called with what each step yields
 * @returns what the iterator returns
 */
export async function runCooperatively<S, T>(
  steps: Iterator<S, T>,
  signal: AbortSignal,
  onStep: (step: S, yielder: Yielder) => void = () => {},
): Promise<T> {
  const yielder = createYielder(signal)
  for (;;) {
    const pause = yielder.maybeYield()
    if (pause !== undefined) await pause
    const step = measured(() => {
      const next = steps.next()
      if (!next.done) onStep(next.value, yielder)
      return next
    })
    if (step.done) return step.value
  }
}

/** Runs the steps without yielding, for work that is never long. @returns what the iterator returns */
export function runToEnd<T>(steps: Iterator<unknown, T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}
