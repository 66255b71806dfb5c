/**
 * Long work in steps that yield to the event loop, which the user's other flows need too. What is long is written
 * as an iterator of steps: `runCooperatively` yields between them, `runToEnd` does not.
 */

/** Longest work without yielding, in ms. */
export const MAX_BLOCKING_MS = 2
/** Messages sent without yielding: Node-RED delivers each of them in a callback of its own, after the sender yields. */
const MAX_UNDELIVERED = 64

export interface Yielder {
  /** Counts a message that was sent. */
  countMessage(): void
  /** Yields to the event loop where that is due; otherwise returns nothing, so that there is nothing to await. */
  maybeYield(): Promise<void> | undefined
}

/** @param signal nothing yields once it aborts: pending messages have to be sent before the node is removed */
export function createYielder(signal: AbortSignal): Yielder {
  let resumedAt = performance.now()
  let undelivered = 0
  return {
    countMessage() {
      undelivered++
    },
    maybeYield() {
      const isDue = undelivered >= MAX_UNDELIVERED || performance.now() - resumedAt >= MAX_BLOCKING_MS
      if (signal.aborted || !isDue) return undefined
      return yieldToEventLoop().then(() => {
        resumedAt = performance.now()
        undelivered = 0
      })
    },
  }
}

/** Yields to the event loop (`setImmediate`). */
export const yieldToEventLoop = () => new Promise<void>((resolve) => setImmediate(resolve))

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
    const step = steps.next()
    if (step.done) return step.value
    onStep(step.value, yielder)
    const pause = yielder.maybeYield()
    if (pause !== undefined) await pause
  }
}

/** Runs the steps without yielding, for work that is never long. @returns what the iterator returns */
export function runToEnd<T>(steps: Iterator<unknown, T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}
