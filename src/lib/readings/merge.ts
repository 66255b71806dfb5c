import { setQuantities } from '../../shared/quantity'
import { MISSING } from '../decode/value'
import type { Channel } from './channel'
import { findGaps } from './continuity'
import type { SeriesRecord } from './record-reader'
import { type Series, type SeriesPart, sortAndDeduplicate } from './series'

/**
 * Merges responses for one device, newest first, into one series. The first part determines name and offset. The
 * records of the parts may be modified.
 * @throws RangeError without any part
 */
export function mergeSeries(parts: readonly SeriesPart[]): Series {
  const [newest] = parts
  if (!newest) throw new RangeError('mergeSeries needs at least one part')
  if (parts.length === 1) return { ...newest, gaps: findGaps(newest.records, newest.standalone) }
  // Only records show whether channels are numbered from 0 or 1, so a response without records may number them
  // differently.
  const withRecords = parts.filter(({ records }) => records.length > 0)
  const channels = uniteChannels(
    (withRecords.length > 0 ? withRecords : [newest]).map((part) => part.channels),
  )
  for (const part of parts) if (part.channels.length < channels.length) addMissingChannels(part, channels)
  // Each part is sorted, so sorting is fast if the oldest part is first.
  const lists = parts.toReversed().map((part) => part.records)
  const records = sortAndDeduplicate(([] as SeriesRecord[]).concat(...lists), channels)
  return { ...newest, channels, records, gaps: findGaps(records, newest.standalone) }
}

function uniteChannels(lists: readonly (readonly Channel[])[]): Channel[] {
  const byNumber = new Map<number, Channel>()
  for (const channel of lists.flat()) if (!byNumber.has(channel.number)) byNumber.set(channel.number, channel)
  const channels = [...byNumber.values()].sort((a, b) => a.number - b.number)
  setQuantities(channels)
  return channels
}

/** Adds the keys of all channels of the series to the records of a part. */
function addMissingChannels(part: SeriesPart, channels: readonly Channel[]): void {
  const present = new Set(part.channels.map(({ key }) => key))
  const absent = channels.filter(({ key }) => !present.has(key))
  for (const record of part.records) {
    for (const { key } of absent) {
      record[key as `ch${number}`] = null
      record.errors = { ...record.errors, [key]: MISSING }
    }
  }
}
