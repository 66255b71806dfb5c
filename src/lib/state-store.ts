import { inBackground } from './background'
import type { Clock } from './clock'
import { measured, yieldIfDue } from './cooperative'

/** Where state outlives the process, such as a context store of Node-RED. */
export interface StateStore {
  /** What was saved, parsed. */
  load(): Promise<unknown>
  /** @param text the state as JSON */
  save(text: string): Promise<void>
  /** Called when a write fails and the one before did not. */
  onWriteError?(error: Error): void
}

/** A store that does not respond must not delay requests, or a deploy, for longer. */
const MAX_RESPONSE_MS = 5000
/** A write that takes longer counts as failed. */
const MAX_WRITE_MS = 10_000
/** A write that failed is repeated after so long, if no change has repeated it before. */
const RETRY_MS = 60_000

/** The result of `work`, if it comes within `ms`. @throws Error what `work` rejects with, or that it took too long */
function withTimeout<T>(work: Promise<T>, ms: number, clock: Clock): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => reject(new Error('no answer')))
    work.then(resolve, reject).finally(cancel)
  })
}

/**
 * What `load` reads from a store.
 * @throws Error where the store fails or does not respond in time, which is not the same as an empty store
 */
export function loadOrThrow(load: Promise<unknown>, clock: Clock): Promise<unknown> {
  return withTimeout(load, MAX_RESPONSE_MS, clock)
}

/** What a store holds; `undefined` where it is empty, fails, or does not respond in time. */
export function loadOrEmpty(store: StateStore, clock: Clock): Promise<unknown> {
  return loadOrThrow(store.load(), clock).catch(() => undefined)
}

export interface StateWriter {
  /** The state has changed. */
  save(): void
  /**
   * Later changes are not written. Resolves when all changes before are written, or when the store does not respond
   * in time. No write begins after that: the store of a removed node is cleaned, and a write would restore it.
   */
  end(): Promise<void>
}

/** The state of thousands of devices takes ms to write as text, so that may take this share of the time. */
const MAX_WORKING_SHARE = 1 / 20
const MAX_PAUSE_MS = 1000
/** Entries of a map or list that become text in one step. */
const ENTRIES_PER_STEP = 256

/** JSON of a state in steps. Its size is in the maps and lists that are its properties. */
function* toJson(state: unknown): Generator<undefined, string> {
  if (typeof state !== 'object' || state === null || Array.isArray(state)) return JSON.stringify(state)
  const members: string[] = []
  for (const [key, value] of Object.entries(state)) {
    const text = yield* propertyToJson(value)
    if (text !== undefined) members.push(`${JSON.stringify(key)}:${text}`)
  }
  return `{${members.join(',')}}`
}

/** @returns `undefined` where JSON has no text for the value */
function* propertyToJson(value: unknown): Generator<undefined, string | undefined> {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const isList = Array.isArray(value)
  const entries: unknown[] = isList ? value : Object.entries(value)
  const parts: string[] = []
  for (let at = 0; at < entries.length; at += ENTRIES_PER_STEP) {
    const part = entries.slice(at, at + ENTRIES_PER_STEP)
    const text = JSON.stringify(isList ? part : Object.fromEntries(part as [string, unknown][]))
    parts.push(text.slice(1, -1))
    yield undefined
  }
  return isList ? `[${parts.join(',')}]` : `{${parts.join(',')}}`
}

/**
 * Writes the latest state to a store, one write at a time: changes during a write, and during a pause after it that
 * depends on how long the text of the state takes to make, are written together. A write that fails or times out is
 * repeated.
 * @param state copies the state
 */
export function createStateWriter(store: StateStore, clock: Clock, state: () => unknown): StateWriter {
  let phase: 'open' | 'ending' | 'ended' = 'open'
  let isWriting = false
  let hasChanged = false
  let isFailing = false
  let onIdle = () => {}
  let cancelRetry = () => {}
  let endPause: (() => void) | undefined

  async function write(): Promise<void> {
    cancelRetry()
    hasChanged = false
    isWriting = true
    let workedMs = 0
    const work = <T>(step: () => T): T => {
      const start = clock.monotonic()
      const result = measured(step)
      workedMs += clock.monotonic() - start
      return result
    }
    try {
      const steps = work(() => toJson(state()))
      let step = work(() => steps.next())
      while (!step.done) {
        const turn = yieldIfDue()
        if (turn !== undefined) await turn
        step = work(() => steps.next())
      }
      if (phase !== 'ended') await withTimeout(store.save(step.value), MAX_WRITE_MS, clock)
      isFailing = false
    } catch (error) {
      if (!isFailing) store.onWriteError?.(error as Error)
      isFailing = true
      if (phase === 'open') cancelRetry = clock.after(RETRY_MS, save)
    }
    const pauseMs = Math.min(MAX_PAUSE_MS, workedMs / MAX_WORKING_SHARE)
    if (pauseMs >= 1 && phase === 'open') await pause(pauseMs)
    isWriting = false
    if (hasChanged && phase !== 'ended') inBackground(write())
    else onIdle()
  }

  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const cancel = clock.after(ms, resolve)
      endPause = () => {
        cancel()
        resolve()
      }
    })

  function save(): void {
    if (phase !== 'open') return
    hasChanged = true
    if (!isWriting) inBackground(write())
  }

  return {
    save,
    end: () =>
      new Promise((resolve) => {
        phase = 'ending'
        cancelRetry()
        endPause?.()
        const cancel = clock.after(MAX_RESPONSE_MS, () => onIdle())
        onIdle = () => {
          phase = 'ended'
          cancel()
          resolve()
        }
        if (!isWriting) onIdle()
      }),
  }
}
