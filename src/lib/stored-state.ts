import { inBackground } from './background'
import type { Clock } from './clock'
import { EnvlogError } from './errors'

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

/** Longest time that an unresponsive store may delay requests or a deploy. */
const MAX_RESPONSE_MS = 5000
/** A write that takes longer counts as failed. */
const MAX_WRITE_MS = 10_000
/**
 * Changes within half a minute are written together, of a large state within up to five, so that it is 200 kB a minute
 * on average at most: this limits the wear of a gateway's memory card.
 */
const WRITE_DELAY_MS = { least: 30_000, most: 300_000, perByte: 60_000 / 200_000 }
/** A failed write is retried after this time. */
const RETRY_MS = 60_000

/** A first read that takes long, for example from a slow disk, delays the first message for up to this time. */
const MAX_READ_MS = 60_000

/** How the state of a node is read and written. */
interface Format<T> {
  /** As `readState`. */
  read(contents: unknown): T | undefined
  /** Called once, when the store has been read. */
  restore(saved: T | undefined, store: StateStore): void
  /** The state to be written as JSON. */
  toSave(): T
}

/**
 * Reads the contents of a store; `undefined` if it is empty. Unknown contents are an error, because otherwise they would
 * be overwritten, and records or alarms would be sent again.
 * @param version the newest version that this package reads
 * @param parse `undefined` if the contents are not a state of such a version
 * @throws EnvlogError `store-newer`, `store-damaged`
 */
export function readState<T>(
  contents: unknown,
  version: number,
  parse: (contents: unknown) => T | undefined,
): T | undefined {
  if (contents === undefined || contents === null) return undefined
  const saved = Object(contents).version
  if (typeof saved === 'number' && saved > version) throw new EnvlogError('store-newer')
  const state = parse(contents)
  if (state === undefined) throw new EnvlogError('store-damaged')
  return state
}

/** The state of a node in a store: it is read once, and then every change is written. */
export class StoredState<T> {
  readonly #clock: Clock
  readonly #format: Format<T>
  /** The store of the deployed node, and its writer once it has been read. */
  #store: StateStore | undefined
  #writer: StateWriter | undefined
  #isLoaded = false
  readonly #onLoaded = new Set<() => void>()

  constructor(clock: Clock, format: Format<T>) {
    this.#clock = clock
    this.#format = format
  }

  /** Call this when the node is deployed. In a new process, the store is read first. */
  open(store: StateStore): void {
    this.#store = store
    if (this.#isLoaded) this.#startWriting(store)
    // A failure is reported by `ready`.
    else this.#load(store).catch(() => {})
  }

  /** Whether the node that opened this store has not been closed or deployed again since. */
  isOpenWith(store: StateStore): boolean {
    return this.#store === store
  }

  /** Call this when the node that opened this store closes. Nothing is written to the store after this. */
  async close(store: StateStore): Promise<void> {
    if (this.#store !== store) return
    const writer = this.#writer
    this.#store = undefined
    this.#writer = undefined
    writer?.save()
    await writer?.end()
  }

  /**
   * Waits until the store has been read, for up to a minute. Before that, nothing may be requested or written, because
   * data would be lost if an unreadable store were treated as an empty one. Each call reads the store again, but the
   * result of an earlier read is accepted too.
   * @throws EnvlogError `store-newer`, `store-damaged`, `store-unreadable`, `closed`
   */
  async ready(): Promise<void> {
    if (this.#isLoaded) return
    const store = this.#store
    if (!store) throw new EnvlogError('closed')
    let stop = () => {}
    try {
      // An earlier read may succeed first.
      const loaded = new Promise<void>((resolve) => {
        stop = resolve
        this.#onLoaded.add(resolve)
      })
      await orNoResponse(Promise.race([this.#load(store), loaded]), this.#clock, MAX_READ_MS)
    } catch (error) {
      if (this.#store === store) throw toStoreError(error, store)
    } finally {
      this.#onLoaded.delete(stop)
    }
    if (this.#store !== store) throw new EnvlogError('closed')
  }

  /** Schedules a write after a change. */
  save(): void {
    this.#writer?.save()
  }

  /** @returns whether all changes so far are in the store; false without waiting if the store fails */
  async written(): Promise<boolean> {
    return (await this.#writer?.written()) ?? false
  }

  async #load(store: StateStore): Promise<void> {
    const saved = this.#format.read(await store.load())
    // Another read has finished before, or the node was deployed again.
    if (this.#isLoaded || this.#store !== store) return
    this.#format.restore(saved, store)
    this.#isLoaded = true
    for (const resolve of this.#onLoaded) resolve()
    this.#startWriting(store)
  }

  #startWriting(store: StateStore): void {
    this.#writer = new StateWriter(store, this.#clock, () => this.#format.toSave())
  }
}

/** Writes a state to a store within half a minute of a change, or later if it is large. A failed write is retried. */
export class StateWriter {
  readonly #store: StateStore
  readonly #clock: Clock
  readonly #state: () => unknown
  #hasChanged = false
  #hasFailed = false
  #hasEnded = false
  /** Time from a change to its write. */
  #delayMs = WRITE_DELAY_MS.least
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
    if (!this.#hasChanged) this.#writeIn(this.#delayMs)
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
    const { least, most, perByte } = WRITE_DELAY_MS
    try {
      const text = JSON.stringify(this.#state())
      this.#delayMs = Math.min(most, Math.max(least, text.length * perByte))
      await orNoResponse(this.#store.save(text), this.#clock, MAX_WRITE_MS)
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

/** The result of a store's work. @throws Error if it fails or takes longer than `ms` */
export function orNoResponse<T>(work: Promise<T>, clock: Clock, ms = MAX_RESPONSE_MS): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => reject(new Error('no response')))
    work.then(resolve, reject).finally(cancel)
  })
}

function toStoreError(error: unknown, { place = '' }: StateStore): EnvlogError {
  if (!(error instanceof EnvlogError)) {
    const { code, message } = error as NodeJS.ErrnoException
    return new EnvlogError('store-unreadable', { place, detail: code ?? message })
  }
  const { reason } = error
  return reason === 'store-damaged' || reason === 'store-newer' ? new EnvlogError(reason, { place }) : error
}

/** Parses the text from a store. Text that is not JSON was not written by this package; `readSavedState` rejects it. */
export function parseOrKeep(text: string): unknown {
  try {
    return JSON.parse(text) ?? text
  } catch {
    return text
  }
}
