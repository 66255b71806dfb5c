/**
 * Memory of collecting: a year of 300 devices, and one device with 160,000 records of 4 values at once. The service
 * runs in a separate process and is not measured. With the argument `year`, the figures are sent to the parent process.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type DeviceDefinition, manualClock, startSimulator } from '../simulator'
import { type Account, createAccount, createRegistry, createUndiciTransport, systemClock } from '../src/lib'
import { createNodeState } from '../src/lib/collect/node-state'
import { pollRecords } from '../src/lib/collect/poll'
import { collectRange } from '../src/lib/collect/range'

const A_DAY = 86_400_000
/** A record every 30 minutes, polled as rarely as an answer of 300 records allows. */
const INTERVAL = 1800
const POLLED_DAYS = 6
const QUARTER_POLLS = 15
const POLLS = 4 * QUARTER_POLLS
/** The year ends before today, so that no record is ahead of the clock. */
const START = Math.floor(Date.now() / A_DAY) * A_DAY - (POLLS + 1) * POLLED_DAYS * A_DAY
const context = { signal: new AbortController().signal, queueKey: 'bench', maxWaitMs: null }

const device = (index: number, interval: number, channels: number): DeviceDefinition => ({
  serial: `5B${String(index).padStart(6, '0')}`,
  name: `device ${index}`,
  kind: 'standalone-2',
  channels: Array.from({ length: channels }, (_, channel) => ({ num: channel + 1, unit: 'C' })),
  records: { interval },
})

/** The service process: messages set its fleet and advance its clock. */
async function serve(): Promise<void> {
  const clock = manualClock(START)
  const simulator = await startSimulator({ clock, limits: 'off', fleet: [], logSize: 1 })
  process.on('message', ({ fleet, advance }: { fleet?: DeviceDefinition[]; advance?: number }) => {
    if (fleet) simulator.set({ fleet })
    if (advance) clock.advance(advance)
    process.send?.({ url: simulator.url, credentials: simulator.account })
  })
  process.send?.({ url: simulator.url, credentials: simulator.account })
}

const usedHeapMb = () => {
  setFlagsFromString('--expose_gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed / 1e6
}
const rss = () => process.memoryUsage().rss / 1e6

/** Figures of a quarter of a year. */
interface Quarter {
  records: number
  /** MB at its end */
  heap: number
  /** µs per record */
  processor: number
}
export type YearFigures = readonly Quarter[]

async function main(): Promise<void> {
  const service = fork(__filename, ['serve'], { execArgv: process.execArgv })
  const [{ url, credentials }] = await once(service, 'message')
  const command = async (what: object) => {
    service.send(what)
    await once(service, 'message')
  }
  const account = open(url, credentials)
  const isAlone = process.argv[2] === 'year'
  if (!isAlone) {
    await command({ fleet: [device(0, 60, 4)] })
    await measureWholePeriod(account)
  }
  await command({ fleet: Array.from({ length: 300 }, (_, index) => device(index, INTERVAL, 2)) })
  const quarters = await measureYear(account, command)
  if (isAlone) process.send?.(quarters)
  else print(quarters)
  await account.close()
  service.kill()
  if (process.connected) process.disconnect()
}

async function measureYear(account: Account, command: (what: object) => Promise<void>): Promise<YearFigures> {
  const nodeState = createNodeState(systemClock)
  const options = { time: 'utc', backfill: true, start: 'held', node: 'bench', receipts: null } as const
  let records = 0
  const ports = {
    nodeState,
    warn: () => {},
    deliver: ({ content }: { content: { kind: string; series?: { records: unknown[] } } }) => {
      records += content.series?.records.length ?? 0
    },
  }
  const quarters: Quarter[] = []
  let cpu = process.cpuUsage()
  for (let poll = 1; poll <= POLLS; poll++) {
    for (let index = 0; index < 300; index++) {
      const { serial } = device(index, INTERVAL, 2)
      await pollRecords(account, { serial, base: serial }, options, ports as never, context)
    }
    await command({ advance: POLLED_DAYS * A_DAY })
    if (poll % QUARTER_POLLS !== 0) continue
    const { user, system } = process.cpuUsage(cpu)
    quarters.push({ records, heap: usedHeapMb(), processor: (user + system) / records })
    cpu = process.cpuUsage()
    records = 0
  }
  return quarters
}

function print(quarters: YearFigures): void {
  console.log('| quarter | records | heap MB | processor µs a record |\n|---|---|---|---|')
  for (const [index, { records, heap, processor }] of quarters.entries()) {
    console.log(`| ${index + 1} | ${records} | ${heap.toFixed(1)} | ${processor.toFixed(1)} |`)
  }
}

async function measureWholePeriod(account: Account): Promise<void> {
  usedHeapMb()
  const idle = rss()
  let peak = idle
  const watching = setInterval(() => {
    peak = Math.max(peak, rss())
  }, 5)
  const period = { from: { instant: 0 }, to: { instant: Date.now() } }
  const { serial } = device(0, 60, 4)
  const { content } = await collectRange(
    account,
    { serial, base: serial },
    { period, number: null, time: 'utc', format: 'read' },
    context,
  )
  clearInterval(watching)
  const count = content.kind === 'series' ? content.series.records.length : 0
  console.log(
    `${count} records × 4 at once: ${(peak - idle).toFixed(0)} MB over idle (${idle.toFixed(0)} MB)\n`,
  )
}

function open(baseUrl: string, credentials: { apiKey: string; loginId: string; loginPass: string }): Account {
  const plenty = { limit: 1e6, window: 1, records: 1e9, recordsWindow: 1 }
  return createAccount(
    {
      name: '',
      baseUrl,
      relaySuffix: 'relay',
      credentials,
      timeout: 30,
      concurrency: 2,
      retries: 0,
      series1Models: [],
      limits: { data: plenty, 'latest-data': { limit: 1e6, window: 1 } },
    },
    {
      transport: createUndiciTransport({ connections: 2, timeoutMs: 30_000 }),
      clock: systemClock,
      random: Math.random,
      registry: createRegistry(systemClock),
    },
  )
}

const run = process.argv[2] === 'serve' ? serve : main
run().catch((error) => {
  console.error(error)
  process.exitCode = 1
})
