/**
 * The alert log of a generated device, told from its own records: a value over the upper limit, its return, a failing
 * sensor; and of the device: battery and communication. Source: *Alert log entry*; the grammar of the texts is not
 * shown there, so each holds the channel label, the kind, the value with its unit and the threshold, in two languages.
 */
import { hash } from '../random'
import type { AlertDefinition, ChannelDefinition, RecordValue } from './definition'
import { placeOf, type RecordSource, type RecordView } from './records'
import { type Episode, episode, excursionOn, failureOn } from './signal'

/** How far back the log is told; a device with quiet years has fewer than the 20 entries asked for. */
const daysBack = 400
const day = 86_400

export type AlertSource = (now: number, count: number) => readonly AlertDefinition[]

interface AlertShape {
  seed: number
  channels: readonly ChannelDefinition[]
  language: 'en' | 'ja'
  everything: RecordSource
}

interface Words {
  upper(label: string, value: string, limit: string): string
  normal(label: string, value: string, limit: string): string
  sensor(label: string): string
  battery: string
  silent: string
  restored: string
}

const words: Readonly<Record<'en' | 'ja', Words>> = {
  en: {
    upper: (label, value, limit) => `${label} Upper Limit: ${value} (Upper Limit ${limit})`,
    normal: (label, value, limit) => `${label} Returned to Normal: ${value} (Upper Limit ${limit})`,
    sensor: (label) => `${label} Sensor Error`,
    battery: 'Low Battery: level 2',
    silent: 'Communication Error',
    restored: 'Communication Restored',
  },
  ja: {
    upper: (label, value, limit) => `${label} 上限値超過: ${value} (上限値 ${limit})`,
    normal: (label, value, limit) => `${label} 正常値復帰: ${value} (上限値 ${limit})`,
    sensor: (label) => `${label} センサーエラー`,
    battery: '電池残量低下: レベル 2',
    silent: '通信エラー',
    restored: '通信復帰',
  },
}

type Tell = (unixtime: number, key: string, text: string) => void

/** Newest first, at most `count`. */
export function generatedAlerts(shape: AlertShape): AlertSource {
  return (now, count) => {
    const view = shape.everything(now)
    if (view.high <= view.low) return []
    const newest = view.timeAt(view.high - 1)
    const today = Math.floor(newest / day)
    const oldest = Math.max(today - daysBack, Math.floor(view.timeAt(view.low) / day))
    const entries = new Map<number, Record<string, string>>()
    const tell: Tell = (unixtime, key, text) => {
      if (unixtime > newest) return
      entries.set(unixtime, { ...entries.get(unixtime), [key]: text })
    }
    // One day more than needed: an entry told from a day's end may lie before one of the day after.
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
  const channel = shape.channels[column] as ChannelDefinition
  const limit = channel.signal?.upperLimit
  if (limit === undefined) return
  const say = words[shape.language]
  const label = channel.name || `ch${channel.num}`
  const shown = (value: number) =>
    `${value.toFixed(channel.signal?.decimals ?? 1)} ${channel.unit ?? ''}`.trim()
  let over = false
  const end = Math.min(view.high, placeOf(view, when.end, true) + 1)
  for (let place = placeOf(view, when.start, false); place < end; place++) {
    const record = view.at(place)
    const value = record.values[column] as RecordValue
    if (typeof value !== 'number' || value > limit === over) continue
    over = !over
    tell(record.time, `ch${channel.num}`, (over ? say.upper : say.normal)(label, shown(value), shown(limit)))
  }
}

function tellFailure(shape: AlertShape, view: RecordView, column: number, when: Episode, tell: Tell): void {
  const channel = shape.channels[column] as ChannelDefinition
  const place = placeOf(view, when.start, false)
  if (place >= view.high || view.timeAt(place) > when.end) return
  const label = channel.name || `ch${channel.num}`
  tell(view.timeAt(place), `ch${channel.num}`, words[shape.language].sensor(label))
}

/** Battery and communication are watched by the service, so their entries need no record at that time. */
function tellDevice(shape: AlertShape, dayIndex: number, tell: Tell): void {
  const say = words[shape.language]
  const weak = episode(shape.seed, dayIndex, 0.01, 60, 120, 31)
  if (weak) tell(weak.start, 'battery-level', say.battery)
  const silent = episode(shape.seed, dayIndex, 0.03, 900, 3600, 41)
  if (!silent) return
  tell(silent.start, 'communication-status', say.silent)
  tell(silent.end, 'communication-status', say.restored)
}
