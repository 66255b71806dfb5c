import type { Clock } from '../../src/lib/clock'
import type { StateStore } from '../../src/lib/state-store'

/** A store that outlives its process; its data is a copy, as on a disk. */
export interface MemoryStore extends StateStore {
  contents(): unknown
  /** Number of writes started. */
  writes(): number
  /** True while a write is in progress. */
  isBusy(): boolean
  /** When the write of its current data started, monotonic. */
  lastWriteAt(): number
  /** Its process dies: pending writes are lost. */
  crash(): void
}

/**
 * @param delays duration of each call, ms; 0 for immediately
 * @param fails whether a call is refused
 */
export function createMemoryStore(
  clock: Clock,
  { delays = () => 0, fails = () => false }: { delays?: () => number; fails?: () => boolean } = {},
): MemoryStore {
  let text: string | undefined
  let begun = 0
  let inFlight = 0
  let newest = Number.NEGATIVE_INFINITY
  let life = 0

  function call<T>(work: () => T): Promise<T> {
    const ms = delays()
    if (fails()) return Promise.reject(new Error('the store is ill'))
    if (ms === 0) return Promise.resolve(work())
    const mine = life
    inFlight++
    return new Promise((resolve) => {
      clock.after(ms, () => {
        if (mine !== life) return
        inFlight--
        resolve(work())
      })
    })
  }

  return {
    contents: () => (text === undefined ? undefined : JSON.parse(text)),
    writes: () => begun,
    isBusy: () => inFlight > 0,
    lastWriteAt: () => newest,
    crash() {
      life++
      inFlight = 0
    },
    load: () => call(() => (text === undefined ? undefined : JSON.parse(text))),
    save(written) {
      begun++
      const at = clock.monotonic()
      return call(() => {
        newest = at
        text = written
      })
    },
  }
}
