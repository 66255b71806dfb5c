import type { Clock } from './clock'

/** Where state outlives the process: a context store of Node-RED. Calls may be answered at once or later. */
export interface StateStore {
  load(): Promise<unknown>
  save(state: unknown): Promise<void>
}

/** A store that does not answer must not hold requests back for good. */
const LOADING_MS = 5000

/** What a store holds; nothing where it fails or stays silent. */
export function loadFrom(store: StateStore, clock: Clock): Promise<unknown> {
  return new Promise((resolve) => {
    const cancel = clock.after(LOADING_MS, () => resolve(undefined))
    const end = (state?: unknown) => {
      cancel()
      resolve(state)
    }
    store.load().then(end, () => end())
  })
}

/** Saves the newest state, one write at a time: what changes while a store writes is written after it. */
export function keepIn(store: StateStore, state: () => unknown) {
  let writing = false
  let changed = false

  function write(): void {
    changed = false
    writing = true
    const end = () => {
      writing = false
      if (changed) write()
    }
    // A store that fails is Node-RED's to tell; the first answer's headers teach the state then.
    store.save(state()).then(end, end)
  }

  return () => {
    changed = true
    if (!writing) write()
  }
}
