/**
 * What runs where the package is installed, as a CycloneDX bill of materials: `npm run -s sbom > sbom.cdx.json`.
 * npm makes it from the lock file. Of the whole lock file it would leave out what development tools use too, so it
 * gets one without them, in a folder that is named as the package, since npm takes the name from there.
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

/** The manifest or the lock file's entry for it, without what only development has or others may bring. */
function shipped<T extends Locked>(manifest: T): Partial<T> {
  const { devDependencies, peerDependencies, peerDependenciesMeta, ...rest } = manifest
  return rest as Partial<T>
}

/** Adds `package.json` and `package-lock.json` of what is installed with the package. */
export function writeShipped(folder: string): void {
  const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'))
  const lock: Lock = read('package-lock.json')
  const packages = Object.entries(lock.packages)
    .filter(([, { dev }]) => !dev)
    .map(([path, locked]) => [path, path === '' ? shipped(locked) : locked])
  const write = (file: string, content: object) =>
    writeFileSync(join(folder, file), `${JSON.stringify(content, null, 2)}\n`)
  write('package.json', shipped(read('package.json')))
  write('package-lock.json', { ...lock, packages: Object.fromEntries(packages) })
}

export async function billOfMaterials(): Promise<string> {
  const folder = join(temporaryFolder('sbom'), packageJson.name)
  mkdirSync(folder, { recursive: true })
  writeShipped(folder)
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
