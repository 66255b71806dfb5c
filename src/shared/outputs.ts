/** The outputs that each node offers (docs/messages.md, *Output and send*). Forms and runtime accept no others. */

import type { ActionType } from './action'

export const OUTPUTS = ['readings', 'rows', 'points', 'values', 'statistics', 'raw', 'csv', 'csv2'] as const
export type Output = (typeof OUTPUTS)[number]

export const SENDS = ['all', 'device', 'each', 'chunk', 'value', 'response'] as const
export type Send = (typeof SENDS)[number]

const SERIES = {
  readings: ['device', 'each'],
  rows: ['device', 'each'],
  points: ['device', 'each'],
  values: ['value'],
  raw: ['response'],
  csv: ['response'],
  csv2: ['response'],
} as const

/** Values of `send` by node and output. The first is the default. A node offers only the listed outputs. */
export const OFFERED: Record<ActionType, Partial<Record<Output, readonly Send[]>>> = {
  'envlog-current': {
    readings: ['all', 'device'],
    rows: ['all', 'device', 'each'],
    points: ['all', 'device', 'each'],
    values: ['value'],
    raw: ['response'],
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
    raw: ['response'],
  },
}

/** Settings that only some outputs have. Without `time`, times are local. Without `number`, all records are read. */
export type OutputSetting = 'measurement' | 'fieldNames' | 'per' | 'time' | 'number'

/** The other properties of an output. */
interface OutputTraits {
  /** The requested form of the response. `read` is decoded, and the others are sent unchanged. */
  format: 'read' | 'json' | 'csv' | 'csv2'
  /** Whether messages have a receipt if `send` is `device`. */
  hasReceipt: boolean
  /** Whether messages contain a group or names that may be missing from the response: the device list is requested. */
  needsNames: boolean
  settings: readonly OutputSetting[]
}

const TIME_NUMBER = ['time', 'number'] as const
const OF_POINTS = ['measurement', 'fieldNames', 'time', 'number'] as const

export const OUTPUT_TRAITS: Record<Output, OutputTraits> = {
  readings: { format: 'read', hasReceipt: true, needsNames: true, settings: TIME_NUMBER },
  rows: { format: 'read', hasReceipt: true, needsNames: true, settings: TIME_NUMBER },
  points: { format: 'read', hasReceipt: true, needsNames: true, settings: OF_POINTS },
  values: { format: 'read', hasReceipt: false, needsNames: true, settings: TIME_NUMBER },
  statistics: { format: 'read', hasReceipt: false, needsNames: true, settings: ['per'] },
  raw: { format: 'json', hasReceipt: false, needsNames: false, settings: TIME_NUMBER },
  csv: { format: 'csv', hasReceipt: false, needsNames: true, settings: TIME_NUMBER },
  csv2: { format: 'csv2', hasReceipt: false, needsNames: true, settings: TIME_NUMBER },
}

/** Whether messages with these settings have local times. */
export function hasLocalTimes({ output, time }: { output: Output; time: string }): boolean {
  return time === 'local' || !OUTPUT_TRAITS[output].settings.includes('time')
}

/** Placeholders of a topic template, such as `{serial}` (docs/messages.md, *topic*). */
export const TOPIC_PLACEHOLDERS = [
  'account',
  'base',
  'serial',
  'name',
  'group',
  'channel',
  'label',
  'unit',
  'quantity',
] as const

/** A placeholder in a topic template. */
export const placeholderPattern = () => new RegExp(`\\{(${TOPIC_PLACEHOLDERS.join('|')})\\}`, 'g')

/** Intervals of statistics. */
export const PERS = ['period', 'day', 'hour'] as const
export type Per = (typeof PERS)[number]

/** The source of the names of a point's fields: channel number, channel name, or measured quantity. */
export const FIELD_NAMES = ['channel', 'label', 'quantity'] as const
export type FieldNames = (typeof FIELD_NAMES)[number]
