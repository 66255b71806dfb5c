/**
 * Deliberate faults: tries each patch of `test/mutants` with the group of tests that should find it, then with larger
 * ones, and stops at the first failure. Lists what no test found. The patched tree is a checkout of HEAD: commit first.
 *
 *     npm run mutants              all
 *     npm run mutants -- quota-03  those whose name begins so
 *     npm run mutants -- --near    without whole Node-REDs and browsers
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { execute, root } from '../test/support/package'
import { temporaryFolder } from '../test/support/run'

/** Checkouts that are tried at the same time. */
const JOBS = 2
const LONGEST_MS = 600_000
const folder = join(root, 'test', 'mutants')

interface Mutant {
  name: string
  patch: string
  /** What goes wrong, in a sentence. */
  fault: string
  /** The file of `src` that it changes. */
  file: string
}

type Verdict = 'found' | 'survives' | 'does not build'

interface Group {
  title: string
  specs: readonly string[]
  /** With whole Node-REDs or browsers: they mostly wait. */
  isFar?: boolean
}

const UNIT: Group = { title: 'unit', specs: ['test/{lib,kit,editor,contract}/**/*.spec.ts'] }
const NODES: Group = { title: 'nodes', specs: ['test/{nodes,faults,redis}/**/*.spec.ts'] }
const EDITOR: Group = { title: 'editor', specs: ['test/e2e/editor/*.spec.ts'], isFar: true }
const REST: Group = {
  title: 'npm test',
  specs: ['test/{e2e,simulator,check,pack,demo}/**/*.spec.ts'],
  isFar: true,
}

/** The tests nearest to a file of `src`. */
function nearest(file: string): Group {
  const [, part = '', room = ''] = file.split('/')
  const specs = existsSync(join(root, 'test', part, room)) && !room.includes('.') ? `${part}/${room}` : part
  const own: Record<string, readonly string[]> = {
    editor: ['test/editor/*.spec.ts'],
    nodes: ['test/kit/*.spec.ts', 'test/nodes/*.spec.ts'],
    shared: ['test/{kit,editor}/*.spec.ts'],
  }
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

/** A checkout with the modules and caches of this one. */
async function checkOut(): Promise<string> {
  const place = join(temporaryFolder('mutants'), 'checkout')
  await execute('git', ['clone', '--quiet', '--shared', root, place])
  symlinkSync(join(root, 'node_modules'), join(place, 'node_modules'))
  mkdirSync(join(root, '.cache'), { recursive: true })
  symlinkSync(join(root, '.cache'), join(place, '.cache'))
  // A test of the patches themselves would find each of them.
  rmSync(join(place, 'test', 'contract', 'mutants.spec.ts'))
  return place
}

interface Ended {
  /** What hangs does not end well. */
  well: boolean
  output: string
}

function run(place: string, command: string, words: readonly string[]): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const { ENVLOG_TEST_RUN: _, ...env } = process.env
    const stdio = ['ignore', 'pipe', 'ignore'] as const
    const child = spawn(command, words, { cwd: place, env, stdio: [...stdio], detached: true })
    let output = ''
    child.stdout?.setEncoding('utf8').on('data', (piece: string) => {
      output += piece
    })
    const end = () => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL')
    const timer = setTimeout(end, LONGEST_MS)
    child.once('error', reject)
    child.once('exit', (code) => {
      clearTimeout(timer)
      resolve({ well: code === 0, output })
    })
  })
}

/** The first test that fails, by its titles; nothing where all pass. */
async function failing(place: string, { specs, isFar }: Group): Promise<string | undefined> {
  const how = isFar ? ['--parallel', '--jobs', '3'] : []
  const { well, output } = await run(place, 'npx', ['mocha', '--bail', ...how, ...specs])
  if (well) return undefined
  const [, titles = 'nothing that ends'] = /^ {2}1\) ([\s\S]*?):\n/m.exec(output) ?? []
  return titles.replace(/\s+/g, ' ')
}

async function judge(
  mutant: Mutant,
  place: string,
  isNear: boolean,
): Promise<{ verdict: Verdict; by: string }> {
  await execute('git', ['apply', mutant.patch], { cwd: place })
  try {
    const built = await run(place, 'npm', ['run', '--silent', 'build'])
    if (!built.well) return { verdict: 'does not build', by: '' }
    for (const group of groupsOf(mutant, isNear)) {
      const test = await failing(place, group)
      if (test) return { verdict: 'found', by: `${group.title}: ${test}` }
    }
    return { verdict: 'survives', by: '' }
  } finally {
    await execute('git', ['checkout', '--quiet', '--', 'src'], { cwd: place })
  }
}

async function main(): Promise<void> {
  const words = process.argv.slice(2)
  const isNear = words.includes('--near')
  const wanted = words.filter((word) => word !== '--near')
  const all = readdirSync(folder).filter((name) => name.endsWith('.patch'))
  const queue = all
    .filter((name) => wanted.length === 0 || wanted.some((start) => name.startsWith(start)))
    .map(read)
  const count = queue.length
  const found: Mutant[] = []
  const others: { mutant: Mutant; verdict: Verdict }[] = []

  async function work(): Promise<void> {
    const place = await checkOut()
    for (let mutant = queue.shift(); mutant; mutant = queue.shift()) {
      const start = performance.now()
      const { verdict, by } = await judge(mutant, place, isNear)
      if (verdict === 'found') found.push(mutant)
      else others.push({ mutant, verdict })
      const seconds = Math.round((performance.now() - start) / 1000)
      console.log(`${verdict.padEnd(8)} ${mutant.name}${by && ` by ${by}`}, ${seconds} s`)
    }
  }

  await Promise.all(Array.from({ length: JOBS }, work))
  for (const { mutant, verdict } of others) {
    console.log(`${verdict}: ${mutant.name} (${mutant.file}): ${mutant.fault}`)
  }
  console.log(`${found.length} of ${count} deliberate faults found`)
}

main().catch((error) => {
  console.error(error)
  process.exitCode = 1
})
