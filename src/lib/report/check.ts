import type { Limit } from '../../shared/limits-schema'
import { judge, type Lane } from '../limits/judge'
import type { Reading } from '../readings/current'
import { type ChannelLimit, limitsOf } from './applied-limits'
import { decimalsOf } from './channel'
import type { CheckedChannel, Missing, ReportedDevice } from './report-data'

/**
 * A device with the result of a check of its current reading. A channel passes if it has a value inside its limits, and
 * the device is not silent.
 */
export function checkDevice(
  device: ReportedDevice,
  reading: Reading,
  rows: readonly Limit[],
): ReportedDevice {
  const isSilent = device.missing.some(({ kind }) => kind === 'silent')
  const about = { base: device.base, serial: device.serial, group: device.group || null }
  const { timestamp: time } = reading
  const checks = reading.channels.map(({ key: _, value, error, ...channel }): CheckedChannel => {
    const limits = limitsOf(rows, about, channel)
    const outside = value === null ? [] : limits.flatMap((limit) => outsideOf(value, limit))
    const isFailed = isSilent || value === null || outside.length > 0
    return {
      ...channel,
      decimals: value === null ? 0 : decimalsOf([value]),
      limits: limits.map(({ shown }) => shown),
      ...{ value, error, time, outside },
      result: isFailed ? 'fail' : limits.length > 0 ? 'pass' : 'none',
    }
  })
  const missing: Missing[] = checks.length === 0 ? [{ kind: 'no-channels' }] : []
  return { ...device, isChecked: checks.length > 0, checks, missing: [...missing, ...device.missing] }
}

/** The limit, if a value is outside of it. Its *For* is not considered. */
function outsideOf(value: number, { shown, convert }: ChannelLimit): CheckedChannel['outside'] {
  const lane: Lane = { run: undefined }
  judge(lane, { time: 0, value: convert(value) }, shown)
  return lane.run ? [{ limit: shown, side: lane.run.side }] : []
}
