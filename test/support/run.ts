/**
 * One run of the tests may have several processes (mocha's parallel mode). They share a folder in which expensive
 * fixtures are created once: by the first process that needs them, while the others wait.
 *
 *     const tarball = await onceARun('pack', async () => …)
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Whether this is `npm run test:system`: then there are programs and packages that `npm ci` does not install. */
export const isSystem = process.env.ENVLOG_TEST_TIER === 'system'

const VARIABLE = 'ENVLOG_TEST_RUN'
const INTERVAL_MS = 50
/** Longer than any installation. */
const LOCKED_MS = 600_000

/** The folder of this run. The process that created it removes it at the end. */
function runFolder(): string {
  const shared = process.env[VARIABLE]
  if (shared) return shared
  const made = mkdtempSync(join(tmpdir(), 'envlog-test-'))
  // If we are root, PostgreSQL runs as another user.
  chmodSync(made, 0o755)
  process.env[VARIABLE] = made
  process.once('exit', () => rmSync(made, { recursive: true, force: true, maxRetries: 3 }))
  return made
}

/** mocha calls this before it starts processes, which inherit the folder. */
export const beginRun = (): void => void runFolder()

/** Creates a folder that is removed when the run ends. */
export function temporaryFolder(purpose: string): string {
  return mkdtempSync(join(runFolder(), `${purpose}-`))
}

/** Runs `work` while no other process of the run does so under the same name. */
export async function exclusively<T>(name: string, work: () => Promise<T>): Promise<T> {
  const lock = join(runFolder(), `${name}.lock`)
  for (const end = Date.now() + LOCKED_MS; !take(lock); await sleep(INTERVAL_MS)) {
    if (Date.now() > end) throw new Error(`Another process has held '${name}' for ${LOCKED_MS / 1000} s`)
  }
  try {
    return await work()
  } finally {
    rmdirSync(lock)
  }
}

function take(lock: string): boolean {
  try {
    mkdirSync(lock)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

const known = new Map<string, Promise<unknown>>()

/** The result of `make`, stored as JSON. If it fails, it fails for all. */
export function onceARun<T>(name: string, make: () => Promise<T>): Promise<T> {
  const promise = (known.get(name) as Promise<T> | undefined) ?? exclusively(name, () => madeOnce(name, make))
  known.set(name, promise)
  return promise
}

interface Made<T> {
  value?: T
  failed?: string
}

async function madeOnce<T>(name: string, make: () => Promise<T>): Promise<T> {
  const file = join(runFolder(), `${name}.json`)
  if (!existsSync(file)) {
    const made: Made<T> = await make().then(
      (value) => ({ value }),
      (error: Error) => ({ failed: error.stack ?? error.message }),
    )
    writeFileSync(file, JSON.stringify(made))
  }
  const { value, failed } = JSON.parse(readFileSync(file, 'utf8')) as Made<T>
  if (failed !== undefined) throw new Error(failed)
  return value as T
}
