import { translate } from './red'

/** *2 h 30 min*, *50 s*; longer durations are rounded up to minutes. */
export function formatDuration(seconds: number): string {
  if (seconds < 120 && seconds !== 60) return translate('summary.seconds', { seconds })
  const minutes = Math.ceil(seconds / 60)
  if (minutes < 60) return translate('summary.minutes', { minutes })
  const hours = Math.floor(minutes / 60)
  return minutes % 60 === 0
    ? translate('summary.whole-hours', { hours })
    : translate('summary.hours', { hours, minutes: minutes % 60 })
}
