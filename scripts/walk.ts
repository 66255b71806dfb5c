/**
 * Prints which modules of `src` the third trigger of *latest records* walks through, with one device and one new record,
 * and which a message without news at *alarms* does: the files in which a function ran.
 *
 *     npx tsx scripts/walk.ts
 */
import { Session } from 'node:inspector/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import helper from 'node-red-node-test-helper'
import { type DeviceDefinition, manualClock, startSimulator } from '../simulator'
import { type Flow, startFlow, unload } from '../test/support/flow'
import { readingOf } from '../test/support/limits/monitoring'

const root = dirname(__dirname)
const MINUTE = 60_000
const DEVICE: DeviceDefinition = {
  serial: '52A10001',
  name: 'Freezer',
  kind: 'standalone-1',
  channels: [{ num: 1, unit: 'C' }],
  records: { interval: 60 },
}
/** What the compiler makes of an export; reading a constant of a module is no walk through it. */
const EXPORT = /^\(\)=>[\w$]+(?:\[key\])?$/

class Walk {
  readonly #session = new Session()
  /** By the ids of scripts. */
  readonly #urls = new Map<string, string>()
  readonly #sources = new Map<string, string>()

  async begin(): Promise<void> {
    this.#session.connect()
    this.#session.on(
      'Debugger.scriptParsed',
      ({ params }) => void this.#urls.set(params.scriptId, params.url),
    )
    await this.#session.post('Debugger.enable')
    await this.#session.post('Profiler.enable')
  }

  /** Reads the files that were loaded: a node loads its code with the first one. */
  async #readSources(): Promise<void> {
    for (const [scriptId, url] of this.#urls) {
      if (!url.startsWith('file:') || !isOurs(url)) continue
      const { scriptSource } = await this.#session.post('Debugger.getScriptSource', { scriptId })
      this.#sources.set(url, scriptSource)
    }
  }

  /** Prints the files in which a function ran during `work`. */
  async print(title: string, work: () => Promise<void>): Promise<void> {
    await this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    await this.#session.post('Profiler.takePreciseCoverage')
    await work()
    const { result } = await this.#session.post('Profiler.takePreciseCoverage')
    await this.#readSources()
    await this.#session.post('Profiler.stopPreciseCoverage')
    const walked = result.flatMap(({ url, functions }) => {
      const source = this.#sources.get(url)
      if (source === undefined) return []
      const ran = functions.filter(({ functionName, ranges: [range] }) => {
        if (!range || range.count === 0 || functionName === '__name') return false
        return !EXPORT.test(source.slice(range.startOffset, range.endOffset))
      })
      return ran.length > 0 ? [{ url, functions: ran.length }] : []
    })
    const functions = walked.reduce((sum, one) => sum + one.functions, 0)
    console.log(`${title}: ${walked.length} modules, ${functions} functions`)
    for (const { url } of walked) console.log(`  ${nameOf(url)}`)
  }
}

const nameOf = (url: string) => relative(join(root, 'src'), fileURLToPath(url))
const isOurs = (url: string) => !nameOf(url).startsWith('..')

async function triggered(flow: Flow, msg: object): Promise<void> {
  flow.send(msg)
  await flow.completed.next()
}

async function main(): Promise<void> {
  const simulator = await startSimulator({ clock: manualClock(Date.now()), limits: 'off', fleet: [DEVICE] })
  await helper.startServer()
  const walk = new Walk()

  const devices = [{ serial: DEVICE.serial, base: DEVICE.serial }]
  const latest = await startFlow('latest', simulator, { node: { onlyNew: true, select: 'list', devices } })
  for (let count = 0; count < 2; count++) await triggered(latest, {})
  simulator.clock.advance(MINUTE)
  await walk.begin()
  await walk.print('A trigger of latest records', () => triggered(latest, {}))

  const limits = { limits: [{ name: 'too warm', above: -15 }] }
  const alarms = await startFlow('alarms', simulator, { node: { output: 'text' }, limits })
  const measured = (minute: number) => ({ payload: [readingOf(Date.now() + (minute - 5) * MINUTE, -18)] })
  for (let count = 0; count < 2; count++) await triggered(alarms, measured(count))
  await walk.print('A message at alarms', () => triggered(alarms, measured(2)))

  await unload()
  helper.stopServer(() => void simulator.close().then(() => process.exit()))
}

main().catch((error) => {
  console.error(error)
  process.exit(1)
})
