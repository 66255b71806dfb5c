import { createAbort } from '../../../lib/abort'
import { EnvlogError } from '../../../lib/errors'

/** Maximum number of messages waiting at a node (docs/errors.md, `ENVLOG_BUSY`). */
export const MAX_WAITING_TRIGGERS = 100

/** Runs the triggers of a node one at a time, in order. */
export function createTriggerQueue() {
  const abort = createAbort()
  let last: Promise<void> = Promise.resolve()
  /** Running and waiting triggers, including those of the timer. */
  let count = 0
  let isTimerWaiting = false

  return {
    /** Aborts when the node closes. */
    signal: abort.signal,

    /**
     * Runs `work` after all earlier triggers. A timer trigger is dropped if another one is waiting, so that they do not
     * pile up.
     * @throws EnvlogError `too-many-triggers`, `closed`; any error of `work`
     */
    async run(isTimer: boolean, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
      if (abort.signal.aborted) throw new EnvlogError('closed')
      if (isTimer && isTimerWaiting) return
      const messagesWaiting = count - 1 - (isTimerWaiting ? 1 : 0)
      if (!isTimer && messagesWaiting >= MAX_WAITING_TRIGGERS)
        throw new EnvlogError('too-many-triggers', { most: MAX_WAITING_TRIGGERS })
      if (isTimer) isTimerWaiting = count > 0
      count++
      const result = last.then(async () => {
        if (isTimer) isTimerWaiting = false
        if (abort.signal.aborted) throw new EnvlogError('closed')
        await work(abort.signal)
      })
      const leave = () => {
        count--
      }
      last = result.then(leave, leave)
      await result
    },

    /** Aborts the running trigger and rejects waiting ones. Resolves when none is running. */
    async close(): Promise<void> {
      abort.abort()
      await last
    },
  }
}
