/** What each node can send (docs/messages.md, *Output and send*). Forms and runtime accept nothing else. */

import type { ActionType } from './action'

export const OUTPUTS = ['readings', 'rows', 'points', 'values', 'statistics', 'raw', 'csv', 'csv2'] as const
export type Output = (typeof OUTPUTS)[number]

export const SENDS = ['all', 'device', 'each', 'chunk', 'value', 'answer'] as const
export type Send = (typeof SENDS)[number]

const SERIES = {
  readings: ['device', 'each'],
  rows: ['device', 'each'],
  points: ['device', 'each'],
  values: ['value'],
  raw: ['answer'],
  csv: ['answer'],
  csv2: ['answer'],
} as const

/** Values of `send` by node and output; the first is the default. A node does not offer outputs that are not listed. */
export const OFFERED: Record<ActionType, Partial<Record<Output, readonly Send[]>>> = {
  'envlog-current': {
    readings: ['all', 'device'],
    rows: ['all', 'device', 'each'],
    points: ['all', 'device', 'each'],
    values: ['value'],
    raw: ['answer'],
  },
  'envlog-latest': SERIES,
  'envlog-range': {
    ...SERIES,
    readings: ['device', 'each', 'chunk'],
    rows: ['device', 'each', 'chunk'],
    points: ['device', 'each', 'chunk'],
    statistics: ['device', 'all', 'each'],
  },
  'envlog-alerts': {
    readings: ['device', 'each'],
    rows: ['device', 'each'],
    points: ['device', 'each'],
    raw: ['answer'],
  },
}

/** Settings that only some outputs have. Without `time`, times are local; without `number`, all records are read. */
export const OUTPUT_SETTINGS = ['measurement', 'field-names', 'per', 'time', 'number'] as const

/** What else depends on the output. */
interface OutputTraits {
  /** The requested form of the response: `read` is decoded, the others are sent unchanged. */
  format: 'read' | 'json' | 'csv' | 'csv2'
  /** Messages have a receipt if `send` is `device`. */
  hasReceipt: boolean
  /** Messages contain names that the response may lack; the list of devices has them. */
  needsNames: boolean
  settings: readonly (typeof OUTPUT_SETTINGS)[number][]
}

const TIME_NUMBER = ['time', 'number'] as const
const OF_POINTS = ['measurement', 'field-names', 'time', 'number'] as const

export const OUTPUT_TRAITS: Record<Output, OutputTraits> = {
  readings: { format: 'read', hasReceipt: true, needsNames: false, settings: TIME_NUMBER },
  rows: { format: 'read', hasReceipt: true, needsNames: true, settings: TIME_NUMBER },
  points: { format: 'read', hasReceipt: true, needsNames: true, settings: OF_POINTS },
  values: { format: 'read', hasReceipt: false, needsNames: true, settings: TIME_NUMBER },
  statistics: { format: 'read', hasReceipt: false, needsNames: false, settings: ['per'] },
  raw: { format: 'json', hasReceipt: false, needsNames: false, settings: TIME_NUMBER },
  csv: { format: 'csv', hasReceipt: false, needsNames: true, settings: TIME_NUMBER },
  csv2: { format: 'csv2', hasReceipt: false, needsNames: true, settings: TIME_NUMBER },
}

/** True if messages with these settings have local times. */
export function hasLocalTimes({ output, time }: { output: Output; time: string }): boolean {
  return time === 'local' || !OUTPUT_TRAITS[output].settings.includes('time')
}

/** Intervals of statistics. */
export const PERS = ['period', 'day', 'hour'] as const
export type Per = (typeof PERS)[number]

/** How fields of points are named: by channel number, channel name, or measured quantity. */
export const FIELD_NAMES = ['channel', 'label', 'quantity'] as const
export type FieldNames = (typeof FIELD_NAMES)[number]

/** Records per message if `send` is `chunk`. */
export const DEFAULT_CHUNK = 1000

/** Default measurement of points. */
export const MEASUREMENTS: Record<ActionType, string> = {
  'envlog-current': 'envlog',
  'envlog-latest': 'envlog',
  'envlog-range': 'envlog',
  'envlog-alerts': 'envlog_alerts',
}
