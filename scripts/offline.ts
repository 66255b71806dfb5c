/** Packs the package with its run-time dependencies, and installs it where npm has only the tarball. */
import { readFileSync, writeFileSync } from 'node:fs'
import { mkdir, rename } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import {
  execute,
  installTarball,
  npmEnvironment,
  type Packed,
  pack,
  packageJson,
  packInto,
} from '../test/support/package'
import { temporaryFolder } from '../test/support/run'
import { writeRuntimeManifest } from './sbom'

const MODULES = 'node_modules'

/** Packs the published tarball together with the locked dependencies; package.json in the source stays unchanged. */
export async function packOffline(): Promise<Packed> {
  const folder = temporaryFolder('offline')
  const { tarball } = await pack()
  await execute('tar', ['-xzf', tarball, '-C', folder])
  const unpacked = join(folder, 'package')
  await rename(await lockedModules(folder), join(unpacked, MODULES))
  const file = join(unpacked, 'package.json')
  const manifest = JSON.parse(readFileSync(file, 'utf8'))
  const bundling = { ...manifest, bundleDependencies: Object.keys(packageJson.dependencies) }
  writeFileSync(file, `${JSON.stringify(bundling, null, 2)}\n`)
  const packed = join(folder, 'packed')
  await mkdir(packed)
  return packInto(packed, unpacked)
}

/** Installs only the run-time dependencies, at the locked versions. */
async function lockedModules(folder: string): Promise<string> {
  const lockedFolder = join(folder, 'locked')
  await mkdir(lockedFolder)
  writeRuntimeManifest(lockedFolder)
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline']
  await execute('npm', ['ci', ...options], { cwd: lockedFolder, env: npmEnvironment() })
  return join(lockedFolder, MODULES)
}

/**
 * Creates a Node-RED user directory and installs the package as the palette manager does: with an empty cache, without
 * npm settings, and with a registry that does not answer.
 */
export async function installOffline(tarball: string, more: readonly string[] = []): Promise<string> {
  const folder = temporaryFolder('offline-user-dir')
  const surroundings = temporaryFolder('offline-npm')
  const settings = join(surroundings, 'npmrc')
  writeFileSync(settings, '')
  const plain = Object.entries(npmEnvironment()).filter(([name]) => !/^npm_|_proxy$/i.test(name))
  const env = {
    ...Object.fromEntries(plain),
    HOME: surroundings,
    npm_config_cache: join(surroundings, 'cache'),
    npm_config_userconfig: settings,
    npm_config_globalconfig: join(surroundings, 'none'),
    npm_config_registry: `http://127.0.0.1:${await closedPort()}/`,
    npm_config_fetch_retries: '0',
    npm_config_update_notifier: 'false',
  }
  await installTarball(tarball, folder, env, more)
  return folder
}

async function closedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (typeof address !== 'object' || !address) throw new Error('no port')
  return address.port
}
