/**
 * Packs the package together with its runtime dependencies, for machines without internet (`npm run pack:offline`).
 * Checks that npm installs it from an empty cache and that the nodes load.
 */
import { once } from 'node:events'
import { copyFileSync, cpSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
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
  // npm would ask the registry for a peer, even for an optional one, and wait for minutes if it does not answer.
  const { peerDependencies: _, peerDependenciesMeta: __, ...manifest } = packageJson
  writeFileSync(join(unpacked, 'package.json'), JSON.stringify({ ...manifest, bundleDependencies }, null, 2))
  return packInto(folder, unpacked)
}

/**
 * Installs a tarball in the same way as the palette manager, from an empty cache, and loads the nodes. Fails if npm asks
 * the registry for anything; `--offline` would hide that.
 */
export async function installOffline(tarball: string): Promise<void> {
  const userDir = temporaryFolder('offline-user-dir')
  let requests = 0
  const registry = createServer((socket) => {
    requests++
    socket.destroy()
  })
  await once(registry.listen(0, '127.0.0.1'), 'listening')
  const { port } = registry.address() as AddressInfo
  const options = ['--registry', `http://127.0.0.1:${port}`, '--cache', temporaryFolder('empty-cache')]
  try {
    await installTarball(tarball, userDir, npmEnvironment(), [...options, '--fetch-retries', '0'])
  } finally {
    registry.close()
  }
  if (requests > 0) throw new Error('npm has asked the registry')
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
