/** The semver with which Node-RED itself reads versions. */
import { createRequire } from 'node:module'

export const semver = createRequire(require.resolve('node-red'))('semver') as {
  satisfies(version: string, range: string): boolean
  minVersion(range: string): { version: string }
  validRange(range: string): string | null
}

/** Whether a package with this `engines.node` runs on that Node.js. */
export const runsOn = (node: string, engines = '*'): boolean => semver.satisfies(node, engines)
