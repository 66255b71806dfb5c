import { inBackground } from './background'
import type { Clock } from './clock'

/** Storage for state that outlives the process, such as a context store of Node-RED. */
export interface StateStore {
  /** Where the state is, for users. */
  readonly place: string
  /** The saved state, parsed. */
  load(): Promise<unknown>
  /** @param text the state as JSON */
  save(text: string): Promise<void>
  /** Called if the store has no state for a node that delivers only new data. */
  onMissing?(): void
  /** Called if a write fails after a successful one, and if one succeeds after a failure. */
  onWrite?(error?: Error): void
}

/** Parses the text from a store. Text that is not JSON was not written by this package; `readSavedState` rejects it. */
export function parseOrKeep(text: string): unknown {
  try {
    return JSON.parse(text) ?? text
  } catch {
    return text
  }
}

/** Longest time that an unresponsive store may delay requests or a deploy. */
const MAX_RESPONSE_MS = 5000
/** A write that takes longer counts as failed. */
const MAX_WRITE_MS = 10_000
/** Changes within this time are written together, which limits the wear of a gateway's memory card. */
const WRITE_DELAY_MS = 30_000
/** A failed write is retried after this time. */
const RETRY_MS = 60_000

/** The result of a store's work. @throws Error if it fails or takes longer than `ms` */
export function orNoResponse<T>(work: Promise<T>, clock: Clock, ms = MAX_RESPONSE_MS): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => reject(new Error('no response')))
    work.then(resolve, reject).finally(cancel)
  })
}

/** Writes a state to a store within half a minute of a change. A failed write is retried. */
export class StateWriter {
  readonly #store: StateStore
  readonly #clock: Clock
  readonly #state: () => unknown
  #hasChanged = false
  #hasFailed = false
  #hasEnded = false
  #writing: Promise<void> = Promise.resolve()
  #cancelTimer = () => {}

  /** @param state returns the state to be written as JSON */
  constructor(store: StateStore, clock: Clock, state: () => unknown) {
    this.#store = store
    this.#clock = clock
    this.#state = state
  }

  /** Schedules a write after a change. */
  save(): void {
    if (this.#hasEnded) return
    if (!this.#hasChanged) this.#writeIn(WRITE_DELAY_MS)
    this.#hasChanged = true
  }

  /** Writes now. @returns whether all changes so far are in the store; false without waiting if the store fails */
  async written(): Promise<boolean> {
    if (!this.#hasFailed) await this.#writing
    if (this.#hasFailed) return false
    await this.#write()
    return !this.#hasFailed
  }

  /** Writes the last changes, and nothing after that. Waits for at most five seconds. */
  async end(): Promise<void> {
    await orNoResponse(this.#write(), this.#clock).catch(() => {})
    this.#hasEnded = true
    this.#cancelTimer()
  }

  #write(): Promise<void> {
    const write = this.#writing.then(() => this.#writeChanges())
    this.#writing = write.catch(() => {})
    return write
  }

  async #writeChanges(): Promise<void> {
    this.#cancelTimer()
    if (!this.#hasChanged || this.#hasEnded) return
    this.#hasChanged = false
    try {
      await orNoResponse(this.#store.save(JSON.stringify(this.#state())), this.#clock, MAX_WRITE_MS)
      if (this.#hasFailed) this.#store.onWrite?.()
      this.#hasFailed = false
    } catch (error) {
      if (this.#hasEnded) return
      this.#hasChanged = true
      this.#writeIn(RETRY_MS)
      if (!this.#hasFailed) this.#store.onWrite?.(error as Error)
      this.#hasFailed = true
    }
  }

  #writeIn(ms: number): void {
    this.#cancelTimer()
    this.#cancelTimer = this.#clock.after(ms, () => inBackground(this.#write()))
  }
}
