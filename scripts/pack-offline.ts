/**
 * `npm run pack:offline`: packs a tarball for machines without internet, and tests it: installs only the tarball and
 * loads all nodes.
 */
import { copyFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { coldRequire } from '../test/support/cold-require'
import { nodesFileOf, packageJson, root } from '../test/support/package'
import { installOffline, packOffline } from './offline'

async function main(): Promise<void> {
  const { tarball, size, files } = await packOffline()
  const folder = await installOffline(tarball, ['--offline'])
  const dependencies = Object.keys(packageJson.dependencies).map((name) =>
    require.resolve(name, { paths: [join(folder, 'node_modules', packageJson.name)] }),
  )
  const { kinds } = await coldRequire(folder, [nodesFileOf(folder), ...dependencies])
  if (kinds[0] !== 'function') throw new Error('the nodes do not load')
  const target = join(root, basename(tarball).replace(/\.tgz$/, '-offline.tgz'))
  await copyFile(tarball, target)
  console.log(
    `Installed offline with an empty cache: the nodes load, with ${dependencies.length} dependencies`,
  )
  console.log(`inside. ${Math.round(size / 1000)} kB, ${files.length} files: ${basename(target)}`)
}

main().catch((error) => {
  console.error(error)
  process.exitCode = 1
})
