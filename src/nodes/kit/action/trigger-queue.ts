import { createAbort } from '../../../lib/abort'
import { EnvlogError } from '../../../lib/errors'

/** Maximum number of messages waiting at a node (docs/errors.md, `ENVLOG_BUSY`). */
export const MAX_WAITING_TRIGGERS = 100

/** Runs the triggers of a node one at a time, in order. */
export class TriggerQueue {
  readonly #abort = createAbort()
  #last: Promise<void> = Promise.resolve()
  /** Running and waiting triggers. */
  #count = 0
  #interrupt = createAbort()

  /** Aborts when the node closes. */
  get signal(): AbortSignal {
    return this.#abort.signal
  }

  get isFull(): boolean {
    return this.#count > MAX_WAITING_TRIGGERS
  }

  /**
   * Runs `work` after all earlier triggers.
   * @param work is passed a signal that aborts when another trigger waits
   * @throws EnvlogError `too-many-triggers`, `closed`; any error of `work`
   */
  async run(work: (interrupt: AbortSignal) => Promise<void>): Promise<void> {
    if (this.isFull) throw new EnvlogError('too-many-triggers', { most: MAX_WAITING_TRIGGERS })
    if (this.#count++ > 0) this.interrupt()
    const result = this.#last.then(async () => {
      if (this.signal.aborted) throw new EnvlogError('closed')
      if (this.#interrupt.signal.aborted) this.#interrupt = createAbort()
      if (this.#count > 1) this.interrupt()
      await work(this.#interrupt.signal)
    })
    const leave = () => {
      this.#count--
    }
    this.#last = result.then(leave, leave)
    await result
  }

  /** Tells the running trigger that another one waits. */
  interrupt(): void {
    this.#interrupt.abort('waiting')
  }

  /** Aborts the running trigger and rejects waiting ones. Resolves when none is running. */
  async close(): Promise<void> {
    this.#abort.abort()
    await this.#last
  }
}
