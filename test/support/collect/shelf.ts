import type { StateStore } from '../../../src/lib/state-store'

/** A store that outlives its process, with all that was ever written to it. */
export interface Shelf extends StateStore {
  writes: string[]
  newest(): unknown
}

/**
 * @param held what it holds at first
 * @param wrote told of each write
 */
export function shelf(held?: unknown, wrote: (state: unknown) => void = () => {}): Shelf {
  const writes: string[] = []
  const newest = () => {
    const text = writes.at(-1)
    return text === undefined ? held : JSON.parse(text)
  }
  return {
    writes,
    newest,
    load: async () => newest(),
    async save(state) {
      writes.push(JSON.stringify(state))
      wrote(state)
    },
  }
}

/** When all is done that waits for nothing but its turn. */
export const settled = () => new Promise<void>((resolve) => setImmediate(resolve))
