import type { Limit } from '../../shared/limits-schema'
import { nextTurn } from '../clock'
import type { DeviceFailure } from '../collect/devices'
import type { EnvlogError } from '../errors'
import type { Channel } from '../readings/channel'
import type { Span } from '../readings/coverage'
import type { Reading } from '../readings/current'
import { hasTime, type Series } from '../readings/series'
import { type ChannelLimit, limitsOf } from './applied-limits'
import { describeChannel, valuesOf } from './channel'
import { judgeChannel } from './excursions'
import type { OpenEnds, PeriodRecords } from './records'
import type { Missing, ReportClock, ReportedChannel, ReportedDevice, ReportHead } from './report-data'

/** The device of a reading, before anything of it is known. */
export function startDevice(reading: Reading, clock: ReportClock, period: Span): ReportedDevice {
  const { serial, name, base, standalone, group, battery } = reading
  return {
    ...{ serial, name, clock },
    base: base.serial,
    baseName: standalone ? '' : base.name || base.serial,
    group: group?.name ?? '',
    from: period.from,
    to: period.to,
    battery: battery.level,
    isChecked: false,
    channels: [],
    checks: [],
    missing: [],
  }
}

/** A device, or a group, that the account does not have, or that cannot be read. */
export function absentDevice(
  { device, error }: DeviceFailure,
  clock: ReportClock,
  period: Span,
): ReportedDevice {
  const { serial, base, group } = { serial: '', base: '', group: '', ...device }
  return {
    ...{ serial, base, group, clock },
    ...{ name: error.subject?.name ?? '', baseName: '' },
    from: period.from,
    to: period.to,
    battery: null,
    isChecked: false,
    channels: [],
    checks: [],
    missing: [{ kind: 'failed', error }],
  }
}

/** A device whose records could not be requested. */
export const failedDevice = (device: ReportedDevice, error: EnvlogError): ReportedDevice => ({
  ...device,
  missing: [{ kind: 'failed', error }, ...device.missing],
})

interface KnownChannel extends Omit<Channel, 'key'> {
  limits: readonly ChannelLimit[]
}

/** The channels of a device's records, with what only its current reading tells, and with their limits. */
export function channelsOf(series: Series, reading: Reading, rows: readonly Limit[]): KnownChannel[] {
  const { base, serial, group } = reading
  const device = { base: base.serial, serial, group: group?.name ?? null }
  return series.channels.map(({ key, number, ...recorded }) => {
    const current = reading.channels.find((channel) => channel.number === number)
    const channel = {
      number,
      // Records of some devices have no names of channels.
      name: recorded.name === key ? (current?.name ?? key) : recorded.name,
      unit: recorded.unit || (current?.unit ?? ''),
      quantity: recorded.quantity ?? current?.quantity ?? null,
    }
    return { ...channel, limits: limitsOf(rows, device, channel) }
  })
}

/** Whether excursions last at the edges of the records. */
export async function findOpenEnds(
  series: Series,
  channels: readonly KnownChannel[],
  period: Span,
): Promise<OpenEnds> {
  const records = series.records.filter(hasTime)
  const ends = { needsEarlier: false, needsLater: false }
  for (const { number, limits } of channels) {
    if (limits.length === 0) continue
    const values = valuesOf(records, number)
    for (const limit of limits) {
      const { needsEarlier, needsLater } = judgeChannel(values, limit, period)
      ends.needsEarlier ||= needsEarlier
      ends.needsLater ||= needsLater
    }
    await nextTurn()
  }
  return ends
}

/** The device with what its records show. */
export async function describeDevice(
  device: ReportedDevice,
  reading: Reading,
  { series, lost, failed }: PeriodRecords,
  rows: readonly Limit[],
  least: Pick<ReportHead, 'coverage' | 'gap'>,
): Promise<ReportedDevice> {
  const period = { from: device.from, to: device.to }
  const records = series.records.filter(hasTime)
  const hasRecords = records.some(({ timestamp }) => timestamp >= period.from && timestamp < period.to)
  const described: ReportedChannel[] = []
  for (const { limits, ...channel } of channelsOf(series, reading, rows))
    described.push(
      await describeChannel(channel, records, { period, limits, ...least, isLost: lost !== undefined }),
    )
  // Without records in the period, an excursion before it may still last in it.
  const channels = described.filter(({ excursions }) => hasRecords || excursions.length > 0)
  const isChecked = hasRecords && channels.length > 0
  const missing: Missing[] = []
  if (described.length + reading.channels.length === 0) missing.push({ kind: 'no-channels' })
  else if (!isChecked) missing.push({ kind: 'no-records', isRemote: !reading.standalone })
  for (const { error } of failed) missing.push({ kind: 'left-out', error })
  if (lost !== undefined) missing.push({ kind: 'lost', period: lost })
  if (isChecked) missing.push(...missingOf(channels, reading))
  return { ...device, isChecked, channels, missing: [...missing, ...device.missing] }
}

/** The channels that are not complete, and those that have no records. */
function missingOf(channels: readonly ReportedChannel[], reading: Reading): Missing[] {
  const absent = reading.channels.filter(({ number }) => channels.every((other) => other.number !== number))
  const found = channels.flatMap((channel): Missing[] =>
    channel.state === 'complete' ? [] : [{ kind: channel.state, channel }],
  )
  return [...found, ...absent.map(({ name }): Missing => ({ kind: 'channel-absent', name }))]
}
