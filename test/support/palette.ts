/** Other people's nodes that flows of the tests use, installed once into `.cache` and kept between runs. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execute, npmEnvironment, root } from './package'
import { onceARun } from './run'

/** Exact versions. sqlite3 is native: without a ready build for the machine it is compiled (make, C++, Python). */
const versions = {
  // No node: grammars of SQL, and what they run on. Its newest version, 0.5.0-dev, does not load.
  antlr4ts: '0.5.0-alpha.4',
  'antlr4ts-sql': '1.1.0',
  'node-red-contrib-influxdb': '0.7.0',
  'node-red-contrib-mssql-plus': '0.13.1',
  'node-red-contrib-postgrestor-next': '0.5.2',
  'node-red-node-email': '5.2.5',
  'node-red-node-mysql': '3.0.4',
  'node-red-node-sqlite': '1.1.1',
  'sparkplug-payload': '1.0.3',
} as const

const folder = join(root, '.cache', 'nodes')

/** A folder for Node-RED's `nodesDir`. Made beside and moved, so that a broken install is never taken for a whole one. */
export const paletteFolder = (): Promise<string> => onceARun('palette', install)

async function install(): Promise<string> {
  if (Object.entries(versions).every(([name, version]) => installedVersion(name) === version)) return folder
  const made = `${folder}.${process.pid}`
  mkdirSync(made, { recursive: true })
  await writeFile(join(made, 'package.json'), JSON.stringify({ private: true }))
  const wanted = Object.entries(versions).map(([name, version]) => `${name}@${version}`)
  const options = ['--omit=dev', '--no-audit', '--no-fund', '--save-exact', '--prefix', made]
  await execute('npm', ['install', ...options, ...wanted], { cwd: made, env: npmEnvironment() })
  // Fails here, with the reason, and not in the middle of a flow.
  await execute(process.execPath, ['-e', "require('sqlite3')"], { cwd: made })
  rmSync(folder, { recursive: true, force: true })
  renameSync(made, folder)
  return folder
}

function installedVersion(name: string): string | undefined {
  const file = join(folder, 'node_modules', name, 'package.json')
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')).version as string) : undefined
}
