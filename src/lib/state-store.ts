import { inBackground } from './background'
import type { Clock } from './clock'
import { measured, yieldIfDue } from './cooperative'
import { jsonInSteps } from './json-in-steps'

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
  /** Whether all changes so far are in the store, once they are written, or could not be. */
  written(): Promise<boolean>
  /**
   * Later changes are not written. Resolves when all changes before are written, or when the store does not respond
   * in time. No write begins after that: the store of a removed node is cleaned, and a write would restore it.
   */
  end(): Promise<void>
}

interface Outcome {
  promise: Promise<boolean>
  resolve(isWritten: boolean): void
}

function createOutcome(): Outcome {
  let resolve: Outcome['resolve'] = () => {}
  const promise = new Promise<boolean>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

/** The state of thousands of devices takes ms to write as text, so that may take this share of the time. */
const MAX_WORKING_SHARE = 1 / 20
const MAX_PAUSE_MS = 1000
/** Nobody waits for a store that fails and takes longer than this for it. */
const MAX_FAILING_MS = 1000
/** A text that is shorter takes too little time to be spread over turns of the event loop. */
const CHARACTERS_PER_TURN = 65_536

/**
 * Writes the latest state to a store, one write at a time: changes during a write, and during a pause after it that
 * depends on how long the text of the state takes to make, are written together. A write that fails or times out is
 * repeated.
 * @param state copies the state
 * @param onLate called where a write ends after a later one, or after the end: it may have replaced what is newer. By
 *   default, writes again
 */
export function createStateWriter(
  store: StateStore,
  clock: Clock,
  state: () => unknown,
  onLate?: () => void,
): StateWriter {
  let phase: 'open' | 'ending' | 'ended' = 'open'
  let isWriting = false
  let hasChanged = false
  /** How long the latest write took, where it failed. */
  let failedAfterMs: number | null = null
  /** Number of writes that began, and of the newest that has ended. */
  let begun = 0
  let newest = 0
  let onIdle = () => {}
  /** Of the write after the one that is going on. */
  let next = createOutcome()
  /** Of the write with the latest change. */
  let latest = Promise.resolve(true)
  let cancelRetry = () => {}
  /** Ends a pause, and the wait for a turn of the event loop: what is to be written before the end has no time. */
  let stopWaiting = () => {}

  /** @throws Error what the store throws, or that it took too long */
  async function saveInTime(text: string): Promise<void> {
    const number = ++begun
    const saving = store.save(text)
    saving.then(
      () => {
        if (number < newest || phase === 'ended') (onLate ?? save)()
        newest = Math.max(newest, number)
      },
      () => {},
    )
    await withTimeout(saving, MAX_WRITE_MS, clock)
  }

  async function write(): Promise<void> {
    cancelRetry()
    hasChanged = false
    isWriting = true
    const own = next
    next = createOutcome()
    const startedAt = clock.monotonic()
    let workedMs = 0
    const work = <T>(step: () => T): T => {
      const start = clock.monotonic()
      const result = measured(step)
      workedMs += clock.monotonic() - start
      return result
    }
    try {
      const steps = work(() => jsonInSteps(state()))
      let step = work(() => steps.next())
      for (let made = 0; !step.done; step = work(() => steps.next())) {
        made += step.value
        if (made < CHARACTERS_PER_TURN || phase !== 'open') continue
        made = 0
        const turn = yieldIfDue()
        if (turn !== undefined) await untilEnd(turn)
      }
      if (phase !== 'ended') await saveInTime(step.value as string)
      failedAfterMs = null
    } catch (error) {
      if (failedAfterMs === null) inBackground(report(error as Error))
      failedAfterMs = clock.monotonic() - startedAt
      if (phase === 'open') cancelRetry = clock.after(RETRY_MS, save)
    }
    own.resolve(failedAfterMs === null)
    const pauseMs = Math.min(MAX_PAUSE_MS, workedMs / MAX_WORKING_SHARE)
    if (pauseMs >= 1 && phase === 'open') await pause(pauseMs)
    isWriting = false
    if (hasChanged && phase !== 'ended') inBackground(write())
    else onIdle()
  }

  const report = async (error: Error) => store.onWriteError?.(error)

  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const cancel = clock.after(ms, resolve)
      stopWaiting = () => {
        cancel()
        resolve()
      }
    })

  const untilEnd = (turn: Promise<void>) =>
    new Promise<void>((resolve, reject) => {
      stopWaiting = resolve
      turn.then(resolve, reject)
    })

  function save(): void {
    if (phase !== 'open') return
    hasChanged = true
    latest = next.promise
    if (!isWriting) inBackground(write())
  }

  return {
    save,
    // Otherwise each change would wait until a timeout while the store does not respond.
    written: () => ((failedAfterMs ?? 0) > MAX_FAILING_MS ? Promise.resolve(false) : latest),
    end: () =>
      new Promise((resolve) => {
        phase = 'ending'
        cancelRetry()
        stopWaiting()
        const cancel = clock.after(MAX_RESPONSE_MS, () => onIdle())
        onIdle = () => {
          phase = 'ended'
          cancel()
          next.resolve(false)
          resolve()
        }
        if (!isWriting) onIdle()
      }),
  }
}
