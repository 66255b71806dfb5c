import { formatLocalTime, type LocalClock } from '../../shared/local-clock'

/** A title with more characters is cut, because file systems allow 255 bytes. */
const MAX_TITLE = 40
/** What file systems, shells and mail programs do not accept in a name, or what separates its parts. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
const UNSAFE = /[\0-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\s/\\:*?"'`<>|%&$#!;~^.{}[\]()]+/g

/**
 * The name of a report's file without its ending: title, date of the period, and when it was made, with milliseconds.
 * @param number from 2 if it is not the first one that is made in this millisecond
 */
export function toFileName(title: string, key: string, made: number, clock: LocalClock, number = 1): string {
  const safe = [...title.normalize('NFC').replace(UNSAFE, '-')].slice(0, MAX_TITLE).join('')
  const [date = '', time = ''] = formatLocalTime(clock, made).slice(0, 23).split('T')
  const name = [safe.replace(/^-+|-+$/g, '') || 'report', key, 'made', date, time.replace(/[:.]/g, '')]
  return [...name, ...(number > 1 ? [number] : [])].join('-')
}
