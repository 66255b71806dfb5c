/**
 * The alert log of a generated device, derived from its own records: a value above the upper limit, its return, a
 * failing sensor; and for the device: battery and communication. Source: *Alert log entry*; the grammar of the texts is
 * not documented there, so each contains the channel label, the kind, the value with its unit and the threshold, in two
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
import { emptyBattery, recovery } from './events'
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
  heard: (now: number) => number
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

type Tell = (unixtime: number, key: string, text: string) => void

/** Newest first, at most `count`. */
export function generatedAlerts(shape: AlertShape): AlertSource {
  return (now, count) => {
    const view = shape.source.everything(shape.heard(now))
    if (view.high <= view.low) return []
    const newest = view.timeAt(view.high - 1)
    const today = Math.floor(newest / day)
    const oldest = Math.max(today - daysBack, Math.floor(view.timeAt(view.low) / day))
    const entries = new Map<number, Record<string, string>>()
    const note: Tell = (unixtime, key, text) => {
      if (unixtime <= now) entries.set(unixtime, { ...entries.get(unixtime), [key]: text })
    }
    const tell: Tell = (unixtime, key, text) => {
      if (unixtime <= newest) note(unixtime, key, text)
    }
    for (const event of shape.events) tellEvent[event.kind](shape, event, now, note)
    // One more day than needed: an entry derived from the end of a day may be earlier than one from the next day.
    for (let d = today; d >= oldest && entries.size < count + 4; d--) tellDay(shape, view, d, tell)
    return [...entries]
      .map(([unixtime, texts]) => ({ unixtime, texts }))
      .sort((a, b) => b.unixtime - a.unixtime)
      .slice(0, count)
  }
}

function tellDay(shape: AlertShape, view: RecordView, dayIndex: number, tell: Tell): void {
  shape.channels.forEach((channel, column) => {
    if (!channel.signal || channel.broken !== undefined) return
    const seed = hash(shape.seed, channel.num, 77)
    const hot = excursionOn(channel.signal, seed, dayIndex)
    if (hot) tellExcursion(shape, view, column, hot, tell)
    const failing = failureOn(channel.signal, seed, dayIndex)
    if (failing) tellFailure(shape, view, column, failing, tell)
  })
  tellDevice(shape, dayIndex, tell)
}

function tellExcursion(shape: AlertShape, view: RecordView, column: number, when: Episode, tell: Tell): void {
  const end = Math.min(view.high, indexAt(view, when.end, true) + 1)
  const indexes = range(indexAt(view, when.start, false), end, 1)
  tellCrossings(
    shape,
    column,
    indexes
      .map((index) => view.at(index))
      .map(({ time, values }) => ({ time, value: values[column] as RecordValue })),
    tell,
  )
}

/** An entry for each time a value exceeds the limit, and for its return. */
function tellCrossings(
  shape: AlertShape,
  column: number,
  values: readonly { time: number; value: RecordValue }[],
  tell: Tell,
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
    tell(time, `ch${channel.num}`, (over ? say.upper : say.normal)(label, shown(value), shown(limit)))
  }
}

/** A device is reported missing if nothing was received for this many seconds. */
const missedAfter = 30
/** If current readings are records: how often the service checks a value during an event, in seconds. */
const watched = 60

/** The service notices events at each transmission. */
const tellEvent: Readonly<
  Record<EventKind, (shape: AlertShape, event: EventDefinition, now: number, tell: Tell) => void>
> = {
  door: (shape, { from, until, channel = 1 }, now, tell) => {
    const column = shape.channels.findIndex(({ num }) => num === channel)
    if (column < 0) return
    const step = shape.transmission ?? watched
    const end = Math.min(shape.heard(now), (until ?? from) + recovery)
    const times = range(Math.ceil(from / step) * step, end + 1, step)
    const values = times.map((time) => ({ time, value: shape.source.measured(column, time) }))
    tellCrossings(shape, column, values, tell)
  },
  silence: (shape, { from, until = Infinity }, _, tell) => {
    if (until - from <= missedAfter) return
    tell(from + missedAfter, 'communication-status', words[shape.language].silent)
    tell(until, 'communication-status', words[shape.language].restored)
  },
  battery: (shape, { from, code = emptyBattery }, _, tell) =>
    tell(from, 'battery-level', words[shape.language].battery(code)),
}

/** From `start` (inclusive) to `end` (exclusive). */
function range(start: number, end: number, step: number): number[] {
  return Array.from({ length: Math.max(0, Math.ceil((end - start) / step)) }, (_, i) => start + i * step)
}

function tellFailure(shape: AlertShape, view: RecordView, column: number, when: Episode, tell: Tell): void {
  const channel = shape.channels[column] as ChannelDefinition
  const index = indexAt(view, when.start, false)
  if (index >= view.high || view.timeAt(index) > when.end) return
  const label = channel.name || `ch${channel.num}`
  tell(view.timeAt(index), `ch${channel.num}`, words[shape.language].sensor(label))
}

/** The service monitors battery and communication, so their entries need no record at that time. */
function tellDevice(shape: AlertShape, dayIndex: number, tell: Tell): void {
  const say = words[shape.language]
  const weak = episode(shape.seed, dayIndex, 0.01, 60, 120, 31)
  if (weak) tell(weak.start, 'battery-level', say.battery(2))
  const silent = episode(shape.seed, dayIndex, 0.03, 900, 3600, 41)
  if (!silent) return
  tell(silent.start, 'communication-status', say.silent)
  tell(silent.end, 'communication-status', say.restored)
}
