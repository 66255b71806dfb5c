import type { ListedDevice, TrialLine } from '../../shared/admin'
import { withUnit } from '../../shared/quantity'
import type { DeviceListState } from '../device-source'
import { clockTime, enumerated, perLanguage, translate } from '../red'
import { type Chosen, isDevice } from './choice'
import { includes } from './device-tree'

/** The remaining requests are shown if there are at most this many, because refreshing the list uses one. */
const FEW_REQUESTS = 3

/** Maximum number of values shown next to a device. Its tooltip has all of them. */
const MAX_VALUES = 2

const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
]

const relativeTime = perLanguage((language) => new Intl.RelativeTimeFormat(language, { style: 'short' }))

/** Formats how long ago an instant (ms since 1970) was, in the user's language: *3 min. ago*. */
export function ago(instant: number, now: number): string {
  const ms = Math.max(0, now - instant)
  const [unit, size] = UNITS.find(([, least]) => ms >= least) ?? ['second', 1000]
  return relativeTime().format(-Math.floor(ms / size), unit)
}

/** Formats current values: *-18.4 °C, 45%*, or the service's text if there is no value. */
export function valuesOf({ channels }: Pick<TrialLine, 'channels'>, most = MAX_VALUES): string {
  return enumerated(
    channels
      .slice(0, most)
      .map(({ value, unit, error }) => (value === null ? (error ?? '–') : withUnit(value, unit))),
  )
}

/** The name of a chosen item, or what identifies it if the devices of the account are unknown. */
export function nameOf(item: Chosen, devices: readonly ListedDevice[] | undefined): string {
  if ('group' in item) return item.group
  const device = devices?.find((candidate) => includes(item, candidate))
  if (isDevice(item)) return device?.name || item.serial
  return device?.base.name || (device?.standalone && device.name) || item.unit
}

/** The icon class for each known battery level. */
export const BATTERY_ICONS: Readonly<Record<string, string>> = {
  sufficient: 'fa-battery-full',
  half: 'fa-battery-half',
  low: 'fa-battery-quarter',
  'replace-soon': 'fa-battery-quarter',
  'replace-now': 'fa-battery-empty',
}

/** Describes the state of the list, its age, and the requests left for a newer one. */
export function describeState({ kind, list, why = '' }: DeviceListState): string {
  if (kind === 'loading') return translate('picker.asking')
  if (kind === 'failed' || !list) return why
  const { receivedAt, left, freeAt } = list
  const received = translate('picker.as-of', { time: clockTime(receivedAt) })
  if (left > FEW_REQUESTS) return received
  const cost =
    freeAt === null
      ? translate('picker.left', { count: left })
      : translate('picker.free-at', { time: clockTime(freeAt) })
  return `${received} ${cost}`
}
