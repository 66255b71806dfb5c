/**
 * The alert log of a device with generated records (docs/service.md, *Fields*). Entries about channels are derived from
 * the records: a value exceeds the upper limit, a value returns to normal, or a sensor fails. Entries about the device
 * concern its battery and its communication. The format of the texts is not described, so it is invented here, in two
 * languages.
 */
import { hash } from '../random'
import type {
  AlertDefinition,
  ChannelDefinition,
  EventDefinition,
  EventKind,
  RecordValue,
} from './definition'
import { emptyBattery, isReceived, type Received, recovery } from './event-effects'
import type { GeneratedSource } from './generated-records'
import { indexAt, type RecordView } from './record-views'
import { type Episode, episode, excursionOn, failureOn } from './signal'

/** How many days the log covers. A device with few events in this time has fewer entries than requested. */
const daysBack = 400
const day = 86_400

export type AlertSource = (now: number, count: number) => readonly AlertDefinition[]

interface AlertShape {
  seed: number
  channels: readonly ChannelDefinition[]
  language: 'en' | 'ja'
  source: GeneratedSource
  events: readonly EventDefinition[]
  receivedBy: (now: number) => Received
  /** seconds between current readings, if they are sent between records too */
  transmission: number | undefined
}

interface Words {
  upper(label: string, value: string, limit: string): string
  normal(label: string, value: string, limit: string): string
  sensor(label: string): string
  battery(level: number): string
  silent: string
  restored: string
}

const words: Readonly<Record<'en' | 'ja', Words>> = {
  en: {
    upper: (label, value, limit) => `${label} Upper Limit: ${value} (Upper Limit ${limit})`,
    normal: (label, value, limit) => `${label} Returned to Normal: ${value} (Upper Limit ${limit})`,
    sensor: (label) => `${label} Sensor Error`,
    battery: (level) => `Low Battery: level ${level}`,
    silent: 'Communication Error',
    restored: 'Communication Restored',
  },
  ja: {
    upper: (label, value, limit) => `${label} 上限値超過: ${value} (上限値 ${limit})`,
    normal: (label, value, limit) => `${label} 正常値復帰: ${value} (上限値 ${limit})`,
    sensor: (label) => `${label} センサーエラー`,
    battery: (level) => `電池残量低下: レベル ${level}`,
    silent: '通信エラー',
    restored: '通信復帰',
  },
}

type AddEntry = (unixtime: number, key: string, text: string) => void

/** Returns a function that lists at most `count` alerts, newest first. */
export function generatedAlerts(shape: AlertShape): AlertSource {
  return (now, count) => {
    const received = shape.receivedBy(now)
    const view = shape.source.everything(received.until)
    if (view.high <= view.low) return []
    const newest = view.timeAt(view.high - 1)
    const today = Math.floor(newest / day)
    const oldest = Math.max(today - daysBack, Math.floor(view.timeAt(view.low) / day))
    const entries = new Map<number, Record<string, string>>()
    const addUnlessFuture: AddEntry = (unixtime, key, text) => {
      if (unixtime <= now) entries.set(unixtime, { ...entries.get(unixtime), [key]: text })
    }
    const addMeasured = ifReceived(received, addUnlessFuture)
    const add: AddEntry = (unixtime, key, text) => {
      if (unixtime <= newest) addMeasured(unixtime, key, text)
    }
    for (const event of shape.events) eventEntries[event.kind](shape, event, received, addUnlessFuture)
    // More entries than needed, because an entry of an older day may be later than one that was already added.
    for (let dayIndex = today; dayIndex >= oldest && entries.size < count + 4; dayIndex--) {
      addDay(shape, view, dayIndex, add)
    }
    return [...entries]
      .map(([unixtime, texts]) => ({ unixtime, texts }))
      .sort((a, b) => b.unixtime - a.unixtime)
      .slice(0, count)
  }
}

/** Adds only the entries of measurements that the service has received. */
function ifReceived(received: Received, add: AddEntry): AddEntry {
  return (unixtime, key, text) => {
    if (isReceived(received, unixtime)) add(unixtime, key, text)
  }
}

function addDay(shape: AlertShape, view: RecordView, dayIndex: number, add: AddEntry): void {
  shape.channels.forEach((channel, column) => {
    if (!channel.signal || channel.broken !== undefined) return
    const seed = hash(shape.seed, channel.num, 77)
    const excursion = excursionOn(channel.signal, seed, dayIndex)
    if (excursion) addExcursion(shape, view, column, excursion, add)
    const failure = failureOn(channel.signal, seed, dayIndex)
    if (failure) addFailure(shape, view, column, failure, add)
  })
  addDeviceAlerts(shape, dayIndex, add)
}

function addExcursion(
  shape: AlertShape,
  view: RecordView,
  column: number,
  when: Episode,
  add: AddEntry,
): void {
  const end = Math.min(view.high, indexAt(view, when.end, true) + 1)
  const indexes = range(indexAt(view, when.start, false), end, 1)
  addCrossings(
    shape,
    column,
    indexes
      .map((index) => view.at(index))
      .map(({ time, values }) => ({ time, value: values[column] as RecordValue })),
    add,
  )
}

/** Adds an entry each time the value exceeds the limit, and each time it returns to normal. */
function addCrossings(
  shape: AlertShape,
  column: number,
  values: readonly { time: number; value: RecordValue }[],
  add: AddEntry,
): void {
  const channel = shape.channels[column] as ChannelDefinition
  const limit = channel.signal?.upperLimit
  if (limit === undefined) return
  const { upper, normal } = words[shape.language]
  const label = channel.name || `ch${channel.num}`
  const format = (value: number) =>
    `${value.toFixed(channel.signal?.decimals ?? 1)} ${channel.unit ?? ''}`.trim()
  let over = false
  for (const { time, value } of values) {
    if (typeof value !== 'number' || value > limit === over) continue
    over = !over
    add(time, `ch${channel.num}`, (over ? upper : normal)(label, format(value), format(limit)))
  }
}

/** Seconds without data after which the service reports a communication error. */
const silentAfter = 30
/** Seconds between the service's checks of a value during an event, if no current readings are sent between records. */
const checkInterval = 60

type AddEventEntries = (shape: AlertShape, event: EventDefinition, received: Received, add: AddEntry) => void

const addSilence: AddEventEntries = (shape, { from, until = Infinity }, _, add) => {
  if (until - from <= silentAfter) return
  add(from + silentAfter, 'communication-status', words[shape.language].silent)
  add(until, 'communication-status', words[shape.language].restored)
}

/** Functions that add the alerts of an event. */
const eventEntries: Readonly<Record<EventKind, AddEventEntries>> = {
  door: (shape, { from, until, channel = 1 }, received, add) => {
    const column = shape.channels.findIndex(({ num }) => num === channel)
    if (column < 0) return
    const step = shape.transmission ?? checkInterval
    const end = Math.min(received.until, (until ?? from) + recovery)
    const times = range(Math.ceil(from / step) * step, end + 1, step)
    const values = times.map((time) => ({ time, value: shape.source.measured(column, time) }))
    addCrossings(shape, column, values, ifReceived(received, add))
  },
  sensor: (shape, { from, until = Infinity, channel: num = 1 }, received, add) => {
    const channel = shape.channels.find((candidate) => candidate.num === num)
    const step = shape.transmission ?? checkInterval
    const noticed = Math.ceil(from / step) * step
    if (!channel || channel.broken !== undefined || noticed >= until) return
    ifReceived(received, add)(noticed, `ch${num}`, sensorError(shape, channel))
  },
  silence: addSilence,
  batch: () => {},
  late: addSilence,
  battery: (shape, { from, code = emptyBattery }, _, add) =>
    add(from, 'battery-level', words[shape.language].battery(code)),
}

/** The numbers from `start` (inclusive) to `end` (exclusive). */
function range(start: number, end: number, step: number): number[] {
  return Array.from({ length: Math.max(0, Math.ceil((end - start) / step)) }, (_, i) => start + i * step)
}

function addFailure(shape: AlertShape, view: RecordView, column: number, when: Episode, add: AddEntry): void {
  const channel = shape.channels[column] as ChannelDefinition
  const index = indexAt(view, when.start, false)
  if (index >= view.high || view.timeAt(index) > when.end) return
  add(view.timeAt(index), `ch${channel.num}`, sensorError(shape, channel))
}

function sensorError(shape: AlertShape, channel: ChannelDefinition): string {
  return words[shape.language].sensor(channel.name || `ch${channel.num}`)
}

/**
 * Adds entries about battery and communication. They need no record at that time, because the service monitors both.
 */
function addDeviceAlerts(shape: AlertShape, dayIndex: number, add: AddEntry): void {
  const texts = words[shape.language]
  const lowBattery = episode(shape.seed, dayIndex, { perDay: 0.01, shortest: 60, longest: 120, salt: 31 })
  if (lowBattery) add(lowBattery.start, 'battery-level', texts.battery(2))
  const silence = episode(shape.seed, dayIndex, { perDay: 0.03, shortest: 900, longest: 3600, salt: 41 })
  if (!silence) return
  add(silence.start, 'communication-status', texts.silent)
  add(silence.end, 'communication-status', texts.restored)
}
