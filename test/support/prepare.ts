/**
 * Installs what `npm run test:system` needs in addition to `npm ci`, while the tests already run: each waits for what it
 * needs itself. Existing items are used. Those that cannot be installed are listed at the end.
 */
import { installChromium } from './editor/chromium'
import { paletteFolder } from './palette'
import { runtimes } from './runtimes'
import { installPackageOf, type Program, programs } from './servers'

interface Step {
  what: string
  install(): Promise<unknown>
}

/** Needed only with `REDIS=valkey-server`. */
const OPTIONAL: readonly Program[] = ['valkey-server']

const debianPackages: Step[] = (Object.keys(programs) as Program[])
  .filter((program) => !OPTIONAL.includes(program) || process.env.REDIS === program)
  .map((program) => ({
    what: program,
    install: () => (program === 'chromium-headless-shell' ? installChromium() : installPackageOf(program)),
  }))

const nodeReds = runtimes.map((runtime): Step => ({ what: runtime.title, install: () => runtime.locate() }))

const palettes: Step[] = [
  {
    what: 'nodes of the examples, of which SQLite is compiled (make, a C++ compiler and Python)',
    install: () => paletteFolder('common'),
  },
  { what: 'nodes of the example with S7, and a PLC (compiled)', install: () => paletteFolder('s7') },
  { what: 'nodes of the example with OPC UA', install: () => paletteFolder('opcua') },
]

/** Installs one after the other. @returns what could not be installed, and why */
async function installAll(steps: readonly Step[]): Promise<string[]> {
  const missing: string[] = []
  for (const { what, install } of steps) {
    const start = performance.now()
    await install().catch((error: Error) => missing.push(`${what}: ${reasonOf(error)}`))
    const seconds = Math.round((performance.now() - start) / 1000)
    if (seconds > 0) console.log(`${what}: ready after ${seconds} s`)
  }
  return missing
}

/** The first lines of a message, without the failed command. */
function reasonOf({ message }: Error): string {
  const lines = message.split('\n').filter((line) => /\S/.test(line) && !line.includes('Command failed:'))
  return lines.length > 0 ? lines.slice(0, 2).join('; ') : message
}

async function prepare(): Promise<void> {
  const missing = (await Promise.all([debianPackages, nodeReds, palettes].map(installAll))).flat()
  if (missing.length === 0) return
  console.error(`\nThe system tests need these. Install them, then try again:\n  ${missing.join('\n  ')}`)
  process.exitCode = 1
}

/** mocha calls this in its first process. */
export const mochaGlobalSetup = (): void => void prepare()

// `npm run test:prepare`
if (require.main === module) void prepare()
