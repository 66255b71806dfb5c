import { graph, type Json, relayGraph } from '../../lib/answers'
import type { Device, Habits, Measured } from './device'

/** The newest so many records: 300 of the real service. */
export const NEWEST = 5

const byTime = (a: Measured, b: Measured) => a.unixtime - b.unixtime || a.seq - b.seq

/** The answers of a service that has one device, by the description's selection rules. */
export function createRecordsService(habits: Habits, device: Device) {
  const { newestBy, inclusive, standalone } = habits

  function newest(): Measured[] {
    const kept = device.kept()
    return (newestBy === 'time' ? kept.sort(byTime) : kept).slice(-NEWEST)
  }

  function between(from: number, to: number, number: number): Measured[] {
    const edge = inclusive ? 0 : 1
    const inside = device.kept().filter(({ unixtime }) => unixtime >= from + edge && unixtime <= to - edge)
    return inside.sort(byTime).slice(-number)
  }

  /** As it goes over the wire; half of the records without a time have a blank one. */
  function answer(records: readonly Measured[]): Json {
    const data = inOrder(records.toSorted(byTime), habits).map(({ seq, unixtime, id }) => ({
      unixtime: unixtime || (seq % 2 ? 0 : ''),
      'data-id': standalone ? id : String(id),
      ch1: standalone ? seq : String(seq),
    }))
    return standalone ? graph({ data }) : relayGraph({ data })
  }

  return { newest, between, answer }
}

function inOrder(records: Measured[], { order }: Habits): Measured[] {
  if (order === 'ascending') return records
  if (order === 'descending') return records.toReversed()
  return [...records.filter((_, index) => index % 2), ...records.filter((_, index) => index % 2 === 0)]
}
