import { MISSING } from '../decode/number'
import { type Channel, setQuantities } from './channel'
import { findGaps } from './continuity'
import type { SeriesRecord } from './record-reader'
import { oldestFirst, type Series, type SeriesPart } from './series'

/** One series of several answers of one device; the first tells names and offset. */
export function mergeSeries(parts: readonly SeriesPart[]): Series {
  const [newest] = parts
  if (!newest) throw new RangeError('a series is merged of at least one')
  if (parts.length === 1) return { ...newest, gaps: findGaps(newest.records, newest.standalone) }
  // How channels are counted only records tell: an answer without any may number them otherwise.
  const telling = parts.filter(({ records }) => records.length > 0)
  const channels = unite((telling.length > 0 ? telling : [newest]).map((part) => part.channels))
  for (const part of parts) if (part.channels.length < channels.length) fill(part, channels)
  // Answers are in order already; newest part first, so that sorting finds little to do.
  const lists = parts.toReversed().map((part) => part.records)
  const records = oldestFirst(([] as SeriesRecord[]).concat(...lists), channels)
  return { ...newest, channels, records, gaps: findGaps(records, newest.standalone) }
}

function unite(lists: readonly (readonly Channel[])[]): Channel[] {
  const found = new Map<number, Channel>()
  for (const channel of lists.flat()) if (!found.has(channel.number)) found.set(channel.number, channel)
  const channels = [...found.values()].sort((a, b) => a.number - b.number)
  setQuantities(channels)
  return channels
}

/** Every record has the keys of the series' channels. */
function fill(part: SeriesPart, channels: readonly Channel[]): void {
  const own = new Set(part.channels.map(({ key }) => key))
  const absent = channels.filter(({ key }) => !own.has(key))
  for (const record of part.records) {
    for (const { key } of absent) {
      record[key as `ch${number}`] = null
      record.errors = { ...record.errors, [key]: MISSING }
    }
  }
}
