/**
 * Third-party nodes that flows in the tests use, and clients for their counterparts, installed once into `.cache` and
 * kept between runs.
 *
 *     const nodeRed = await startNodeRed(firstRuntime, { packages: ['node-red-node-sqlite'] })
 */
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { execute, installCached, npmEnvironment, root } from './package'
import { onceARun } from './run'
import { installPackageOf } from './servers'

interface PaletteDefinition {
  /** relative to `.cache` */
  folder: string
  /** Exact versions. */
  versions: Record<string, string>
  /** As in package.json. */
  overrides?: Record<string, string>
  /** A compiled module. If it cannot be loaded, the installation fails with the reason, instead of a flow. */
  native?: string
}

/** For dependencies that are not in any registry. */
export const OVERRIDES = { '@openp4nr/modbus-serial': 'npm:modbus-serial@8.0.25' }

const palettes = {
  common: {
    folder: 'nodes',
    versions: {
      'modbus-serial': '8.0.25',
      'node-red-contrib-influxdb': '0.7.0',
      // 5.60 requires Node.js 22.
      'node-red-contrib-modbus': '5.45.2',
      'node-red-contrib-postgrestor-next': '0.5.2',
      'node-red-node-email': '5.2.5',
      'node-red-node-mysql': '3.0.4',
      'node-red-node-sqlite': '1.1.1',
      'sparkplug-payload': '1.0.3',
    },
    overrides: OVERRIDES,
    native: 'sqlite3',
  },
  /** With a server that takes the place of a PLC. */
  s7: {
    folder: 'nodes-s7',
    versions: { 'node-red-contrib-s7': '3.1.3', 'node-snap7': '1.0.9' },
    native: 'node-snap7',
  },
  /** 184 MB. */
  opcua: {
    folder: 'nodes-opcua',
    versions: { 'node-red-contrib-opcua': '0.2.354' },
  },
} satisfies Record<string, PaletteDefinition>

type Palette = keyof typeof palettes

/** This package cannot be installed: what its driver encodes was tested. */
const MSSQL = { 'node-red-contrib-mssql-plus': '0.13.1' }

/** The version of a package with which the examples are tested, and which they name to the editor. */
export function testedVersionOf(packageName: string): string | undefined {
  const lists = Object.values(palettes).map(({ versions }) => versions)
  const versions: Record<string, string> = Object.assign({}, MSSQL, ...lists)
  // The dashboard is one of our own.
  return versions[packageName] ?? versionIn(root, packageName)
}

/** Without optimization, compiling takes a third of the time. */
const WITHOUT_OPTIMIZATION = { CFLAGS: '-O0', CXXFLAGS: '-O0', JOBS: 'max' }

/** The folder of a palette; its packages are in `node_modules`. */
export const paletteFolder = (name: Palette = 'common'): Promise<string> =>
  onceARun(`palette-${name}`, () => install(name))

/** Installs a package into a user directory, if it is not there yet, from a palette or from the project. */
export async function linkPackage(packageName: string, userDir: string): Promise<void> {
  const place = join(userDir, 'node_modules', packageName)
  if (existsSync(place)) return
  // A link to a deleted palette.
  rmSync(place, { force: true })
  const name = (Object.keys(palettes) as Palette[]).find(
    (palette) => packageName in palettes[palette].versions,
  )
  mkdirSync(dirname(place), { recursive: true })
  symlinkSync(join(name ? await paletteFolder(name) : root, 'node_modules', packageName), place)
}

const folderOf = (name: Palette) => join(root, '.cache', palettes[name].folder)

function versionIn(folder: string, packageName: string): string | undefined {
  const file = join(folder, 'node_modules', packageName, 'package.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : undefined
}

export const isPaletteThere = (name: Palette): boolean =>
  Object.entries(palettes[name].versions).every(
    ([wanted, version]) => versionIn(folderOf(name), wanted) === version,
  )

async function install(name: Palette): Promise<string> {
  const folder = folderOf(name)
  if (isPaletteThere(name)) return folder
  const { versions, overrides, native }: PaletteDefinition = palettes[name]
  const manifest = { dependencies: versions, overrides }
  const env = { ...npmEnvironment(), ...WITHOUT_OPTIMIZATION }
  // If there is no prebuilt binary for the machine, it is compiled.
  if (native)
    for (const tool of ['make', 'g++', 'python3'] as const) await installPackageOf(tool).catch(() => {})
  await installCached(palettes[name].folder, manifest, env, async (made) => {
    if (native) await execute(process.execPath, ['-e', `require('${native}')`], { cwd: made })
  })
  return folder
}
