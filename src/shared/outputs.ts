/** What each node can send (docs/messages.md, *Output × send*): forms offer just these, the runtime refuses others. */

export const OUTPUTS = ['readings', 'rows', 'points', 'values', 'raw', 'csv', 'csv2'] as const
export type Output = (typeof OUTPUTS)[number]

export const SENDS = ['all', 'device', 'each', 'chunk', 'value', 'answer'] as const
export type Send = (typeof SENDS)[number]

type Node = 'envlog-current' | 'envlog-latest' | 'envlog-range' | 'envlog-alerts'

const SERIES = {
  readings: ['device', 'each'],
  rows: ['device', 'each'],
  points: ['device', 'each'],
  values: ['value'],
  raw: ['answer'],
  csv: ['answer'],
  csv2: ['answer'],
} as const

/** By node and output; the first is the default. An output that is not there does not exist for the node. */
export const OFFERED: Record<Node, Partial<Record<Output, readonly Send[]>>> = {
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
  },
  'envlog-alerts': {
    readings: ['device', 'each'],
    rows: ['device', 'each'],
    points: ['device', 'each'],
    raw: ['answer'],
  },
}

/** What the fields of points are called: by number, by name, or by what is measured. */
export const FIELD_NAMES = ['channel', 'label', 'quantity'] as const
export type FieldNames = (typeof FIELD_NAMES)[number]

/** Records a message where `send` is `chunk`. */
export const DEFAULT_CHUNK = 1000

/** Default measurement of points. */
export const MEASUREMENTS: Record<Node, string> = {
  'envlog-current': 'envlog',
  'envlog-latest': 'envlog',
  'envlog-range': 'envlog',
  'envlog-alerts': 'envlog_alerts',
}
