/**
 * Memory of collecting: a month of 300 devices, and one device with 160,000 records of 4 values at once. The
 * service runs in a process of its own; what is measured is ours.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type DeviceDefinition, manualClock, startSimulator } from '../simulator'
import { type Account, createAccount, createRegistry, systemClock, undiciTransport } from '../src/lib'
import { createMemory } from '../src/lib/collect/memory'
import { latestNews } from '../src/lib/collect/news'
import { collectRange } from '../src/lib/collect/range'

const NOW = Date.UTC(2026, 0, 15, 12)
const A_DAY = 86_400_000
const DAYS = Number(process.env.DAYS ?? 30)
const asker = { signal: new AbortController().signal, line: 'bench', wait: null }

const device = (index: number, interval: number, channels: number): DeviceDefinition => ({
  serial: `5B${String(index).padStart(6, '0')}`,
  name: `device ${index}`,
  kind: 'standalone-2',
  channels: Array.from({ length: channels }, (_, channel) => ({ num: channel + 1, unit: 'C' })),
  records: { interval },
})

/** The service, told by messages: which fleet, and how far the clock is. */
async function serve(): Promise<void> {
  const clock = manualClock(NOW)
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

async function main(): Promise<void> {
  const service = fork(__filename, ['serve'], { execArgv: process.execArgv })
  const [{ url, credentials }] = await once(service, 'message')
  const tell = async (what: object) => {
    service.send(what)
    await once(service, 'message')
  }
  const account = open(url, credentials)
  await tell({ fleet: Array.from({ length: 300 }, (_, index) => device(index, 600, 2)) })
  await month(account, tell)
  await tell({ fleet: [device(0, 60, 4)] })
  await whole(account)
  await account.close()
  service.kill()
}

/** Polled once a day, so that every device has something to fetch: 144 records each. */
async function month(account: Account, tell: (what: object) => Promise<void>): Promise<void> {
  const memory = createMemory(systemClock)
  const wish = { time: 'utc', backfill: true, start: 'held', node: 'bench', acknowledged: null } as const
  let records = 0
  const ports = {
    memory,
    warn: () => {},
    deliver: ({ content }: { content: { kind: string; series?: { records: unknown[] } } }) => {
      records += content.series?.records.length ?? 0
    },
  }
  console.log('| day | records | heap MB | processor µs a record |\n|---|---|---|---|')
  let cpu = process.cpuUsage()
  for (let day = 0; day <= DAYS; day++) {
    for (let index = 0; index < 300; index++) {
      const { serial } = device(index, 600, 2)
      await latestNews(account, { serial, base: serial }, wish, ports as never, asker)
    }
    await tell({ advance: A_DAY })
    if (day % 10 !== 0) continue
    const { user, system } = process.cpuUsage(cpu)
    console.log(`| ${day} | ${records} | ${used().toFixed(1)} | ${((user + system) / records).toFixed(1)} |`)
    cpu = process.cpuUsage()
    records = 0
  }
}

async function whole(account: Account): Promise<void> {
  used()
  const idle = rss()
  let peak = idle
  const watching = setInterval(() => {
    peak = Math.max(peak, rss())
  }, 5)
  const period = { from: { instant: 0 }, to: { instant: NOW + (DAYS + 2) * A_DAY } }
  const { serial } = device(0, 60, 4)
  const { content } = await collectRange(
    account,
    { serial, base: serial },
    { period, number: null, time: 'utc', form: 'read' },
    asker,
  )
  clearInterval(watching)
  const count = content.kind === 'series' ? content.series.records.length : 0
  console.log(
    `\n${count} records × 4 at once: ${(peak - idle).toFixed(0)} MB over idle (${idle.toFixed(0)} MB)`,
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
      transport: undiciTransport({ connections: 2 }),
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
