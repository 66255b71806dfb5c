/**
 * Prints the CycloneDX bill of materials of the installed package: `npm run -s sbom > sbom.cdx.json`. npm makes it from
 * a lock file. From the whole lock file it would leave out packages that development tools use as well, and list those
 * that only optional peers need, so it gets one with the run-time dependencies, in a folder with the package's name, from
 * which npm takes the name.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { execute, npmEnvironment, packageJson, root } from '../test/support/package'
import { temporaryFolder } from '../test/support/run'

interface Locked {
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  devDependencies?: unknown
  peerDependencies?: unknown
  peerDependenciesMeta?: unknown
}

interface Lock {
  packages: Record<string, Locked>
}

/** The manifest, or its entry in the lock file, without development and peer dependencies. */
function withoutDevelopment<T extends Locked>(manifest: T): Partial<T> {
  const { devDependencies, peerDependencies, peerDependenciesMeta, ...rest } = manifest
  return rest as Partial<T>
}

/** Where Node.js finds a package that the one at a path needs. */
function resolve(packages: Lock['packages'], from: string, name: string): string {
  const path = join(from, 'node_modules', name)
  return packages[path] || from === '.' ? path : resolve(packages, dirname(from), name)
}

/** Paths of the package and of all that it needs at run time. */
function runtimePaths(packages: Lock['packages'], path = '', found = new Set<string>()): Set<string> {
  if (found.has(path)) return found
  found.add(path)
  const { dependencies, optionalDependencies } = packages[path] ?? {}
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    runtimePaths(packages, resolve(packages, path || '.', name), found)
  }
  return found
}

/** Writes a `package.json` and `package-lock.json` with only the run-time dependencies. */
export function writeRuntimeManifest(folder: string): void {
  const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'))
  const lock: Lock = read('package-lock.json')
  const needed = runtimePaths(lock.packages)
  const packages = Object.entries(lock.packages)
    .filter(([path]) => needed.has(path))
    .map(([path, locked]) => [path, path === '' ? withoutDevelopment(locked) : locked])
  const write = (file: string, content: object) =>
    writeFileSync(join(folder, file), `${JSON.stringify(content, null, 2)}\n`)
  write('package.json', withoutDevelopment(read('package.json')))
  write('package-lock.json', { ...lock, packages: Object.fromEntries(packages) })
}

export async function billOfMaterials(): Promise<string> {
  const folder = join(temporaryFolder('sbom'), packageJson.name)
  mkdirSync(folder, { recursive: true })
  writeRuntimeManifest(folder)
  const options = ['--sbom-format', 'cyclonedx', '--sbom-type', 'library', '--package-lock-only']
  const { stdout } = await execute('npm', ['sbom', ...options], { cwd: folder, env: npmEnvironment() })
  return stdout
}

if (require.main === module) {
  billOfMaterials().then(
    (bill) => process.stdout.write(bill),
    (error) => {
      console.error(error)
      process.exitCode = 1
    },
  )
}
