import { inBackground } from './background'
import type { Clock } from './clock'

/** Where state outlives the process. Calls may be answered at once or later. */
export interface StateStore {
  load(): Promise<unknown>
  save(state: unknown): Promise<void>
  /** Told when writes begin to fail. */
  failed?(error: Error): void
}

/** A store that does not answer must not hold requests, or a deploy, back for good. */
const SILENT_MS = 5000
/** A write takes no longer, or has failed. */
const WRITE_MS = 10_000
/** After a write that failed, where nothing changes meanwhile. */
const AGAIN_MS = 60_000

/** What comes of it, if that is in time. @throws where it fails or stays silent */
export function inTime<T>(work: Promise<T>, ms: number, clock: Clock): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => reject(new Error('no answer')))
    work.then(resolve, reject).finally(cancel)
  })
}

/** What a store holds. @throws where it fails or stays silent: that is not the same as an empty one */
export function readFrom(load: Promise<unknown>, clock: Clock): Promise<unknown> {
  return inTime(load, SILENT_MS, clock)
}

/** What a store holds; nothing where it fails or stays silent. */
export function loadFrom(store: StateStore, clock: Clock): Promise<unknown> {
  return readFrom(store.load(), clock).catch(() => undefined)
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

/**
 * Saves the newest state, one write at a time: what changes while a store writes is written after it. A write that
 * fails, or takes too long, is tried again.
 */
export function keepIn(store: StateStore, clock: Clock, state: () => unknown): Keeper {
  let phase: 'open' | 'ending' | 'over' = 'open'
  let writing = false
  let changed = false
  let isFailing = false
  let idle = () => {}
  let cancelAgain = () => {}

  async function write(): Promise<void> {
    cancelAgain()
    changed = false
    writing = true
    try {
      await inTime(store.save(state()), WRITE_MS, clock)
      isFailing = false
    } catch (error) {
      if (!isFailing) store.failed?.(error as Error)
      isFailing = true
      if (phase === 'open') cancelAgain = clock.after(AGAIN_MS, save)
    }
    writing = false
    if (changed && phase !== 'over') inBackground(write())
    else idle()
  }

  function save(): void {
    if (phase !== 'open') return
    changed = true
    if (!writing) inBackground(write())
  }

  return {
    save,
    end: () =>
      new Promise((resolve) => {
        phase = 'ending'
        cancelAgain()
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
