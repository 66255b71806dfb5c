/**
 * Prints the CycloneDX bill of materials of the installed package: `npm run -s sbom > sbom.cdx.json`. npm makes it from
 * a lock file. From the whole lock file it would leave out packages that development tools use as well, so it gets one
 * without development dependencies, in a folder with the package's name, from which npm takes the name.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execute, npmEnvironment, packageJson, root } from '../test/support/package'
import { temporaryFolder } from '../test/support/run'

interface Locked {
  dev?: boolean
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

/** Writes a `package.json` and `package-lock.json` with only the run-time dependencies. */
export function writeRuntimeManifest(folder: string): void {
  const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'))
  const lock: Lock = read('package-lock.json')
  const packages = Object.entries(lock.packages)
    .filter(([, { dev }]) => !dev)
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
