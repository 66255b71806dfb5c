/** What loading the five nodes costs and brings with it, in a process of its own. */
import { execute, nodeFilesOf } from './package'

/** Runs in the child: loads the files, and tells what kind they export and what was loaded on the way. */
const LOAD = `
const files = JSON.parse(process.argv[1])
const start = process.hrtime.bigint()
const kinds = files.map((file) => typeof require(file))
const ms = Number(process.hrtime.bigint() - start) / 1e6
process.stdout.write(JSON.stringify({ kinds, ms, loaded: Object.keys(require.cache) }))
`

export interface Loaded {
  /** `typeof` of each export */
  kinds: string[]
  /** inside the process: time that the `require`s took */
  ms: number
  /** paths of all modules */
  loaded: string[]
}

/** Loads the nodes of an install; `files` for others. */
export async function coldRequire(folder: string, files = nodeFilesOf(folder)): Promise<Loaded> {
  const { stdout } = await execute(process.execPath, ['-e', LOAD, JSON.stringify(files)], {
    cwd: folder,
    env: { PATH: process.env.PATH },
  })
  return JSON.parse(stdout)
}

/** Ms that a whole process takes with these files loaded, its start and end included. */
export async function processTime(folder: string, files: readonly string[]): Promise<number> {
  const start = performance.now()
  await coldRequire(folder, [...files])
  return performance.now() - start
}
