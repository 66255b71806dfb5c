/** Measures in a separate process the time to load the five nodes, and lists the loaded modules. */
import { execute, nodesFileOf } from './package'

/** Runs in the child: loads the files, and reports the types of their exports and all loaded modules. */
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
  /** time of the `require` calls inside the process */
  ms: number
  /** paths of all modules */
  loaded: string[]
}

/** Loads the nodes of an install; `files` for others. */
export async function coldRequire(folder: string, files = [nodesFileOf(folder)]): Promise<Loaded> {
  const { stdout } = await execute(process.execPath, ['-e', LOAD, JSON.stringify(files)], {
    cwd: folder,
    env: { PATH: process.env.PATH },
  })
  return JSON.parse(stdout)
}

/** Duration of a process that loads these files, in ms, including its start and end. */
export async function processTime(folder: string, files: readonly string[]): Promise<number> {
  const start = performance.now()
  await coldRequire(folder, [...files])
  return performance.now() - start
}
