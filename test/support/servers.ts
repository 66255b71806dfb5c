/**
 * Programs that tests start: servers, and a browser. Missing ones are installed, as root on a Debian-like system,
 * without starting their services.
 *
 *     const influxd = await findOrInstall('influxd')
 */
import { accessSync, constants, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { execute } from './package'
import { exclusively, onceARun } from './run'

/** Program → Debian package, and the services that it would start; the first ones are needed first. */
export const programs = {
  'chromium-headless-shell': { debian: 'chromium-headless-shell', services: [] },
  // The SQLite node is compiled.
  make: { debian: 'make', services: [] },
  'g++': { debian: 'g++', services: [] },
  python3: { debian: 'python3', services: [] },
  'redis-server': { debian: 'redis-server', services: ['redis-server'] },
  'valkey-server': { debian: 'valkey-server', services: ['valkey-server'] },
  mosquitto: { debian: 'mosquitto', services: ['mosquitto'] },
  postgres: { debian: 'postgresql', services: ['postgresql'] },
  initdb: { debian: 'postgresql', services: ['postgresql'] },
  influxd: { debian: 'influxdb', services: ['influxdb'] },
  mariadbd: { debian: 'mariadb-server-core', services: [] },
  'mariadb-install-db': { debian: 'mariadb-server-core', services: [] },
  // mariadb-install-db needs it.
  my_print_defaults: { debian: 'mariadb-client-core', services: [] },
} as const

export type Program = keyof typeof programs

/** Debian runs this script before it starts a service; exit code 101 forbids the start. */
const POLICY = '/usr/sbin/policy-rc.d'
const POSTGRES = '/usr/lib/postgresql'
const LOCK_SECONDS = 120

/** The path of the program. @throws Error that says what to install */
export async function findOrInstall(program: Program): Promise<string> {
  await installPackageOf(program)
  const found = find(program)
  if (!found) throw new Error(adviceFor(program))
  return found
}

const adviceFor = (program: Program) =>
  `${program} is missing: install the Debian package ${programs[program].debian}, or put ${program} on the PATH`

/** Programs of the same Debian package. */
const broughtWith = (program: Program) =>
  (Object.keys(programs) as Program[]).filter((other) => programs[other].debian === programs[program].debian)

/**
 * Installs the Debian package of a program, if a part of it is missing. Others wait, because a program that is being
 * installed is found before it can run. @throws Error that says what to install
 */
export const installPackageOf = (
  program: Program,
  isThere = () => broughtWith(program).every((one) => find(one) !== undefined),
): Promise<void> =>
  onceARun(`debian-${programs[program].debian}`, async () => {
    if (!isThere()) await exclusively('apt-get', () => install(program))
  })

async function install(program: Program): Promise<void> {
  const { debian, services } = programs[program]
  if (process.getuid?.() !== 0 || !find('apt-get')) throw new Error(adviceFor(program))
  await onceARun('apt-get-update', () => apt('update'))
  const forbid = !existsSync(POLICY)
  if (forbid) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  try {
    await apt('install', '--yes', '--no-install-recommends', debian)
  } finally {
    if (forbid) rmSync(POLICY)
  }
  // Not on the next start of the machine either.
  if (services.length > 0 && existsSync('/run/systemd/system'))
    await execute('systemctl', ['disable', '--now', ...services])
}

function apt(...words: string[]): Promise<unknown> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const options = ['-qq', '-o', `DPkg::Lock::Timeout=${LOCK_SECONDS}`]
  return execute('apt-get', [...options, ...words], { env })
}

/** The path of an executable program. */
export function find(program: Program | 'apt-get'): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const versions = existsSync(POSTGRES) ? readdirSync(POSTGRES) : []
  const newest = versions.toSorted((a, b) => Number(b) - Number(a)).map((name) => join(POSTGRES, name, 'bin'))
  return [...newest, ...folders, '/usr/sbin', '/usr/local/sbin']
    .map((folder) => join(folder, program))
    .find(canRun)
}

export function canRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
