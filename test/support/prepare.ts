/**
 * `npm run test:prepare`: installs what `npm run test:system` needs and `npm ci` does not bring, one thing after the
 * other. What is there already is used. What cannot be installed is listed at the end, and the exit code is 1.
 */
import { findChromium } from './editor/chromium'
import { paletteFolder } from './palette'
import { runtimes } from './runtimes'
import { find, installProgram, type Program, programs } from './servers'

interface Step {
  what: string
  from: string
  isThere?: () => boolean
  install(): Promise<unknown>
}

/** Only `REDIS=valkey-server` needs it. */
const OPTIONAL: readonly Program[] = ['valkey-server']

const steps: Step[] = [
  ...(Object.keys(programs) as Program[])
    .filter((program) => !OPTIONAL.includes(program) || process.env.REDIS === program)
    .map((program) => ({
      what: program,
      from: `Debian package ${programs[program].debian}`,
      isThere: () =>
        find(program) !== undefined || (program.startsWith('chromium') && findChromium() !== undefined),
      install: () => installProgram(program),
    })),
  ...runtimes.map((runtime) => ({ what: runtime.title, from: 'npm', install: () => runtime.locate() })),
  ...(['common', 'opcua'] as const).map((name) => ({
    what: `nodes of the examples (${name})`,
    from: 'npm',
    install: () => paletteFolder(name),
  })),
]

async function main(): Promise<void> {
  const missing: string[] = []
  for (const { what, from, isThere, install } of steps) {
    if (isThere?.()) {
      console.log(`${what}: there`)
      continue
    }
    console.log(`${what}: from ${from} …`)
    const start = Date.now()
    try {
      await install()
      console.log(`${what}: ready after ${Math.round((Date.now() - start) / 1000)} s`)
    } catch (error) {
      missing.push(`${what} (${from}): ${(error as Error).message.split('\n').slice(0, 3).join(' ')}`)
    }
  }
  if (missing.length === 0) return
  console.error(`\nThe system tests need these. Install them, then try again:\n  ${missing.join('\n  ')}`)
  process.exitCode = 1
}

void main()
