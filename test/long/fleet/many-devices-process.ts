/** Months of 500 devices in a separate process, so that the heap can be measured; sends its result to the parent. */

import { text } from 'node:stream/consumers'
import { getHeapSnapshot } from 'node:v8'
import type { DeviceDefinition, Fault } from '../../../simulator'
import { type Config, FakeRuntime } from './runtime'
import { startService } from './service'
import { installVirtualTime } from './time'

const SECOND = 1000
const HOUR = 3600
const DAY = 86_400 * SECOND
const DEVICES = 500
const BASES = 10
const DAYS = Number(process.env.FLEET_DAYS ?? 60)
/** Intervals of *Repeat every*, s. */
const OFTEN = 2 * HOUR
const SELDOM = (3 * DAY) / SECOND
/** Seconds between the records of a device. The newest 300 of some do not cover a day. */
const intervalOf = (index: number) => (index < 2 ? 240 : 4 * HOUR)
const CHANGED_A_WEEK = 15

/** Measurements at the end of a day. */
export interface DayFigures {
  day: number
  /** MB */
  heap: number
  /** kB */
  stored: number
  /** Delivered since the start. */
  records: number
}

interface Slot {
  /** Number of replaced devices in this position. */
  generation: number
  /** Number of moves. */
  base: number
  name: string
  since: number
}

const from = Date.UTC(2026, 0, 1)
const slots = Array.from({ length: DEVICES }, (_, index): Slot => {
  return { generation: 0, base: 0, name: `Device ${index}`, since: from - 3 * DAY }
})
const recordsADay = slots.reduce((sum, _, index) => sum + 86_400 / intervalOf(index), 0)
const fleet = () => slots.map(definitionOf)

/** A day of records at a time, so that responses and the service stay small. */
function definitionOf({ generation, base, name, since }: Slot, index: number): DeviceDefinition {
  const isRemote = index % 2 === 1
  const serial = `${isRemote ? '52C' : '52A'}${String(generation).padStart(2, '0')}${String(index).padStart(3, '0')}`
  const unit = `5F0A1${String((index + base) % BASES).padStart(3, '0')}`
  return {
    serial,
    name,
    capacity: index < 2 ? 5000 : 60,
    channels: [{ num: 1, name: 'Inside', unit: 'C' }],
    records: { interval: intervalOf(index), from: since / SECOND + index },
    // Two texts each, so that the first response has as many as a node remembers.
    alerts: (now) =>
      Array.from({ length: 20 }, (_, back) => {
        const week = Math.floor(now / (7 * 24 * HOUR)) - back
        return {
          unixtime: week * 7 * 24 * HOUR + index,
          texts: { ch1: `Upper Limit: ${week} C`, ch2: `Upper Limit: ${week} C` },
        }
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

/** Some devices are replaced, renamed, or moved to another base unit. */
function changeDevices(week: number, now: number): void {
  for (let count = 0; count < CHANGED_A_WEEK; count++) {
    const index = (week * CHANGED_A_WEEK + count) % DEVICES
    const slot = slots[index] as Slot
    if (count % 3 === 0) Object.assign(slot, { generation: slot.generation + 1, since: now })
    if (count % 3 === 1) slot.name = `Device ${index} of week ${week}`
    if (count % 3 === 2) slot.base++
  }
}

/** One device in 50 is refused for a week. */
function refusalIn(week: number): Fault[] {
  const serials = fleet().flatMap(({ serial }, index) => (index % 50 === week % 50 ? [serial] : []))
  return [{ kind: 'status', status: 400, serials, endpoints: ['latest-data', 'latest-data-relay', 'alert'] }]
}

async function live(): Promise<DayFigures[]> {
  const time = installVirtualTime(from + 123)
  const service = startService(time)
  service.set({ fleet: fleet() })
  let records = 0
  let isSinkAway = false
  let refusal: Fault[] = []
  let faults: Fault[] = []

  const runtime = new FakeRuntime((node, msg) => {
    if (isSinkAway) return
    if (node === 'latest') records += msg.payload.records.length
    if (msg.envlog.receipt) runtime.send(node, { envlog: { receipt: msg.envlog.receipt } })
  })

  async function deploy(repeat: number): Promise<void> {
    const deployed = runtime.deploy(flowOf(service.account, repeat))
    await time.pass(SECOND)
    await deployed
  }

  /**
   * Some devices are refused, others change; the service is away for one poll, the sink for the next one, followed by a
   * deploy.
   */
  async function trouble(step: number, week: number, repeat: number): Promise<void> {
    if (step === 0) {
      changeDevices(week, time.now())
      refusal = refusalIn(week)
    }
    const isAway = step === 1
    faults = isAway ? [{ kind: 'status', status: 503 }] : refusal
    // Its responses are replaced: creating the readings of all devices for each attempt would take most of the time.
    service.set({ fleet: isAway ? [] : fleet(), faults })
    isSinkAway = step === 5
    if (step === 6) await deploy(repeat)
  }

  const figures: DayFigures[] = []
  async function measure(day: number): Promise<void> {
    // A poll may begin at the end of the day; its responses do not count.
    await time.pass(6 * HOUR * SECOND)
    // The memory of the service does not count.
    service.reset()
    const heap = (await heapOfData()) / 1e6
    service.set({ fleet: fleet(), faults })
    figures.push({ day, heap, stored: runtime.storedCharacters() / 1e3, records })
  }

  // Everything that may happen happens once on the first day.
  await deploy(OFTEN)
  for (let step = 0; step < 7; step++) {
    await time.pass(3 * HOUR * SECOND)
    await trouble(step, 0, OFTEN)
  }
  await time.pass(2 * HOUR * SECOND)
  await deploy(SELDOM)
  await time.pass(HOUR * SECOND)
  await measure(1)
  for (let day = 2; day <= DAYS; day++) {
    await trouble(day % 7, Math.floor(day / 7), SELDOM)
    await time.pass(DAY)
    if ([30, 100, 200, 300, DAYS].includes(day)) await measure(day)
  }
  return figures
}

function flowOf(credentials: object, repeat: number): Config[] {
  const common = { account: 'account', repeat }
  const receipts = { ...common, advance: 'acknowledged', ackTimeout: 3600 }
  return [
    { id: 'account', type: 'envlog-account', baseUrl: 'http://127.0.0.1:8745', credentials, retries: 1 },
    { id: 'latest', type: 'envlog-latest', ...receipts },
    { id: 'alerts', type: 'envlog-alerts', ...receipts, start: 'all', repeat: 7 * 86_400 },
    { id: 'current', type: 'envlog-current', ...common, onlyNew: true },
  ]
}

live().then(
  (figures) => process.send?.({ figures, recordsADay }, () => process.disconnect()),
  (error) => {
    console.error(error)
    process.exitCode = 1
  },
)
