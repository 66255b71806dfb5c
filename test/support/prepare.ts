/**
 * `npm run test:prepare`: installs what `npm run test:system` needs in addition to `npm ci`, one item after the other.
 * Existing ones are used. Items that cannot be installed are listed at the end, and the exit code is 1.
 */
import { findChromium } from './editor/chromium'
import { isPaletteThere, paletteFolder } from './palette'
import { runtimes } from './runtimes'
import { find, installProgram, type Program, programs } from './servers'

interface Step {
  what: string
  from: string
  isThere?: () => boolean
  install(): Promise<unknown>
  /** The program's requirements, if they are not always met. */
  needs?: string
}

/** Needed only with `REDIS=valkey-server`. */
const OPTIONAL: readonly Program[] = ['valkey-server']

const wanted = (Object.keys(programs) as Program[]).filter(
  (program) => !OPTIONAL.includes(program) || process.env.REDIS === program,
)

const isProgramThere = (program: Program) =>
  find(program) !== undefined || (program.startsWith('chromium') && findChromium() !== undefined)

const debianPackages = [...new Set(wanted.map((program) => programs[program].debian))]

const steps: Step[] = [
  ...debianPackages.map((debian): Step => {
    const brought = wanted.filter((program) => programs[program].debian === debian)
    const [program = brought[0] as Program] = brought.filter((one) => !isProgramThere(one))
    return {
      what: brought.join(', '),
      from: `Debian package ${debian}`,
      isThere: () => brought.every(isProgramThere),
      install: () => installProgram(program),
    }
  }),
  ...runtimes.map((runtime) => ({ what: runtime.title, from: 'npm', install: () => runtime.locate() })),
  {
    what: 'nodes of the examples, of which SQLite is compiled',
    from: 'npm',
    isThere: () => isPaletteThere('common'),
    install: () => paletteFolder('common'),
    needs: 'make, a C++ compiler and Python',
  },
  {
    what: 'nodes of the example with OPC UA',
    from: 'npm',
    isThere: () => isPaletteThere('opcua'),
    install: () => paletteFolder('opcua'),
  },
]

/** The first lines of a message, without the failed command. */
function reasonOf({ message }: Error): string {
  const lines = message.split('\n').filter((line) => /\S/.test(line) && !line.includes('Command failed:'))
  return lines.length > 0 ? lines.slice(0, 2).join('; ') : message
}

async function main(): Promise<void> {
  const missing: string[] = []
  for (const { what, from, isThere, install, needs } of steps) {
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
      const needed = needs ? `, needs ${needs}` : ''
      missing.push(`${what} (${from}${needed}): ${reasonOf(error as Error)}`)
    }
  }
  if (missing.length === 0) return
  console.error(`\nThe system tests need these. Install them, then try again:\n  ${missing.join('\n  ')}`)
  process.exitCode = 1
}

void main()
