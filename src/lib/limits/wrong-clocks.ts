import type { WatchedDevice } from './condition'
import type { MeasuredDevice } from './measurements'

/** Recognizes measurements of devices whose clock, or that of Node-RED, is wrong (docs/judging.md, *Wrong clocks*). */

/** A device that sends only older measurements for this long begins anew, as after its clock was set back. */
const MAX_LATE_MS = 3_600_000
/** Measurements further ahead of the clock are judged only if the device sends no others for as long. */
export const MAX_AHEAD_MS = 3_600_000

/**
 * The measurements that are not ahead of the clock, unless the device has sent no others for long.
 * @param times ms since 1970 UTC, and monotonic ms
 */
export function withoutAhead(
  device: WatchedDevice,
  measured: MeasuredDevice,
  { now, monotonic }: { now: number; monotonic: number },
): MeasuredDevice {
  const latest = now + MAX_AHEAD_MS
  if (measured.newest === null || measured.newest <= latest) {
    // An old one that arrives late says nothing about the clock.
    if ((measured.newest ?? Number.NEGATIVE_INFINITY) > (device.newest ?? Number.NEGATIVE_INFINITY))
      device.aheadSince = undefined
    return measured
  }
  let newest: number | null = null
  const channels = measured.channels.map((channel) => {
    const values = channel.values.filter(({ time }) => time <= latest)
    for (const { time } of values) newest = Math.max(newest ?? time, time)
    return { ...channel, values }
  })
  device.aheadSince = newest === null ? (device.aheadSince ?? monotonic) : undefined
  const { aheadSince } = device
  const isTrusted = aheadSince !== undefined && monotonic - aheadSince >= MAX_AHEAD_MS
  return isTrusted ? measured : { ...measured, newest, channels }
}

/** Whether a device has sent only older measurements for an hour, as after its clock was set back. */
export function isLateForLong(device: WatchedDevice, newest: number, monotonic: number): boolean {
  const { late } = device
  device.late = undefined
  if (newest >= (device.newest ?? newest)) return false
  // Blocks of older measurements, the newest block first, are no sign of a clock that was set back.
  device.late = { at: newest, since: late && newest >= late.at ? late.since : monotonic }
  return newest !== late?.at && monotonic - device.late.since >= MAX_LATE_MS
}
