import type { Clock } from './clock'

/** Where state outlives the process. Calls may be answered at once or later. */
export interface StateStore {
  load(): Promise<unknown>
  save(state: unknown): Promise<void>
}

/** A store that does not answer must not hold requests, or a deploy, back for good. */
const SILENT_MS = 5000

/** What a store holds. @throws where it fails or stays silent: that is not the same as an empty one */
export function readFrom(store: StateStore, clock: Clock): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(SILENT_MS, () => reject(new Error('the store is silent')))
    store.load().then(resolve, reject).finally(cancel)
  })
}

/** What a store holds; nothing where it fails or stays silent. */
export function loadFrom(store: StateStore, clock: Clock): Promise<unknown> {
  return readFrom(store, clock).catch(() => undefined)
}

/** State that a store is told of. */
export interface Keeper {
  /** It changed. */
  save(): void
  /**
   * What changes from now on is not told. Resolves when all before is written, or the store is silent for too
   * long; no write begins after that: the store of a removed node is cleaned, and a write would disturb it.
   */
  end(): Promise<void>
}

/** Saves the newest state, one write at a time: what changes while a store writes is written after it. */
export function keepIn(store: StateStore, clock: Clock, state: () => unknown): Keeper {
  let phase: 'open' | 'ending' | 'over' = 'open'
  let writing = false
  let changed = false
  let idle = () => {}

  function write(): void {
    changed = false
    writing = true
    const next = () => {
      writing = false
      if (changed && phase !== 'over') write()
      else idle()
    }
    // A store that fails tells so itself; the first answer's headers teach the state then.
    store.save(state()).then(next, next)
  }

  return {
    save() {
      if (phase !== 'open') return
      changed = true
      if (!writing) write()
    },

    end: () =>
      new Promise((resolve) => {
        phase = 'ending'
        const cancel = clock.after(SILENT_MS, () => idle())
        idle = () => {
          phase = 'over'
          cancel()
          resolve()
        }
        if (!writing) idle()
      }),
  }
}
