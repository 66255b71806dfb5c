import { graph, type Json, relayGraph } from '../../unit/lib/responses'
import type { DeviceProfile, MeasuredRecord, SimulatedDevice } from './device'
import { selectRecords, sortRecords } from './selection'

const byTime = (a: MeasuredRecord, b: MeasuredRecord) => a.unixtime - b.unixtime || a.seq - b.seq

/** The responses of a service that has one device, according to the described selection rules. */
export function createDeviceService(profile: DeviceProfile, device: SimulatedDevice) {
  const { newestBy, inclusive, order, standalone, newest: most } = profile

  /** @param lag number of the last records that a replica lacks */
  function newest(lag: number, number = most): MeasuredRecord[] {
    const kept = device.stored(lag)
    return (newestBy === 'time' ? kept.sort(byTime) : kept).slice(-number)
  }

  const between = (from: number, to: number, number: number, lag: number): MeasuredRecord[] =>
    selectRecords(device.stored(lag).sort(byTime), { from, to, number }, inclusive)

  /** The response as JSON; a missing time is 0 or blank text, by turns. */
  function answer(records: readonly MeasuredRecord[]): Json {
    const data = sortRecords(records.toSorted(byTime), order).map(({ seq, unixtime, id }) => ({
      unixtime: unixtime || (seq % 2 ? 0 : ''),
      'data-id': standalone ? id : String(id),
      ch1: standalone ? seq : String(seq),
    }))
    return standalone ? graph({ data }) : relayGraph({ data })
  }

  return { newest, between, answer }
}
