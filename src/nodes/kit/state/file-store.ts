import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { inBackground } from '../../../lib/background'
import { parseOrKeep, type StateStore } from '../../../lib/state-store'

/** Of a gateway's memory card, which wears out. */
const WRITE_INTERVAL_MS = 2000

/** In Node-RED's user directory. */
const FOLDER = 'envlog'

/**
 * The state of a node in a file of its own, `envlog/<id>.json` in Node-RED's user directory: after a power failure it is
 * there as a whole, as it was before the last write or after it.
 * @param onMissing called if there is no file, though other nodes have theirs: the node starts over
 * @param onWriteError called when a write fails and the one before did not
 */
export function createFileStore(
  userDir: string,
  nodeId: string,
  onMissing: () => void,
  onWriteError: (error: Error) => void,
): StateStore {
  const file = fileOf(userDir, nodeId)
  return {
    onWriteError,
    writeIntervalMs: WRITE_INTERVAL_MS,
    async load() {
      try {
        return parseOrKeep(await readFile(file, 'utf8'))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      }
      return undefined
    },
    onMissing() {
      const folder = readdir(dirname(file)).catch(() => [])
      inBackground(folder.then((files) => files.length > 0 && onMissing()))
    },
    save(text) {
      // A write of the node before may be slow.
      const before = writes.get(file) ?? Promise.resolve()
      const write = before.then(() => replaceFile(file, text))
      writes.set(
        file,
        write.catch(() => {}),
      )
      return write
    },
  }
}

/** The last write of each file. */
const writes = new Map<string, Promise<void>>()

async function replaceFile(file: string, text: string): Promise<void> {
  // It holds the key that receipts are signed with.
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const next = await open(`${file}.new`, 'w', 0o600)
  try {
    await next.writeFile(text)
    await next.sync()
  } finally {
    await next.close()
  }
  await rename(`${file}.new`, file)
}

/** Removes the file of a node that was deleted, if it has one. */
export async function removeStateFile(userDir: string, nodeId: string): Promise<void> {
  const file = fileOf(userDir, nodeId)
  await writes.get(file)
  writes.delete(file)
  await rm(file, { force: true })
}

/** A context store that has taken over from the file: the file is removed, as it would be wrong later. */
export function inPlaceOfFile(store: StateStore, userDir: string, nodeId: string): StateStore {
  let isRemoved = false
  return {
    ...store,
    async save(text) {
      await store.save(text)
      if (isRemoved) return
      isRemoved = true
      await removeStateFile(userDir, nodeId)
    },
  }
}

const fileOf = (userDir: string, nodeId: string) =>
  join(userDir, FOLDER, `${encodeURIComponent(nodeId)}.json`)
