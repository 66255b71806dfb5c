import type { StateStore } from '../../../src/lib/state-store'

/** A store that outlives its process, with all that was ever written to it. */
export interface RecordingStore extends StateStore {
  writes: string[]
  latest(): unknown
}

/**
 * @param initial what it holds at first
 * @param onWrite told of each write
 */
export function createRecordingStore(
  initial?: unknown,
  onWrite: (state: unknown) => void = () => {},
): RecordingStore {
  const writes: string[] = []
  const newest = () => {
    const text = writes.at(-1)
    return text === undefined ? initial : JSON.parse(text)
  }
  return {
    writes,
    latest: newest,
    load: async () => newest(),
    async save(state) {
      writes.push(JSON.stringify(state))
      onWrite(state)
    },
  }
}

/** When all is done that waits for nothing but its turn. */
export const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))
