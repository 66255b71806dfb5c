import type { Clock } from '../../src/lib/clock'
import type { StateStore } from '../../src/lib/stored-state'

/** A store that outlives its process; its data is a copy, as on a disk. */
export interface MemoryStore extends StateStore {
  contents(): unknown
  /** Number of writes started. */
  writes(): number
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

  function call<T>(work: () => T): Promise<T> {
    const ms = delays()
    if (fails()) return Promise.reject(new Error('the store is ill'))
    if (ms === 0) return Promise.resolve(work())
    return new Promise((resolve) => {
      clock.after(ms, () => resolve(work()))
    })
  }

  return {
    place: 'memory',
    contents: () => (text === undefined ? undefined : JSON.parse(text)),
    writes: () => begun,
    load: () => call(() => (text === undefined ? undefined : JSON.parse(text))),
    save(written) {
      begun++
      return call(() => {
        text = written
      })
    },
  }
}
