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
import { emptyBattery, recovery } from './event-effects'
import type { GeneratedSource } from './generated'
import { indexAt, type RecordView } from './records'
import { type Episode, episode, excursionOn, failureOn } from './signal'

/** How far back the log reaches; a device with quiet years has fewer than the 20 entries requested. */
const daysBack = 400
const day = 86_400

export type AlertSource = (now: number, count: number) => readonly AlertDefinition[]

interface AlertShape {
  seed: number
  channels: readonly ChannelDefinition[]
  language: 'en' | 'ja'
  source: GeneratedSource
  events: readonly EventDefinition[]
  /** the time up to which the service has data */
  receivedUntil: (now: number) => number
  /** seconds between two current readings, if they are sent more often than records */
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

/** Newest first, at most `count`. */
export function generatedAlerts(shape: AlertShape): AlertSource {
  return (now, count) => {
    const view = shape.source.everything(shape.receivedUntil(now))
    if (view.high <= view.low) return []
    const newest = view.timeAt(view.high - 1)
    const today = Math.floor(newest / day)
    const oldest = Math.max(today - daysBack, Math.floor(view.timeAt(view.low) / day))
    const entries = new Map<number, Record<string, string>>()
    const addUnlessFuture: AddEntry = (unixtime, key, text) => {
      if (unixtime <= now) entries.set(unixtime, { ...entries.get(unixtime), [key]: text })
    }
    const add: AddEntry = (unixtime, key, text) => {
      if (unixtime <= newest) addUnlessFuture(unixtime, key, text)
    }
    for (const event of shape.events) eventEntries[event.kind](shape, event, now, addUnlessFuture)
    // One more day than needed: an entry derived from the end of a day may be earlier than one from the next day.
    for (let d = today; d >= oldest && entries.size < count + 4; d--) addDay(shape, view, d, add)
    return [...entries]
      .map(([unixtime, texts]) => ({ unixtime, texts }))
      .sort((a, b) => b.unixtime - a.unixtime)
      .slice(0, count)
  }
}

function addDay(shape: AlertShape, view: RecordView, dayIndex: number, add: AddEntry): void {
  shape.channels.forEach((channel, column) => {
    if (!channel.signal || channel.broken !== undefined) return
    const seed = hash(shape.seed, channel.num, 77)
    const hot = excursionOn(channel.signal, seed, dayIndex)
    if (hot) addExcursion(shape, view, column, hot, add)
    const failing = failureOn(channel.signal, seed, dayIndex)
    if (failing) addFailure(shape, view, column, failing, add)
  })
  addDevice(shape, dayIndex, add)
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

/** An entry for each time a value exceeds the limit, and for its return. */
function addCrossings(
  shape: AlertShape,
  column: number,
  values: readonly { time: number; value: RecordValue }[],
  add: AddEntry,
): void {
  const channel = shape.channels[column] as ChannelDefinition
  const limit = channel.signal?.upperLimit
  if (limit === undefined) return
  const say = words[shape.language]
  const label = channel.name || `ch${channel.num}`
  const shown = (value: number) =>
    `${value.toFixed(channel.signal?.decimals ?? 1)} ${channel.unit ?? ''}`.trim()
  let over = false
  for (const { time, value } of values) {
    if (typeof value !== 'number' || value > limit === over) continue
    over = !over
    add(time, `ch${channel.num}`, (over ? say.upper : say.normal)(label, shown(value), shown(limit)))
  }
}

/** A device is reported missing if nothing was received for this many seconds. */
const missingAfter = 30
/** If current readings are records: how often the service checks a value during an event, in seconds. */
const checkInterval = 60

/** The service notices events at each transmission. */
const eventEntries: Readonly<
  Record<EventKind, (shape: AlertShape, event: EventDefinition, now: number, add: AddEntry) => void>
> = {
  door: (shape, { from, until, channel = 1 }, now, add) => {
    const column = shape.channels.findIndex(({ num }) => num === channel)
    if (column < 0) return
    const step = shape.transmission ?? checkInterval
    const end = Math.min(shape.receivedUntil(now), (until ?? from) + recovery)
    const times = range(Math.ceil(from / step) * step, end + 1, step)
    const values = times.map((time) => ({ time, value: shape.source.measured(column, time) }))
    addCrossings(shape, column, values, add)
  },
  silence: (shape, { from, until = Infinity }, _, add) => {
    if (until - from <= missingAfter) return
    add(from + missingAfter, 'communication-status', words[shape.language].silent)
    add(until, 'communication-status', words[shape.language].restored)
  },
  battery: (shape, { from, code = emptyBattery }, _, add) =>
    add(from, 'battery-level', words[shape.language].battery(code)),
}

/** From `start` (inclusive) to `end` (exclusive). */
function range(start: number, end: number, step: number): number[] {
  return Array.from({ length: Math.max(0, Math.ceil((end - start) / step)) }, (_, i) => start + i * step)
}

function addFailure(shape: AlertShape, view: RecordView, column: number, when: Episode, add: AddEntry): void {
  const channel = shape.channels[column] as ChannelDefinition
  const index = indexAt(view, when.start, false)
  if (index >= view.high || view.timeAt(index) > when.end) return
  const label = channel.name || `ch${channel.num}`
  add(view.timeAt(index), `ch${channel.num}`, words[shape.language].sensor(label))
}

/** The service monitors battery and communication, so their entries need no record at that time. */
function addDevice(shape: AlertShape, dayIndex: number, add: AddEntry): void {
  const say = words[shape.language]
  const weak = episode(shape.seed, dayIndex, 0.01, 60, 120, 31)
  if (weak) add(weak.start, 'battery-level', say.battery(2))
  const silent = episode(shape.seed, dayIndex, 0.03, 900, 3600, 41)
  if (!silent) return
  add(silent.start, 'communication-status', say.silent)
  add(silent.end, 'communication-status', say.restored)
}
