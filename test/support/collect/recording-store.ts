import type { StateStore } from '../../../src/lib/stored-state'

/** A store that outlives its process, with everything that was ever written to it. */
export interface RecordingStore extends StateStore {
  writes: string[]
  latest(): unknown
}

/**
 * @param initial initial contents
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
    place: 'a recording store',
    writes,
    latest: newest,
    load: async () => newest(),
    async save(text) {
      writes.push(text)
      onWrite(JSON.parse(text))
    },
  }
}

/**
 * A disk that outlives processes. Data that a process is writing when it dies is lost. @param journal the events so far
 */
export function createDisk(journal: { length: number }) {
  /** Length of the journal at the start of each write. */
  const writes: { text: string; length: number }[] = []
  const open = (): StateStore => ({
    place: 'a disk',
    load: async () => JSON.parse(writes.at(-1)?.text ?? 'null'),
    async save(text) {
      const { length } = journal
      await nextTurn()
      if (disk.store === this) writes.push({ text, length })
    },
  })
  const disk = {
    /** The store of the running process. */
    store: open(),
    /** Starts another process. @param older number of the last writes that are lost */
    crash(older: number): void {
      writes.length = Math.max(0, writes.length - older)
      disk.store = open()
    },
    writtenAt: () => writes.at(-1)?.length ?? 0,
    /** Number of characters of all writes. */
    written: () => writes.reduce((sum, { text }) => sum + text.length, 0),
  }
  return disk
}

/** Resolves after one turn of the event loop. */
export const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))
