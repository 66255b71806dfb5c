/** Loads the five nodes in a separate process, and lists the loaded modules. */
import { execute, nodesFileOf } from './package'

/** Runs in the child: loads the files, and reports the types of their exports and all loaded modules. */
const LOAD = `
const files = JSON.parse(process.argv[1])
const kinds = files.map((file) => typeof require(file))
process.stdout.write(JSON.stringify({ kinds, loaded: Object.keys(require.cache) }))
`

export interface Loaded {
  /** `typeof` of each export */
  kinds: string[]
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
