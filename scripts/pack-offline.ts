/**
 * Packs the package together with its runtime dependencies, for machines without internet (`npm run pack:offline`).
 * Checks that npm installs it from an empty cache and that the nodes load.
 */
import { copyFileSync, cpSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { coldRequire } from '../test/support/cold-require'
import {
  execute,
  installTarball,
  nodesFileOf,
  npmEnvironment,
  type Packed,
  pack,
  packageJson,
  packInto,
  root,
} from '../test/support/package'
import { temporaryFolder } from '../test/support/run'

/** Packs the package as published, with its runtime dependencies included. */
export async function packOffline(): Promise<Packed> {
  const folder = temporaryFolder('offline')
  const { tarball } = await pack()
  await execute('tar', ['-xzf', tarball, '-C', folder])
  const unpacked = join(folder, 'package')
  const bundleDependencies = Object.keys(packageJson.dependencies)
  for (const name of bundleDependencies) {
    cpSync(join(root, 'node_modules', name), join(unpacked, 'node_modules', name), { recursive: true })
  }
  writeFileSync(
    join(unpacked, 'package.json'),
    JSON.stringify({ ...packageJson, bundleDependencies }, null, 2),
  )
  return packInto(folder, unpacked)
}

/**
 * Installs a tarball in the same way as the palette manager, from an empty cache and without a network, and loads the
 * nodes.
 */
export async function installOffline(tarball: string): Promise<void> {
  const userDir = temporaryFolder('offline-user-dir')
  const options = ['--offline', '--cache', temporaryFolder('empty-cache')]
  await installTarball(tarball, userDir, npmEnvironment(), options)
  const installedPackage = join(userDir, 'node_modules', packageJson.name)
  const dependencies = Object.keys(packageJson.dependencies).map((name) =>
    require.resolve(name, { paths: [installedPackage] }),
  )
  await coldRequire(userDir, [nodesFileOf(userDir), ...dependencies])
}

async function main(): Promise<void> {
  const { tarball, size } = await packOffline()
  await installOffline(tarball)
  const target = join(root, basename(tarball).replace(/\.tgz$/, '-offline.tgz'))
  copyFileSync(tarball, target)
  console.log(`${basename(target)}: ${Math.round(size / 1000)} kB, can be installed offline`)
}

if (require.main === module) {
  main().catch((error) => {
    console.error(error)
    process.exitCode = 1
  })
}
