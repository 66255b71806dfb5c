/** Measures how long limits take to judge one message with the current readings of 10,000 channels. */
import { systemClock } from '../../src/lib/clock'
import { readMeasurements } from '../../src/lib/limits/measurements'
import { Monitor } from '../../src/lib/limits/monitor'
import { type Limit, readLimits } from '../../src/shared/limits-schema'
import { SERVICE_TIME } from './cases'

export const limitsCase = 'limits, 10,000 channels × 2 limits'

const MINUTE_MS = 60_000
const DEVICES = 2500
const CHANNELS = 4
const WARM_UP_ROUNDS = 10
const ROUNDS = 30

/** Duration of `JSON.parse` of a message, and of judging it, in ms. */
export interface Judged {
  parsed: number
  judged: number
}

const messageAt = (timestamp: number) =>
  JSON.stringify(
    Array.from({ length: DEVICES }, (_, index) => ({
      serial: `5BE${String(index).padStart(5, '0')}`,
      name: `Cold room ${index}`,
      model: 'M-500',
      number: index,
      base: { serial: '5FE00001', name: 'Hall 1', model: 'M-500' },
      standalone: false,
      group: { number: 1, name: 'Cold chain' },
      time: new Date(timestamp).toISOString(),
      timestamp,
      utcOffset: 540,
      age: 3,
      stale: null,
      battery: { code: 5, level: 'sufficient' },
      rssi: 4,
      channels: Array.from({ length: CHANNELS }, (_channel, channel) => ({
        key: `ch${channel + 1}`,
        number: channel + 1,
        name: `Input ${channel + 1}`,
        unit: '°C',
        quantity: 'temperature',
        value: -18.4,
        error: null,
      })),
    })),
  )

export function measureLimits(): Judged[] {
  const limits = readLimits([
    { name: 'too warm', above: -15, minutes: 10 },
    { name: 'critical', above: -10 },
  ]) as readonly Limit[]
  const settings = { errorAfterMs: 10 * MINUTE_MS, silentAfterMs: 60 * MINUTE_MS, battery: true, remindMs: 0 }
  const monitor = new Monitor(systemClock, { ...settings, leavesOutPast: true })
  const runs = Array.from({ length: WARM_UP_ROUNDS + ROUNDS }, (_, round) => {
    const text = messageAt(SERVICE_TIME + round * MINUTE_MS)
    const begin = performance.now()
    const payload: unknown = JSON.parse(text)
    const parsed = performance.now()
    monitor.receive(readMeasurements(payload), limits)
    monitor.passTime()
    monitor.alarms.collect()
    monitor.summarize()
    return { parsed: parsed - begin, judged: performance.now() - parsed }
  })
  return runs.slice(WARM_UP_ROUNDS)
}
