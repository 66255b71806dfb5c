import { formatLocalTime, type LocalClock, MINUTE_MS } from '../../../shared/local-clock'

/** The clock of the machine that runs Node-RED. */
export const hostClock: LocalClock = { offsetAt: (instant) => -new Date(instant).getTimezoneOffset() }

/**
 * Formats a time in the time zone of the machine that runs Node-RED: `14:20`, `14:20:05` if it is less than a minute
 * ahead, or `11-24 14:20` if it is not today.
 * @param at ms since 1970 UTC
 */
export function formatTime(at: number): string {
  const [local, now] = [formatLocalTime(hostClock, at), formatLocalTime(hostClock, Date.now())]
  const ahead = at - Date.now()
  const time = local.slice(11, 0 < ahead && ahead < MINUTE_MS ? 19 : 16)
  return local.slice(0, 10) === now.slice(0, 10) ? time : `${local.slice(5, 10)} ${time}`
}

/** Formats date and time: `2026-11-24 14:20`. @param at ms since 1970 UTC */
export const formatDate = (clock: LocalClock, at: number) =>
  formatLocalTime(clock, at).slice(0, 16).replace('T', ' ')
