import { graph, type Json, relayGraph } from '../../lib/answers'
import type { Device, Habits, Measured } from './device'
import { inOrder, selected } from './selection'

/** The newest so many records: 300 of the real service. */
export const NEWEST = 5

const byTime = (a: Measured, b: Measured) => a.unixtime - b.unixtime || a.seq - b.seq

/** The answers of a service that has one device, by the description's selection rules. */
export function createRecordsService(habits: Habits, device: Device) {
  const { newestBy, inclusive, order, standalone } = habits

  function newest(): Measured[] {
    const kept = device.kept()
    return (newestBy === 'time' ? kept.sort(byTime) : kept).slice(-NEWEST)
  }

  const between = (from: number, to: number, number: number): Measured[] =>
    selected(device.kept().sort(byTime), { from, to, number }, inclusive)

  /** As it goes over the wire; half of the records without a time have a blank one. */
  function answer(records: readonly Measured[]): Json {
    const data = inOrder(records.toSorted(byTime), order).map(({ seq, unixtime, id }) => ({
      unixtime: unixtime || (seq % 2 ? 0 : ''),
      'data-id': standalone ? id : String(id),
      ch1: standalone ? seq : String(seq),
    }))
    return standalone ? graph({ data }) : relayGraph({ data })
  }

  return { newest, between, answer }
}
