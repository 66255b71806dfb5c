import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { inBackground } from '../../../lib/background'
import { parseOrKeep, type StateStore } from '../../../lib/state-writer'

/** The folder in Node-RED's user directory. */
const FOLDER = 'envlog'

/**
 * Keeps the state of a node in a file of its own, `envlog/<id>.json` in Node-RED's user directory. After a power
 * failure, the file is complete: it has the contents before or after the last write.
 * @param onMissing called if the node has no file although other nodes have one, so that the node starts over
 */
export function createFileStore(userDir: string, nodeId: string, onMissing: () => void): StateStore {
  const file = fileOf(userDir, nodeId)
  return {
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
      // An earlier write for this file may still be running.
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
  // Not readable by other users, because the state contains the key that signs receipts.
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await writeFile(`${file}.new`, text, { mode: 0o600, flush: true })
  await rename(`${file}.new`, file)
}

/** Removes the file of a deleted node, if it has one. */
export async function removeStateFile(userDir: string, nodeId: string): Promise<void> {
  const file = fileOf(userDir, nodeId)
  await writes.get(file)
  writes.delete(file)
  await rm(file, { force: true })
}

const fileOf = (userDir: string, nodeId: string) =>
  join(userDir, FOLDER, `${encodeURIComponent(nodeId)}.json`)
