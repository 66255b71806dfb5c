/**
 * Memory of collecting: a year of 300 devices, and one device with 160,000 records of 4 values at once. The
 * service runs in a process of its own; what is measured is ours. `year` alone tells its parent process.
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
/** Polled as rarely as an answer of 300 records allows: every half hour one. */
const INTERVAL = 1800
const POLLED_DAYS = 6
const QUARTER_POLLS = 15
const POLLS = 4 * QUARTER_POLLS
/** The year ends before today: records of the future are another matter. */
const START = Math.floor(Date.now() / A_DAY) * A_DAY - (POLLS + 1) * POLLED_DAYS * A_DAY
const context = { signal: new AbortController().signal, queueKey: 'bench', maxWaitMs: null }

const device = (index: number, interval: number, channels: number): DeviceDefinition => ({
  serial: `5B${String(index).padStart(6, '0')}`,
  name: `device ${index}`,
  kind: 'standalone-2',
  channels: Array.from({ length: channels }, (_, channel) => ({ num: channel + 1, unit: 'C' })),
  records: { interval },
})

/** The service, told by messages: which fleet, and how far the clock is. */
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

const used = () => {
  setFlagsFromString('--expose_gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed / 1e6
}
const rss = () => process.memoryUsage().rss / 1e6

/** What a quarter of a year came to. */
interface Quarter {
  records: number
  /** MB at its end */
  heap: number
  /** µs a record */
  processor: number
}
export type Year = readonly Quarter[]

async function main(): Promise<void> {
  const service = fork(__filename, ['serve'], { execArgv: process.execArgv })
  const [{ url, credentials }] = await once(service, 'message')
  const tell = async (what: object) => {
    service.send(what)
    await once(service, 'message')
  }
  const account = open(url, credentials)
  const isAlone = process.argv[2] === 'year'
  if (!isAlone) {
    await tell({ fleet: [device(0, 60, 4)] })
    await whole(account)
  }
  await tell({ fleet: Array.from({ length: 300 }, (_, index) => device(index, INTERVAL, 2)) })
  const quarters = await year(account, tell)
  if (isAlone) process.send?.(quarters)
  else print(quarters)
  await account.close()
  service.kill()
  if (process.connected) process.disconnect()
}

async function year(account: Account, tell: (what: object) => Promise<void>): Promise<Year> {
  const nodeState = createNodeState(systemClock)
  const wish = { time: 'utc', backfill: true, start: 'held', node: 'bench', receipts: null } as const
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
      await pollRecords(account, { serial, base: serial }, wish, ports as never, context)
    }
    await tell({ advance: POLLED_DAYS * A_DAY })
    if (poll % QUARTER_POLLS !== 0) continue
    const { user, system } = process.cpuUsage(cpu)
    quarters.push({ records, heap: used(), processor: (user + system) / records })
    cpu = process.cpuUsage()
    records = 0
  }
  return quarters
}

function print(quarters: Year): void {
  console.log('| quarter | records | heap MB | processor µs a record |\n|---|---|---|---|')
  for (const [index, { records, heap, processor }] of quarters.entries()) {
    console.log(`| ${index + 1} | ${records} | ${heap.toFixed(1)} | ${processor.toFixed(1)} |`)
  }
}

async function whole(account: Account): Promise<void> {
  used()
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
