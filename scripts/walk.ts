/**
 * Lists the modules of `src` that one request, and one trigger of `envlog-latest` with one new record, pass through, to
 * show how much code one has to read. Each function reports its file when it is called; `npm run walk` prints the
 * order.
 */
import Module from 'node:module'
import { relative, sep } from 'node:path'
import { type Node, parse } from 'acorn'

const root = `${__dirname}/../src/`
/** Files in the order in which their functions were called; `undefined` while not recording. */
let calls: string[] | undefined

interface Compiling {
  _compile(content: string, file: string): unknown
}

interface FunctionNode extends Node {
  type: string
  body: Node
}

const isFunction = ({ type }: Node): boolean =>
  type === 'FunctionDeclaration' || type === 'FunctionExpression' || type === 'ArrowFunctionExpression'

/** Inserts a report at the beginning of each function. */
function instrumented(code: string, file: string): string {
  const insertions: [at: number, text: string][] = []
  const report = `globalThis.__envlogWalk?.(${JSON.stringify(file)})`
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    if ('type' in value && isFunction(value as Node)) {
      const { body } = value as FunctionNode
      if (body.type === 'BlockStatement') insertions.push([body.start + 1, `${report};`])
      else {
        // An object in parentheses begins before its node does.
        insertions.push([body.start, `(${report}, `], [body.end, ')'])
      }
    }
    for (const part of Object.values(value)) visit(part)
  }
  visit(parse(code, { ecmaVersion: 'latest', sourceType: 'script', allowReturnOutsideFunction: true }))
  let result = code
  for (const [at, text] of insertions.sort(([one], [other]) => other - one))
    result = result.slice(0, at) + text + result.slice(at)
  return result
}

function instrumentSources(): void {
  const prototype = Module.prototype as unknown as Compiling
  const compile = prototype._compile
  prototype._compile = function (this: unknown, content: string, file: string) {
    const name = relative(root, file).split(sep).join('/')
    const isOurs = !name.startsWith('..') && /^(lib|nodes|shared)\//.test(name)
    return compile.call(this, isOurs ? instrumented(content, name) : content, file)
  }
}

/** Files whose functions were called during the work. */
async function callsOf(work: () => Promise<unknown>): Promise<string[]> {
  calls = []
  await work()
  const seen = calls
  calls = undefined
  return seen
}

function print(title: string, seen: readonly string[]): void {
  const modules = [...new Set(seen)]
  console.log(`${title}: ${modules.length} modules`)
  console.log(`  ${modules.join(', ')}`)
}

async function main(): Promise<void> {
  Object.assign(globalThis, { __envlogWalk: (file: string) => calls?.push(file) })
  instrumentSources()
  // Loaded only now: what is loaded before is not instrumented.
  const { manualClock, startSimulator } = require('../simulator') as typeof import('../simulator')
  const { startFlow, unload } = require('../test/support/flow') as typeof import('../test/support/flow')
  const { default: helper } = await import('node-red-node-test-helper')
  const clock = manualClock(Date.UTC(2026, 10, 20, 12))
  const device = {
    serial: '52A10001',
    name: 'Freezer',
    kind: 'standalone-1' as const,
    channels: [{ num: 1, unit: 'C' }],
    records: { interval: 60 },
  }
  const simulator = await startSimulator({ clock, limits: 'off', fleet: [device] })
  await new Promise<void>((resolve) => helper.startServer(() => resolve()))
  try {
    const node = { select: 'list', devices: [{ serial: device.serial, base: device.serial }], onlyNew: true }
    const flow = await startFlow('latest', simulator, { node })
    const trigger = async () => {
      flow.send()
      await flow.completed.next()
    }
    await trigger()
    clock.advance(60_000)
    print('one trigger of latest with one new record', await callsOf(trigger))
    const { clientOf, ok } =
      require('../test/unit/lib/api/setup') as typeof import('../test/unit/lib/api/setup')
    const { patient } = require('../test/unit/lib/answers') as typeof import('../test/unit/lib/answers')
    const { client } = clientOf(async () => ok())
    const read = (serial: string) => client.read('current', { 'remote-serial': [serial] }, patient)
    await read('52A10001')
    print('one request', await callsOf(() => read('52A10002')))
    await client.close()
  } finally {
    await unload()
    await new Promise<void>((resolve) => helper.stopServer(() => resolve()))
    await simulator.close()
  }
}

main().catch((error) => {
  console.error(error)
  process.exitCode = 1
})
