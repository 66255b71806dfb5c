/**
 * Compares the time in which *limits* judges a message with that of `JSON.parse` of the same message, in a process of its
 * own without Node-RED and service. It prints the figures as JSON: without holes, and with a hole in each channel.
 */
import { performance } from 'node:perf_hooks'
import { systemClock } from '../../src/lib/clock'
import { readMeasurements } from '../../src/lib/limits/measurements'
import { Monitor } from '../../src/lib/limits/monitor'
import { readLimits } from '../../src/shared/limits-schema'

const DEVICES = 5000
/** The code is warm after the first half. */
const ROUNDS = 120
const MINUTE_MS = 60_000

export interface Judging {
  /** Time in relation to `JSON.parse`: of the first message, and the median of the second half of all. */
  first: number
  ratio: number
  /** Saved state in bytes for each channel and limit. */
  bytes: number
  /** Heap after the first and the last message, MB. */
  heap: [first: number, last: number]
}

/** @param hasHoles whether each channel has a hole, behind which the values go on */
function measureJudging(hasHoles: boolean): Judging {
  const monitor = new Monitor(systemClock, {
    errorAfterMs: 10 * MINUTE_MS,
    silentAfterMs: 90 * MINUTE_MS,
    battery: true,
    remindMs: 0,
  })
  const limits = readLimits([
    { name: 'too warm', above: -15, minutes: 10, margin: 1 },
    { name: 'critical', above: -5, below: -40 },
  ])
  if ('problem' in limits) throw new Error(limits.property)
  const begin = Date.now() - (ROUNDS + 400) * MINUTE_MS
  const ratios: number[] = []
  const heap: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const text = JSON.stringify(
      messageOf(begin, hasHoles && round > 0 ? round + 300 : round, hasHoles && round === 0),
    )
    const parsed = performance.now()
    const payload = JSON.parse(text)
    const received = performance.now()
    monitor.receive(readMeasurements(payload).devices, limits)
    monitor.alarms.collect()
    ratios.push((performance.now() - received) / (received - parsed))
    globalThis.gc?.()
    heap.push(process.memoryUsage().heapUsed / 1e6)
  }
  const [first = 0] = ratios
  const bytes = JSON.stringify(monitor.toSave()).length / (DEVICES * 2 * limits.length)
  return { first, ratio: median(ratios.slice(ROUNDS / 2)), bytes, heap: [heap[1] ?? 0, heap.at(-1) ?? 0] }
}

/** Current readings; or series of three records, so that the usual pause is known. */
function messageOf(begin: number, minute: number, isSeries: boolean): object[] {
  return Array.from({ length: DEVICES }, (_, index) => {
    const timestamp = begin + minute * MINUTE_MS
    const about = {
      serial: String(index).padStart(8, '0'),
      name: `Freezer ${index}`,
      model: 'X',
      base: { serial: `B${String(index >> 4).padStart(7, '0')}`, name: 'Hall', model: 'B' },
      standalone: false,
      group: { number: 1, name: 'Cold chain' },
      utcOffset: 540,
    }
    const channels = [1, 2].map((number) => ({
      ...{ key: `ch${number}`, number, name: `Input ${number}`, unit: '°C', quantity: 'temperature' },
      ...(!isSeries && { value: measuredAt(index, minute), error: null }),
    }))
    if (!isSeries)
      return {
        ...about,
        time: '',
        timestamp,
        age: 1,
        stale: null,
        battery: { code: 5, level: 'sufficient' },
        rssi: 3,
        channels,
      }
    const records = [0, 1, 2].map((step) => ({
      ...{ time: '', timestamp: timestamp + (step - 2) * MINUTE_MS, ch1: -20, ch2: -20 },
    }))
    return { ...about, channels, records, gaps: [] }
  })
}

/** A cold freezer, of which one in a hundred is too warm for a while. */
const measuredAt = (index: number, minute: number) =>
  index % 100 === minute % 100 ? -4 : -20 + (minute % 7) / 10

const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1] ?? 0

console.log(JSON.stringify([false, true].map(measureJudging)))
