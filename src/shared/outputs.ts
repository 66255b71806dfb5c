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
