import type { StateStore } from '../../../src/lib/state-store'

/** A store that outlives its process, with all that was ever written to it. */
export interface RecordingStore extends StateStore {
  writes: string[]
  latest(): unknown
}

/**
 * @param initial contents at first
 * @param onWrite called for each write
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
    async save(text) {
      writes.push(text)
      onWrite(JSON.parse(text))
    },
  }
}

/** Resolves after one turn of the event loop. */
export const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))
