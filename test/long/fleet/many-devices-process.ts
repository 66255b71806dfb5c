/** Months of 500 devices in a separate process, so that the heap can be measured; sends its result to the parent. */

import { text } from 'node:stream/consumers'
import { getHeapSnapshot } from 'node:v8'
import type { DeviceDefinition, Fault } from '../../../simulator'
import type { Message } from '../../support/flow-types'
import { type Config, startRuntime } from './runtime'
import { startService } from './service'
import { installVirtualTime } from './time'

const SECOND = 1000
const HOUR = 3600
const DAY = 86_400 * SECOND
const DEVICES = 500
const BASES = 10
const POLLED_DAYS = 3
const DAYS = Number(process.env.FLEET_DAYS ?? 60)
const CHANGED_A_WEEK = 5

/** For some devices, from one week to the next. */
const REFUSAL: Fault = {
  kind: 'status',
  status: 400,
  serials: [],
  endpoints: ['latest-data', 'latest-data-relay', 'alert'],
}

/** Measurements at the end of a day. */
export interface DayFigures {
  day: number
  records: number
  polls: number
  requests: number
  /** MB */
  heap: number
  /** kB */
  stored: number
  /** s */
  wall: number
}

export interface FleetResult {
  figures: DayFigures[]
  /**
   * For devices that never changed: the fewest records that arrived for one, its approximate total, and the number of
   * duplicates.
   */
  kept: { devices: number; fewest: number; perDevice: number; doubled: number }
  reports: Record<string, number>
  over: number
}

interface Slot {
  /** Number of replaced devices in this position. */
  generation: number
  /** Number of moves. */
  base: number
  name: string
  since: number
}

/** One in fifty is always the same device, and never refused. */
const stays = (index: number) => index % 50 === 7

const from = Math.floor(Date.now() / DAY) * DAY - (DAYS + 2) * DAY

/** A day of records at a time, so that responses and the service stay small. */
function definitionOf({ generation, base, name, since }: Slot, index: number): DeviceDefinition {
  const isRemote = index % 2 === 1
  const serial = `${isRemote ? '52C' : '52A'}${String(generation).padStart(2, '0')}${String(index).padStart(3, '0')}`
  const unit = `5F0A1${String((index + base) % BASES).padStart(3, '0')}`
  return {
    serial,
    name,
    // The newest 300 records of some devices do not cover a day.
    capacity: index < 2 ? 5000 : 60,
    channels: [{ num: 1, name: 'Inside', unit: 'C' }],
    records: { interval: index < 2 ? 240 : 4 * HOUR, from: since / SECOND + index },
    alerts: (now) =>
      Array.from({ length: 20 }, (_, back) => {
        const week = Math.floor(now / (7 * 24 * HOUR)) - back
        return { unixtime: week * 7 * 24 * HOUR + index, texts: { ch1: `Upper Limit: ${week} C` } }
      }).reverse(),
    ...(isRemote && { base: { serial: unit, name: `Base ${unit}` } }),
  }
}

/** Bytes in use, without the code that V8 compiles for busy functions. */
async function heapOfData(): Promise<number> {
  const { snapshot, nodes } = JSON.parse(await text(getHeapSnapshot()))
  const { node_fields: fields, node_types: types } = snapshot.meta
  const [type, size] = [fields.indexOf('type'), fields.indexOf('self_size')]
  const code = types[type].indexOf('code')
  let bytes = 0
  for (let at = 0; at < nodes.length; at += fields.length)
    if (nodes[at + type] !== code) bytes += nodes[at + size]
  return bytes
}

async function live(): Promise<FleetResult> {
  const slots = Array.from({ length: DEVICES }, (_, index): Slot => {
    return { generation: 0, base: 0, name: `Device ${index}`, since: from - 3 * DAY }
  })
  const fleet = () => slots.map(definitionOf)
  const time = installVirtualTime(from + 123)
  const service = startService({ time, fleet: [], seed: 'many devices' })
  service.set({ fleet: fleet() })
  /** For permanent devices: the time of the newest acknowledged record, and the number of acknowledged records. */
  const newest = new Map<string, number>()
  const arrived = new Map<string, number>()
  const reports: Record<string, number> = {}
  let [records, polls, doubled, requests, over] = [0, 0, 0, 0, 0]
  let isSinkAway = false
  let refusal = REFUSAL
  let faults: Fault[] = []

  const runtime = startRuntime({
    message(node, msg) {
      if (isSinkAway) return
      if (node === 'latest') take(msg)
      if (msg.envlog.receipt) runtime.receive(node, { envlog: { receipt: msg.envlog.receipt } })
    },
    error: (node, { code }) => progress(`${node} ${code}`),
    done(node, error, { envlog }) {
      if (error) progress(`${node} ended ${error.code}`)
      if (!envlog) polls++
    },
  })

  function progress(what: string): void {
    reports[what] = (reports[what] ?? 0) + 1
  }

  function take({ payload: { serial, records: received } }: Message): void {
    records += received.length
    if (!stays(Number(serial.slice(-3)))) return
    for (const { timestamp } of received) {
      if (timestamp <= (newest.get(serial) ?? 0)) doubled++
      newest.set(serial, timestamp)
    }
    arrived.set(serial, (arrived.get(serial) ?? 0) + received.length)
  }

  /** Some devices are replaced, renamed, or moved to another base unit. */
  function change(week: number): DeviceDefinition[] {
    for (let count = 0; count < 3 * CHANGED_A_WEEK; count++) {
      const index = (week * 3 * CHANGED_A_WEEK + count) % DEVICES
      const slot = slots[index] as Slot
      if (stays(index)) continue
      if (count % 3 === 0) Object.assign(slot, { generation: slot.generation + 1, since: time.now() })
      if (count % 3 === 1) slot.name = `Device ${index} of week ${week}`
      if (count % 3 === 2) slot.base++
    }
    return fleet()
  }

  const figures: DayFigures[] = []
  async function measure(day: number): Promise<void> {
    for (const counts of Object.values(service.counts())) {
      requests += counts.total
      over += counts.over
    }
    // The memory of the service does not count.
    service.reset()
    const heap = (await heapOfData()) / 1e6
    service.set({ fleet: fleet(), faults })
    const [stored, wall] = [runtime.storedCharacters() / 1e3, time.elapsedMs() / SECOND]
    figures.push({ day, records, polls, requests, heap, stored, wall })
  }

  async function deploy(repeat: number): Promise<void> {
    const deployed = runtime.deploy(flowOf(service, repeat))
    await time.pass(SECOND)
    await deployed
  }

  /**
   * Some devices are refused, others change; the service is away for one poll, the sink for the next one, followed by a
   * deploy.
   */
  async function trouble(step: number, week: number, repeat: number): Promise<void> {
    if (step === 0) {
      const refused = slots.flatMap((slot, index) =>
        index % 50 === week % 50 && !stays(index) ? [definitionOf(slot, index).serial] : [],
      )
      refusal = { ...REFUSAL, serials: refused }
      faults = [refusal]
      service.set({ fleet: change(week), faults })
    }
    if (step === 1) faults = [{ kind: 'status', status: 503 }]
    if (step === 3) faults = [refusal]
    if (step === 1 || step === 3) service.set({ faults })
    isSinkAway = step === 5
    if (step === 6) await deploy(repeat)
  }

  // Everything that may happen happens once on the first day.
  await deploy(2 * HOUR)
  for (let step = 0; step < 7; step++) {
    await time.pass(3 * HOUR * SECOND)
    await trouble(step, 0, 2 * HOUR)
  }
  await time.pass(2 * HOUR * SECOND)
  await deploy(POLLED_DAYS * 86_400)
  await time.pass(HOUR * SECOND)
  await measure(1)
  for (let day = 2; day <= DAYS; day++) {
    await trouble(day % 7, Math.floor(day / 7), POLLED_DAYS * 86_400)
    await time.pass(DAY)
    if ([30, 100, 200, 300, DAYS].includes(day)) await measure(day)
  }
  const perDevice = (DAYS * 24) / 4
  const counts = [...arrived.values()]
  return {
    figures,
    kept: { devices: arrived.size, fewest: Math.min(...counts), perDevice, doubled },
    reports,
    over,
  }
}

function flowOf({ url, account }: { url: string; account: object }, repeat: number): Config[] {
  const common = { account: 'account', repeat }
  const receipts = { ...common, advance: 'acknowledged', ackTimeout: 3600 }
  return [
    { id: 'account', type: 'envlog-account', baseUrl: url, credentials: account, retries: 1 },
    { id: 'latest', type: 'envlog-latest', ...receipts },
    { id: 'alerts', type: 'envlog-alerts', ...receipts, start: 'all', repeat: 7 * 86_400 },
    { id: 'current', type: 'envlog-current', ...common, onlyNew: true },
  ]
}

live().then(
  (result) => process.send?.(result, () => process.disconnect()),
  (error) => {
    console.error(error)
    process.exitCode = 1
  },
)
