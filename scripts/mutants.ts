/**
 * Mutation tests: runs the tests with each patch of `test/mutants`, first the nearest group of tests, then larger ones,
 * until one fails. Lists the patches that no test found. They are applied to a checkout of HEAD: commit first.
 *
 *     npm run mutants              all
 *     npm run mutants -- quota-03  those whose names begin with this
 *     npm run mutants -- --near    without whole Node-REDs and browsers
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { execute, root } from '../test/support/package'
import { temporaryFolder } from '../test/support/run'

/** Checkouts that are tested at the same time. */
const JOBS = 2
const MAX_RUN_MS = 600_000
const folder = join(root, 'test', 'mutants')

interface Mutant {
  name: string
  patch: string
  /** What goes wrong for a user, in one sentence. */
  fault: string
  /** The file of `src` that it changes. */
  file: string
}

type Outcome = 'found' | 'survives' | 'does not build'

interface Group {
  title: string
  specs: readonly string[]
  /** Uses whole Node-REDs or browsers, so the tests mostly wait and can run in parallel. */
  isFar?: boolean
}

const UNIT: Group = { title: 'unit', specs: ['test/{lib,kit,editor,contract}/**/*.spec.ts'] }
const NODES: Group = { title: 'nodes', specs: ['test/{nodes,faults,redis}/**/*.spec.ts'] }
const EDITOR: Group = { title: 'editor', specs: ['test/e2e/editor/*.spec.ts'], isFar: true }
const REST: Group = {
  title: 'npm test',
  specs: ['test/{simulator,check,pack}/**/*.spec.ts', 'test/{e2e,demo}/**/*.spec.ts'],
  isFar: true,
}

/** The tests of a file of `src`. */
function nearest(file: string): Group {
  const [, part = '', subfolder = ''] = file.split('/')
  const specs =
    existsSync(join(root, 'test', part, subfolder)) && !subfolder.includes('.')
      ? `${part}/${subfolder}`
      : part
  const own: Record<string, readonly string[]> = {
    editor: ['test/editor/*.spec.ts'],
    nodes: ['test/kit/*.spec.ts', 'test/nodes/*.spec.ts'],
    shared: ['test/{kit,editor}/*.spec.ts'],
  }
  // The package's check is tested as a command.
  if (file.includes('/check/')) return { title: 'check', specs: ['test/{lib/check,check}/*.spec.ts'] }
  return { title: specs, specs: own[part] ?? [`test/${specs}/*.spec.ts`] }
}

function groupsOf({ file }: Mutant, isNear: boolean): Group[] {
  const isForm = file.startsWith('src/editor') || file.endsWith('editor.ts')
  const groups = isForm ? [nearest(file), UNIT, EDITOR, REST] : [nearest(file), UNIT, NODES, REST]
  return groups.filter(({ isFar = false }) => !(isFar && isNear))
}

function read(name: string): Mutant {
  const patch = join(folder, name)
  const text = readFileSync(patch, 'utf8')
  const [fault = ''] = text.split('\n')
  const file = /^\+\+\+ b\/(\S+)$/m.exec(text)?.[1] ?? ''
  return { name: basename(name, '.patch'), patch, fault, file }
}

/** Creates a checkout that shares the modules and caches of this one. */
async function checkOut(): Promise<string> {
  const checkout = join(temporaryFolder('mutants'), 'checkout')
  await execute('git', ['clone', '--quiet', '--shared', root, checkout])
  symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'))
  mkdirSync(join(root, '.cache'), { recursive: true })
  symlinkSync(join(root, '.cache'), join(checkout, '.cache'))
  // This test of the patches themselves would fail for each of them.
  rmSync(join(checkout, 'test', 'contract', 'mutants.spec.ts'))
  return checkout
}

interface RunResult {
  /** False also if it was killed because it did not end. */
  isSuccess: boolean
  output: string
}

function run(checkout: string, command: string, args: readonly string[]): Promise<RunResult> {
  return new Promise((resolve, reject) => {
    const { ENVLOG_TEST_RUN: _, ...env } = process.env
    const stdio = ['ignore', 'pipe', 'ignore'] as const
    const child = spawn(command, args, { cwd: checkout, env, stdio: [...stdio], detached: true })
    let output = ''
    child.stdout?.setEncoding('utf8').on('data', (piece: string) => {
      output += piece
    })
    const end = () => {
      try {
        process.kill(-(child.pid as number), 'SIGKILL')
      } catch {
        // Nothing is left of it.
      }
    }
    const timer = setTimeout(end, MAX_RUN_MS)
    child.once('error', reject)
    // Servers that a failed test has left.
    child.once('exit', end)
    child.once('close', (code) => {
      clearTimeout(timer)
      resolve({ isSuccess: code === 0, output })
    })
  })
}

/** Titles of the first test that fails; `undefined` if all pass. */
async function failing(checkout: string, { specs, isFar }: Group): Promise<string | undefined> {
  const options = isFar ? ['--parallel', '--jobs', '3'] : []
  const { isSuccess, output } = await run(checkout, 'npx', [
    'mocha',
    '--bail',
    '--exit',
    ...options,
    ...specs,
  ])
  if (isSuccess) return undefined
  const [, titles = 'nothing that ends'] = /^ {2}1\) ([\s\S]*?):\n/m.exec(output) ?? []
  return titles.replace(/\s+/g, ' ')
}

async function tryMutant(
  mutant: Mutant,
  checkout: string,
  isNear: boolean,
): Promise<{ outcome: Outcome; by: string }> {
  await execute('git', ['apply', mutant.patch], { cwd: checkout })
  try {
    const built = await run(checkout, 'npm', ['run', '--silent', 'build'])
    if (!built.isSuccess) return { outcome: 'does not build', by: '' }
    for (const group of groupsOf(mutant, isNear)) {
      const test = await failing(checkout, group)
      if (test) return { outcome: 'found', by: `${group.title}: ${test}` }
    }
    return { outcome: 'survives', by: '' }
  } finally {
    await execute('git', ['checkout', '--quiet', '--', 'src'], { cwd: checkout })
  }
}

async function main(): Promise<void> {
  const args = process.argv.slice(2)
  const isNear = args.includes('--near')
  const wanted = args.filter((word) => word !== '--near')
  const all = readdirSync(folder).filter((name) => name.endsWith('.patch'))
  const queue = all
    .filter((name) => wanted.length === 0 || wanted.some((start) => name.startsWith(start)))
    .map(read)
  const count = queue.length
  const found: Mutant[] = []
  const others: { mutant: Mutant; outcome: Outcome }[] = []

  async function work(): Promise<void> {
    const checkout = await checkOut()
    for (let mutant = queue.shift(); mutant; mutant = queue.shift()) {
      const start = performance.now()
      const { outcome, by } = await tryMutant(mutant, checkout, isNear)
      if (outcome === 'found') found.push(mutant)
      else others.push({ mutant, outcome })
      const seconds = Math.round((performance.now() - start) / 1000)
      console.log(`${outcome.padEnd(8)} ${mutant.name}${by && ` by ${by}`}, ${seconds} s`)
    }
  }

  await Promise.all(Array.from({ length: JOBS }, work))
  for (const { mutant, outcome } of others) {
    console.log(`${outcome}: ${mutant.name} (${mutant.file}): ${mutant.fault}`)
  }
  console.log(`${found.length} of ${count} deliberate faults found`)
}

main().catch((error) => {
  console.error(error)
  process.exitCode = 1
})
