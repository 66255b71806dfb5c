import { urgencyOf } from '../readings/battery'
import type { ReportedChannel, ReportedDevice, Verdict, VerdictCounts } from './report-data'

/**
 * What the devices of a report have in common.
 * @param reachesNow whether the period lasts until the time of making, so that batteries count
 */
export function toVerdict(
  devices: readonly ReportedDevice[],
  { reachesNow }: { reachesNow: boolean },
): Verdict {
  const channels = devices.flatMap((device) => (device.isChecked ? device.channels : []))
  const checks = devices.flatMap((device) => device.checks)
  const all = [...channels, ...checks]
  const countOf = (state: ReportedChannel['state']) =>
    channels.filter((channel) => channel.state === state).length
  const missingOf = (kind: string) =>
    devices.flatMap(({ missing }) => missing).filter((one) => one.kind === kind).length
  const excursions = devices
    .flatMap((device) => device.channels)
    .reduce((sum, channel) => sum + channel.excursions.length + channel.leftOut, 0)
  const counts: VerdictCounts = {
    devices: devices.length,
    unchecked: devices.filter(({ isChecked }) => !isChecked).length,
    missing: devices.filter(({ missing }) => missing.length > 0).length,
    channels: all.length,
    withoutLimits: all.filter(({ limits }) => limits.length === 0).length,
    excursions: excursions + checks.filter(({ outside }) => outside.length > 0).length,
    noValue: countOf('no-value') + missingOf('channel-absent'),
    incomplete: countOf('incomplete'),
    unreadable: devices.filter(({ missing }) => missing.some(({ kind }) => kind === 'left-out')).length,
    silent: missingOf('silent'),
    battery: reachesNow ? devices.filter(({ battery }) => urgencyOf(battery) > 0).length : 0,
    failed: checks.filter(({ result }) => result === 'fail').length,
    passed: checks.filter(({ result }) => result === 'pass').length,
  }
  return { level: levelOf(counts), counts }
}

function levelOf(counts: VerdictCounts): Verdict['level'] {
  const { devices, unchecked, missing, excursions, battery, failed, channels, withoutLimits } = counts
  if (excursions > 0 || failed > 0 || unchecked === devices) return 'bad'
  // Without any limit, nothing was judged.
  return missing > 0 || battery > 0 || withoutLimits === channels ? 'warning' : 'good'
}
