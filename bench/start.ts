/** What the five nodes cost a start of Node-RED, and what they bring with them. */
import { join } from 'node:path'
import { coldRequire, processTime } from '../test/support/cold-require'
import { packageJson, root } from '../test/support/package'
import { median } from './figures'

const TIMES = 11

export interface Start {
  /** ms over an empty process */
  ms: number
  /** Run-time dependencies that are loaded with the nodes. */
  brought: string[]
}

export async function measureStart(): Promise<Start> {
  const files = Object.values(packageJson['node-red'].nodes).map((file) => join(root, file))
  const { loaded } = await coldRequire(root, files)
  const dependencies = Object.keys(packageJson.dependencies)
  const brought = dependencies.filter((name) =>
    loaded.some((file) => file.includes(`/node_modules/${name}/`)),
  )
  const differences: number[] = []
  for (let time = 0; time < TIMES; time++) {
    const empty = await processTime(root, [])
    differences.push((await processTime(root, files)) - empty)
  }
  return { ms: median(differences), brought }
}
