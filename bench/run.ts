/**
 * How long the library takes for an answer, as a ratio to the floor: a keep-alive POST with Node's own http
 * client and JSON.parse. Both ask the same simulator in turn, in this process.
 */
import { Agent, request } from 'node:http'
import { type DeviceDefinition, manualClock, type Simulator, startSimulator } from '../simulator'
import { type Account, createAccount, createRegistry, systemClock, undiciTransport } from '../src/lib'
import { collectCurrent } from '../src/lib/collect/current'
import { collectLatest } from '../src/lib/collect/latest'
import { collectRange } from '../src/lib/collect/range'

const NOW = Date.UTC(2026, 0, 15, 12)
const DAY = 86_400_000
const RUNS = Number(process.env.RUNS ?? 15)
const WARM_UP = 3
const asker = { signal: new AbortController().signal, line: 'bench', wait: null }

const device: DeviceDefinition = {
  serial: '5BE00001',
  name: 'bench',
  kind: 'standalone-2',
  channels: [
    { num: 1, unit: 'C' },
    { num: 2, unit: '%' },
  ],
  records: { interval: 60 },
}

interface Case {
  name: string
  fleet: { fleet: DeviceDefinition[] } | { devices: number }
  floor: [path: string, body: object]
  ours(account: Account): Promise<unknown>
}

const target = { serial: device.serial, base: device.serial }
const period = { from: { instant: NOW - 16_000 * 60_000 }, to: { instant: NOW } }
const current = (account: Account) =>
  collectCurrent(
    account,
    { selection: 'all', exclude: [], time: 'utc', staleAfter: null, form: 'read', property: 'devices' },
    asker,
  )

const cases: Case[] = [
  ...[10, 1000].map((devices) => ({
    name: `current, ${devices} devices`,
    fleet: { devices },
    floor: ['current', {}] as Case['floor'],
    ours: current,
  })),
  {
    name: 'latest, 300 records × 2',
    fleet: { fleet: [device] },
    floor: ['latest-data', { 'remote-serial': device.serial }],
    ours: (account) => collectLatest(account, target, { time: 'utc', form: 'read' }, asker),
  },
  {
    name: 'range, 16,000 records × 2',
    fleet: { fleet: [device] },
    floor: ['data', { 'remote-serial': device.serial, number: 16_000 }],
    ours: (account) =>
      collectRange(account, target, { period, number: null, time: 'utc', form: 'read' }, asker),
  },
]

async function main(): Promise<void> {
  console.log(`Node ${process.version}, ${RUNS} pairs each, wall ms (median) and ratio (median, min–max)\n`)
  console.log('| case | floor ms | envlog ms | ratio |\n|---|---|---|---|')
  for (const one of cases) console.log(await measure(one))
}

async function measure({ name, fleet, floor, ours }: Case): Promise<string> {
  const simulator = await startSimulator({ ...fleet, clock: manualClock(NOW + DAY), limits: 'off' })
  simulator.clock.advance(-DAY)
  const agent = new Agent({ keepAlive: true })
  const account = openAccount(simulator)
  const pairs: [number, number][] = []
  for (let run = -WARM_UP; run < RUNS; run++) {
    const pair: [number, number] = [
      await timed(() => ask(simulator, agent, ...floor)),
      await timed(() => ours(account)),
    ]
    if (run >= 0) pairs.push(pair)
  }
  agent.destroy()
  await account.close()
  await simulator.close()
  const ratios = pairs.map(([a, b]) => b / a).sort((a, b) => a - b)
  const [least, most] = [ratios[0], ratios.at(-1)]
  return `| ${name} | ${text(median(pairs.map(([a]) => a)))} | ${text(median(pairs.map(([, b]) => b)))} | ${text(median(ratios))} (${text(least)}–${text(most)}) |`
}

function openAccount({ url, account }: Simulator): Account {
  const settings = {
    name: '',
    baseUrl: url,
    relaySuffix: 'relay',
    credentials: account,
    timeout: 30,
    concurrency: 2,
    retries: 0,
    series1Models: [],
    limits: { data: { records: 1e9, recordsWindow: 1 } },
  }
  const transport = undiciTransport({ connections: 2 })
  const registry = createRegistry(systemClock)
  return createAccount(settings, { transport, clock: systemClock, random: Math.random, registry })
}

function ask({ url, account }: Simulator, agent: Agent, path: string, params: object): Promise<unknown> {
  const login = { 'api-key': account.apiKey, 'login-id': account.loginId, 'login-pass': account.loginPass }
  const headers = { 'content-type': 'application/json', 'x-http-method-override': 'GET' }
  return new Promise((resolve, reject) => {
    const outgoing = request(`${url}/v1/devices/${path}`, { agent, method: 'POST', headers }, (answer) => {
      const parts: Buffer[] = []
      answer.on('data', (part) => parts.push(part))
      answer.on('end', () => resolve(JSON.parse(Buffer.concat(parts).toString())))
    })
    outgoing.once('error', reject)
    outgoing.end(JSON.stringify({ ...login, ...params }))
  })
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

const text = (value = 0) => value.toFixed(2)

main().catch((error) => {
  console.error(error)
  process.exitCode = 1
})
