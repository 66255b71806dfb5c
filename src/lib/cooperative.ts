/** Longest work without a turn for others, ms: the event loop belongs to the user's other flows. */
export const WORK_MS = 2
/** Messages that may wait in the event loop at once: each is handed on in a turn of its own. */
const MOST_WAITING = 64

/** Tells work that is long when to rest. */
export interface Pace {
  /** One more message is on its way. */
  sent(): void
  /** Gives others their turn where it is time. */
  rest(): Promise<void> | undefined
}

/** @param signal once it is aborted there is no rest: what is on its way is to be sent before its node is gone */
export function createPace(signal: AbortSignal): Pace {
  let since = performance.now()
  let waiting = 0
  return {
    sent() {
      waiting++
    },
    rest() {
      if (signal.aborted || (waiting < MOST_WAITING && performance.now() - since < WORK_MS)) return undefined
      return new Promise((resolve) => {
        setImmediate(() => {
          since = performance.now()
          waiting = 0
          resolve()
        })
      })
    },
  }
}

/** A turn for others, between one piece of work that takes milliseconds and the next. */
export const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/**
 * Work that is cut into steps, with turns for others between them.
 * @param took told what each step brings
 */
export async function gently<S, T>(
  steps: Iterator<S, T>,
  signal: AbortSignal,
  took: (step: S, pace: Pace) => void = () => {},
): Promise<T> {
  const pace = createPace(signal)
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    took(step.value, pace)
    const rest = pace.rest()
    if (rest !== undefined) await rest
  }
}

/** The same in one go, for work that is never long. */
export function atOnce<T>(steps: Iterator<unknown, T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}
