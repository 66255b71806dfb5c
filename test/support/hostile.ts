/** Names with difficult characters, and a fleet that uses them for devices, groups, channels and units. */
import type { DeviceDefinition, RecordDefinition } from '../../simulator'

export const hostile = {
  slashes: '/Hall/1 + 2 #/#',
  dollar: '$SYS/broker',
  lines: 'two\nlines\r\nand\ta tab',
  lineEnd: 'ends with a line\n',
  html: '<b onclick="x()">&amp;</b><!--',
  proto: '__proto__',
  quotes: `O'Brien's 3" "shelf" \`x\` '' ""`,
  places: `{name} {{msg.payload}} \${HOME} $1 :x ?`,
  backslashes: 'C:\\temp\\new \\" \\u0041',
  trailing: 'ends in a backslash\\',
  escapes: 'a\\,b\\=c\\ d',
  commas: 'a, b=c;d',
  sheet: '=1+1',
  wide: '🌡️ 𠮷野家 ﾃﾞｰﾀ e\u0301',
} as const

export type Hostile = keyof typeof hostile

export const hostileNames = Object.keys(hostile) as Hostile[]

export const HOSTILE_NOW = Date.UTC(2026, 0, 15, 3)

/** Serials by name. */
export const serialOf = (name: Hostile): string =>
  `52B1000${hostileNames.indexOf(name).toString(16).toUpperCase()}`

/** A device that gets new records as time passes, one with a record without a time, and one under a base unit. */
export const GROWING = '52C10001'
export const TIMELESS = '52C10002'
export const REMOTE = '52C10003'

const INTERVAL = 600
const HOUR = 3600

/** Records with difficult numbers, then values that are not numbers. */
const records: RecordDefinition[] = [-18.4, 0, 1e-7, 123456.789, 0.1 + 0.2, 'E1', null].map(
  (value, index, { length }) => ({
    unixtime: HOSTILE_NOW / 1000 - (length - index) * INTERVAL,
    id: index + 1,
    values: { 1: value, 2: 55.5 + index },
  }),
)

/** A device that uses this text for all of its texts. */
export function deviceNamed(text: string, serial: string): DeviceDefinition {
  return {
    serial,
    name: text,
    model: text,
    group: { num: 1, name: text },
    channels: [
      { num: 1, name: text, unit: text },
      { num: 2, name: 'Inside', unit: 'C' },
    ],
    records,
    alerts: [
      { unixtime: HOSTILE_NOW / 1000 - HOUR, texts: { ch1: text, 'battery-level': text } },
      { unixtime: HOSTILE_NOW / 1000 - INTERVAL, texts: { ch2: 'Upper Limit' } },
    ],
  }
}
