import { createAbort } from '../../../lib/abort'
import { EnvlogError } from '../../../lib/errors'

/** Triggers of messages that may wait at a node (messages.md, `ENVLOG_BUSY`). */
export const MAX_WAITING_TRIGGERS = 100

/**
 * One trigger of a node at a time, the others behind it. Closing aborts the one that runs and ends those that
 * wait.
 */
export function createTriggerQueue() {
  const abort = createAbort()
  let tail: Promise<void> = Promise.resolve()
  /** Triggers that run or wait, own ones too. */
  let inside = 0
  let ownWaits = false

  return {
    signal: abort.signal,

    /**
     * Runs `work` when its turn comes. Own triggers do not pile up: one more than waits already is dropped.
     * @throws EnvlogError `too-many-triggers`, `closed`, or what `work` throws
     */
    async take(own: boolean, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
      if (abort.signal.aborted) throw new EnvlogError('closed')
      if (own && ownWaits) return
      const messagesWaiting = inside - 1 - (ownWaits ? 1 : 0)
      if (!own && messagesWaiting >= MAX_WAITING_TRIGGERS)
        throw new EnvlogError('too-many-triggers', { most: MAX_WAITING_TRIGGERS })
      if (own) ownWaits = inside > 0
      inside++
      const turn = tail.then(async () => {
        if (own) ownWaits = false
        if (abort.signal.aborted) throw new EnvlogError('closed')
        await work(abort.signal)
      })
      const over = () => {
        inside--
      }
      tail = turn.then(over, over)
      await turn
    },

    /** Resolves when nothing runs any more. */
    async close(): Promise<void> {
      abort.abort()
      await tail
    },
  }
}
