import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type Clock, systemClock } from '../../../lib/clock'
import { orNoResponse, parseOrKeep, type StateStore } from '../../../lib/stored-state'

/** A write that takes longer no longer delays the next one of its file. */
const MAX_WRITE_MS = 600_000
/** The folder in Node-RED's user directory. */
const FOLDER = 'envlog'

/**
 * Keeps the state of a node in a file of its own, `envlog/<id>.json` in Node-RED's user directory. After a power
 * failure, the file is complete: it has the contents before or after the last write.
 * @param onMissing called if the node has no file, so that the node starts over
 */
export function createFileStore(
  userDir: string,
  nodeId: string,
  onMissing: () => void,
  clock = systemClock,
): StateStore {
  const file = fileOf(userDir, nodeId)
  return {
    place: file,
    async load() {
      try {
        return parseOrKeep(await readFile(file, 'utf8'))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      }
      return undefined
    },
    onMissing,
    save(text) {
      const before = lastWrite(file, clock)
      newest.set(file, text)
      const write = before.then(() => replaceFile(file))
      writes.set(
        file,
        write.catch(() => {}),
      )
      return write
    },
  }
}

/** Another Node-RED with the same user directory must not write to the same file. In containers, both may have one pid. */
const WRITER = randomUUID()
/** The last write of each file, and the text to be written. */
const writes = new Map<string, Promise<void>>()
const newest = new Map<string, string>()

/** Number of writes that have begun. */
let begun = 0
/** The last write of each file that has begun. */
const current = new Map<string, number>()

/**
 * Waits for the last write of a file, which may still be running on a disk that does not respond. It is given up rather
 * late, because it occupies one of the few threads that access files.
 */
const lastWrite = (file: string, clock: Clock): Promise<void> =>
  orNoResponse(writes.get(file) ?? Promise.resolve(), clock, MAX_WRITE_MS).catch(() => {})

async function replaceFile(file: string): Promise<void> {
  const text = newest.get(file)
  if (text === undefined) return
  newest.delete(file)
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const write = ++begun
  current.set(file, write)
  const temporary = `${file}.${WRITER}-${write}.new`
  try {
    await writeFile(temporary, text, { mode: 0o600, flush: true })
    if (current.get(file) === write) await rename(temporary, file)
    // It was given up, and must not replace what was written since then.
    else await rm(temporary, { force: true })
  } catch (error) {
    // On a full disk, it would take the space that the next write needs.
    await rm(temporary, { force: true }).catch(() => {})
    throw error
  }
}

/** Removes the file of a deleted node, if it has one, and the new files that processes were writing when they ended. */
export async function removeStateFile(userDir: string, nodeId: string): Promise<void> {
  const file = fileOf(userDir, nodeId)
  await lastWrite(file, systemClock)
  writes.delete(file)
  await rm(file, { force: true })
  const folder = dirname(file)
  const isLeft = (name: string) => name.startsWith(`${basename(file)}.`) && name.endsWith('.new')
  for (const name of (await readdir(folder).catch(() => [])).filter(isLeft))
    await rm(join(folder, name), { force: true })
}

const fileOf = (userDir: string, nodeId: string) =>
  join(userDir, FOLDER, `${encodeURIComponent(nodeId)}.json`)
