/** Time to load the five nodes at a start of Node-RED, and which dependencies are loaded with them. */
import { join } from 'node:path'
import { coldRequire, processTime } from '../test/support/cold-require'
import { packageJson, root } from '../test/support/package'
import { median } from './figures'

const TIMES = 11

export interface StartupCost {
  /** ms over an empty process */
  ms: number
  /** Run-time dependencies that are loaded with the nodes. */
  dependencies: string[]
}

export async function measureStart(): Promise<StartupCost> {
  const files = [join(root, packageJson['node-red'].nodes.envlog)]
  const { loaded } = await coldRequire(root, files)
  const names = Object.keys(packageJson.dependencies)
  const loadedDependencies = names.filter((name) =>
    loaded.some((file) => file.includes(`/node_modules/${name}/`)),
  )
  const differences: number[] = []
  for (let time = 0; time < TIMES; time++) {
    const empty = await processTime(root, [])
    differences.push((await processTime(root, files)) - empty)
  }
  return { ms: median(differences), dependencies: loadedDependencies }
}
