import { DAY_MS } from '../../shared/local-clock'
import { urgencyOf } from '../readings/battery'
import type { AlarmList } from './alarm-list'
import type { WatchedDevice } from './condition'
import { HOLE } from './pieces'

/** How long the level of a battery must have been better, in measurements, and the silence that a new battery needs. */
const BETTER_MS = DAY_MS
const NEW_BATTERY_MS = 3_600_000

/** Judges the level of a battery (docs/judging.md, *Low battery*). @param at when it was measured, ms since 1970 UTC */
export function judgeBattery(alarms: AlarmList, device: WatchedDevice, level: string, at: number): void {
  const { battery } = device
  const rank = urgencyOf(level)
  const reported = urgencyOf(battery.alarm?.detail ?? null)
  if (rank > reported) alarms.beginAlarm(battery, at, level)
  if (level === 'unknown') return
  alarms.noteState(battery)
  const betterSince = rank > 0 || reported === 0 ? undefined : (device.betterSince ?? at)
  if (betterSince !== device.betterSince) alarms.noteChange()
  device.betterSince = betterSince
  if (betterSince === undefined) return
  if (at - betterSince < BETTER_MS && !hasNewBattery(device, at)) return
  device.betterSince = undefined
  alarms.end(battery, at)
}

/** A new battery interrupts the measurements, for longer than a device usually waits between two. */
function hasNewBattery({ newest, measuringPause }: WatchedDevice, at: number): boolean {
  return at - (newest ?? at) >= Math.max(NEW_BATTERY_MS, HOLE * measuringPause)
}
