/**
 * Long work in steps that yield to the event loop, which the user's other flows need too. What is long is written
 * as an iterator of steps: `runCooperatively` yields between them, `runToEnd` does not.
 */

/** Longest work in one turn of the event loop, of all nodes together, in ms. */
const MAX_BLOCKING_MS = 2
/** Messages sent without yielding: Node-RED delivers each of them in a callback of its own, after the sender yields. */
const MAX_UNDELIVERED = 64

/** Work that waits for a turn of the event loop. One is resumed in each turn, however many nodes are at work. */
const waiting: (() => void)[] = []
/** Real time, also in tests with a clock of their own. */
const now = performance.now.bind(performance)
/** When the first work of this turn began. */
let turnBeganAt: number | undefined

/** Yields to the event loop. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(resumeOne)
  })
}

function resumeOne(): void {
  turnBeganAt = undefined
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(resumeOne)
}

/** Yields to the event loop where this turn was long already; otherwise returns nothing to await. */
export function yieldIfDue(): Promise<void> | undefined {
  if (turnBeganAt === undefined) {
    turnBeganAt = now()
    setImmediate(() => {
      turnBeganAt = undefined
    })
  }
  return now() - turnBeganAt < MAX_BLOCKING_MS ? undefined : yieldToEventLoop()
}

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
    const step = steps.next()
    if (step.done) return step.value
    onStep(step.value, yielder)
  }
}

/** Runs the steps without yielding, for work that is never long. @returns what the iterator returns */
export function runToEnd<T>(steps: Iterator<unknown, T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}
