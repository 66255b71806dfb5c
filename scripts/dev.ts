/**
 * Builds and runs the demo, and does so again whenever a watched file changes. If a build fails, the demo keeps
 * running. Node-RED accepts a debugger on port 9229, or with `npm run dev -- --inspect=<port>` on another one.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { watch } from 'node:fs'
import { dirname, join } from 'node:path'

const root = dirname(__dirname)
const watched = ['src', 'locales', 'docs', 'simulator', 'demo', 'examples']
const QUIET_MS = 300
const nodeOptions = ['--enable-source-maps', '--inspect', ...process.argv.slice(2)]

let running: ChildProcess | undefined
let timer: NodeJS.Timeout | undefined
let ending = false

function build(): boolean {
  return (
    spawnSync('npm run --silent build -- --debug', { cwd: root, stdio: 'inherit', shell: true }).status === 0
  )
}

function run(): void {
  const demo = spawn(process.execPath, ['--require', 'tsx/cjs', join('demo', 'start.ts'), ...nodeOptions], {
    cwd: root,
    stdio: 'inherit',
    detached: process.platform !== 'win32',
  })
  running = demo
  demo.once('exit', (code) => {
    if (demo !== running) return
    running = undefined
    if (!ending && code) console.error(`The demo exited with code ${code}. Waiting for a change.`)
  })
}

async function stop(): Promise<void> {
  const demo = running
  running = undefined
  if (!demo || demo.exitCode !== null) return
  demo.kill('SIGTERM')
  await new Promise((resolve) => demo.once('exit', resolve))
}

async function rebuild(): Promise<void> {
  console.log('\nA file changed. Building …')
  if (!build() || ending) return
  await stop()
  run()
}

for (const folder of watched) {
  watch(join(root, folder), { recursive: true }, () => {
    clearTimeout(timer)
    timer = setTimeout(() => void rebuild(), QUIET_MS)
  })
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    ending = true
    void stop().then(() => process.exit(0))
  })
}

if (build()) run()
