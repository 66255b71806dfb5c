/**
 * The package as npm would publish it: packed once per run, and installed like the palette manager does. `dist` is
 * packed unchanged; build first.
 */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { chmod, cp, mkdir, readdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { onceARun, temporaryFolder } from './run'

export const execute = promisify(execFile)

export const root = dirname(dirname(__dirname))

interface PackageJson {
  name: string
  version: string
  license: string
  keywords: string[]
  engines: { node: string }
  bin: Record<string, string>
  dependencies: Record<string, string>
  peerDependencies: Record<string, string>
  peerDependenciesMeta: object
  'node-red': { version: string; nodes: { envlog: string } }
}

export const packageJson: PackageJson = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

export interface Packed {
  /** the .tgz */
  tarball: string
  /** paths inside the package */
  files: string[]
  /** size of the tarball and of its contents, in bytes */
  size: number
  unpackedSize: number
}

/** The environment for npm, without variables of an npm that started this process; `node` comes first in the path. */
export function npmEnvironment(node = process.execPath): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^npm_(?:package|lifecycle|command|config_local_prefix)/i.test(name),
  )
  return {
    ...Object.fromEntries(inherited),
    PATH: [dirname(node), process.env.PATH].join(delimiter),
    npm_config_update_notifier: 'false',
  }
}

export const pack = (): Promise<Packed> => onceARun('pack', () => packInto(temporaryFolder('pack')))

/** Packs the package in `from` into `folder`. */
export async function packInto(folder: string, from = root): Promise<Packed> {
  const options = ['--json', '--ignore-scripts', '--pack-destination', folder]
  const { stdout } = await execute('npm', ['pack', ...options], { cwd: from, env: npmEnvironment() })
  // An array or, from npm 11 on, an object by package name.
  const [packed] = Object.values(JSON.parse(stdout)) as [
    { filename: string; size: number; unpackedSize: number; files: { path: string }[] },
  ]
  const [tarball] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'))
  return {
    tarball: join(folder, tarball ?? packed.filename),
    files: packed.files.map(({ path }) => path),
    size: packed.size,
    unpackedSize: packed.unpackedSize,
  }
}

/** Installs into a new user directory, like the palette manager; `more` are options for npm. */
export async function installTarball(
  tarball: string,
  folder: string,
  env: NodeJS.ProcessEnv,
  more: readonly string[] = [],
): Promise<void> {
  const manifest = { name: 'node-red-project', version: '0.0.1', private: true }
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
  const palette = ['--no-audit', '--no-update-notifier', '--no-fund', '--save', '--save-prefix=~']
  const options = [...palette, '--omit=dev', '--engine-strict', ...more, '--prefix', folder]
  await execute('npm', ['install', ...options, tarball], { cwd: folder, env })
}

/**
 * Installs packages into a folder of `.cache`, which is kept between runs. Installed elsewhere and then moved, so that an
 * incomplete installation is never used.
 * @param check fails if the installation cannot be used
 */
export async function installCached(
  name: string,
  manifest: object,
  env: NodeJS.ProcessEnv,
  check?: (folder: string) => Promise<unknown>,
): Promise<void> {
  const folder = join(root, '.cache', name)
  const made = `${folder}.${process.pid}`
  await mkdir(made, { recursive: true })
  await writeFile(join(made, 'package.json'), JSON.stringify({ private: true, ...manifest }))
  const options = ['--omit=dev', '--no-audit', '--no-fund', '--prefix', made]
  await execute('npm', ['install', ...options], { cwd: made, env })
  await check?.(made)
  await rm(folder, { recursive: true, force: true })
  await rename(made, folder)
}

/**
 * A user directory with the installed package, created once per run; do not modify it. It looks like npm's result, but
 * needs neither a registry nor npm's cache: the dependencies are copied from where `npm ci` has put them.
 */
export function installed(): Promise<string> {
  return onceARun('installed', async () => {
    const folder = temporaryFolder('installed')
    const { name, version, bin } = packageJson
    const dependencies = Object.keys(packageJson.dependencies)
    const modules = join(folder, 'node_modules')
    const own = join(modules, name)
    const commands = join(modules, '.bin')
    for (const each of [own, commands]) await mkdir(each, { recursive: true })
    const { tarball } = await pack()
    await execute('tar', ['-xzf', tarball, '-C', own, '--strip-components', '1'])
    for (const each of dependencies) {
      await cp(join(root, 'node_modules', each), join(modules, each), { recursive: true })
    }
    for (const [command, file] of Object.entries(bin)) {
      await chmod(join(own, file), 0o755)
      await symlink(join('..', name, file), join(commands, command))
    }
    const manifest = { name: 'node-red-project', private: true, dependencies: { [name]: `~${version}` } }
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
    return folder
  })
}

/** Size of all files in a folder, in bytes. */
export async function weightOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true })
  const files = entries.filter((entry) => entry.isFile())
  const sizes = await Promise.all(
    files.map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** Absolute path of the nodes' js in an installation. */
export function nodesFileOf(folder: string): string {
  return join(folder, 'node_modules', packageJson.name, packageJson['node-red'].nodes.envlog)
}
