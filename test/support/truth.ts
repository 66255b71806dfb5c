import type { Simulator, TrueDevice, TrueRecord } from '../../simulator'
import type { ActionName, Message } from './flow-types'
import { stored } from './outputs'

/** Expected rows, computed from the simulator's true data, not from its responses, and the same from real rows. */

export interface Wanted {
  action: ActionName
  /** For range: ms, from inclusive, to exclusive. */
  from: number
  to: number
  /** Default: UTC. */
  time?: 'utc' | 'local'
}

/** A channel value; rows omit keys without a value. */
export interface ReportedValue {
  serial: string
  base: string
  timestamp: number | null
  time: string | null
  channel: number
  value: number | null
  error: string | null
  unit: string
  label: string
  dataId: number | null
  name: string
  group: string
}

export interface ReportedAlert {
  serial: string
  base: string
  timestamp: number | null
  time: string | null
  source: string
  text: string
}

export function valueOfRow(row: Message): ReportedValue {
  const { serial, base, channel, label, timestamp = null, time = null, value = null, error = null } = row
  const { unit = '', dataid: dataId = null, name = '', groupname: group = '' } = row
  return { serial, base, timestamp, time, channel, value, error, unit, label, dataId, name, group }
}

export function alertOfRow({
  serial,
  base,
  timestamp = null,
  time = null,
  source,
  text,
}: Message): ReportedAlert {
  return { serial, base, timestamp, time, source, text }
}

/** The time as UTC, or as local time of the device with the offset of that response. */
function timeText(instant: number, device: TrueDevice, { action, time }: Pick<Wanted, 'action' | 'time'>) {
  if (instant === 0) return null
  if (time !== 'local') return new Date(instant).toISOString()
  // Only the flag shows daylight saving time, and only these responses have it (docs/service.md, *Fields*).
  const hasFlag = action === 'alerts' || (action === 'latest' && !device.standalone)
  const offset = hasFlag ? device.offset : device.timeDiff + device.stdBias
  const local = new Date(instant + offset * 60_000).toISOString().slice(0, -1)
  const two = (part: number) => String(part).padStart(2, '0')
  const minutes = Math.abs(offset)
  return `${local}${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}

/** Degrees in a uniform spelling. */
function spelled(unit: string): string {
  const [, celsius, fahrenheit] = /^(?:([°º]?[CＣ]|℃)|([°º]?[FＦ]|℉))$/.exec(unit.trim()) ?? []
  return celsius ? '°C' : fahrenheit ? '°F' : unit.trim()
}

const NEWEST = 300
const MISSING = 'missing'

/** The devices for which an action gets a response. */
export function servedDevices(simulator: Simulator, action: ActionName): TrueDevice[] {
  const endpoint = { current: 'current', latest: 'latest-data', range: 'data', alerts: 'alert' }[action]
  return simulator.truth
    .devices()
    .filter(({ endpoints }) => endpoints.some((name) => name.startsWith(endpoint)))
}

/** All expected values of a device, in order. */
export function expectedValues(simulator: Simulator, device: TrueDevice, wanted: Wanted): ReportedValue[] {
  const reported =
    wanted.action === 'current'
      ? trueReading(simulator, device, wanted)
      : trueSeries(simulator, device, wanted)
  return reported.map((one) => ({ ...one, name: stored(one.name), group: stored(one.group) }))
}

/** The values in the newest readings of all devices. */
export const currentValues = (simulator: Simulator): ReportedValue[] =>
  simulator.truth
    .devices()
    .flatMap((device) => expectedValues(simulator, device, { action: 'current', from: 0, to: 0 }))

function trueReading({ truth, options }: Simulator, device: TrueDevice, wanted: Wanted): ReportedValue[] {
  const { serial, base } = device
  const reading = truth.current().find((one) => one.serial === serial && one.base === base)
  if (!reading || reading.time === null) return []
  const instant = reading.time
  // In current, the service replaces a record's code with a text (docs/service.md, *Fields*).
  const worded = (value: unknown) =>
    typeof value === 'string' && value !== ''
      ? (options.variants.errorText ?? (/^E\d$/.test(value) ? 'Sensor Error' : value))
      : value
  return channelsOf(device, Number.POSITIVE_INFINITY).map((channel) => ({
    ...identityOf(device),
    ...channel,
    timestamp: instant || null,
    time: timeText(instant, device, wanted),
    dataId: null,
    ...measured(worded(reading.values[channel.channel])),
  }))
}

function trueSeries(simulator: Simulator, device: TrueDevice, wanted: Wanted): ReportedValue[] {
  const { action, from, to } = wanted
  const { variants } = simulator.options
  const channels = channelsOf(device, device.standalone ? variants.standaloneChannels : 4)
  return trueRecords(simulator, device, action, from, to).flatMap(({ time, id, values }) =>
    channels.map((channel) => ({
      ...identityOf(device),
      ...channel,
      timestamp: time || null,
      time: timeText(time, device, wanted),
      dataId: id,
      ...measured(values[channel.channel]),
    })),
  )
}

/** The requested records, without duplicates. */
export function trueRecords(
  { truth, options }: Simulator,
  { serial, base, standalone }: TrueDevice,
  action: ActionName,
  from: number,
  to: number,
): TrueRecord[] {
  const requested =
    action === 'latest'
      ? truth.newestRecords(NEWEST, serial, base)
      : truth.records(serial, base, from, to).filter(({ time }) => time < to)
  const highest = standalone ? options.variants.standaloneChannels : 4
  const seen = new Set<string>()
  return requested.filter(({ time, id, values }) => {
    const shown = Object.entries(values)
      .map(([channel, value]) => ({ channel: Number(channel), ...measured(value) }))
      .filter(({ channel, error }) => channel <= highest && error !== MISSING)
    const key = JSON.stringify([time, id, shown])
    return !seen.has(key) && seen.add(key)
  })
}

const identityOf = ({ serial, base, name, group }: TrueDevice) => ({ serial, base, name, group: group.name })

function channelsOf({ channels }: TrueDevice, highest: number) {
  return channels
    .filter(({ num }) => num <= highest)
    .map(({ num, name, unit }) => ({
      channel: num,
      label: stored(name) || `ch${num}`,
      unit: spelled(stored(unit)),
    }))
    .sort((a, b) => a.channel - b.channel)
}

function measured(value: unknown): { value: number | null; error: string | null } {
  // Zero has no sign in a message.
  if (typeof value === 'number') return { value: value + 0, error: null }
  return { value: null, error: typeof value === 'string' && value.trim() !== '' ? stored(value) : MISSING }
}

const SOURCES: Record<string, string> = {
  'battery-level': 'battery',
  'communication-status': 'communication',
}

/** A device's alerts, oldest first; in one entry, channels before battery and communication. */
export function expectedAlerts({ truth }: Simulator, device: TrueDevice, wanted: Wanted): ReportedAlert[] {
  const { serial, base } = device
  const keys = [...Array.from({ length: 6 }, (_, index) => `ch${index + 1}`), ...Object.keys(SOURCES)]
  return truth
    .alerts(serial, base)
    .toReversed()
    .flatMap(({ time, texts }) =>
      keys.flatMap((key): ReportedAlert[] => {
        const text = stored(texts[key] ?? '')
        if (text.trim() === '') return []
        const instant = { timestamp: time || null, time: timeText(time, device, wanted) }
        return [{ serial, base, ...instant, source: SOURCES[key] ?? key, text }]
      }),
    )
}
