import type { Quantity } from '../../shared/quantity'
import type { Alert } from '../readings/alerts'
import type { Channel } from '../readings/channel'
import { type ReadContent, type Subject, subjectOf, subjectOfReading } from '../readings/content'
import type { Reading } from '../readings/current'
import type { Device } from '../readings/device'
import type { SeriesRecord } from '../readings/record-reader'
import type { Series } from '../readings/series'
import { alertSubjects, subjectsOf } from './subjects'

/** A flat row: one channel value, or one alert text. Keys without a value are omitted, never null. */
export interface Row {
  time?: string
  timestamp?: number
  serial: string
  name?: string
  model?: string
  /** The base unit's serial. */
  base: string
  groupname?: string
  /** The channel's number. */
  channel?: number
  label?: string
  unit?: string
  quantity?: Quantity
  value?: number
  error?: string
  dataid?: number
  /** Current readings only: the battery code. */
  battery?: number
  /** The battery level in words. */
  batterylevel?: string
  rssi?: number
  /** Seconds. */
  age?: number
  stale?: boolean
  /** Alerts only. */
  source?: string
  kind?: string
  text?: string
}

const VALUE_COLUMNS = [
  'time',
  'timestamp',
  'serial',
  'name',
  'model',
  'base',
  'groupname',
  'channel',
  'label',
  'unit',
  'quantity',
  'value',
  'error',
  'dataid',
] as const satisfies (keyof Row)[]

/** All possible keys of a row of this kind, in the order of a table's columns. */
export const ROW_COLUMNS: Record<ReadContent['kind'], readonly (keyof Row)[]> = {
  series: VALUE_COLUMNS,
  current: [...VALUE_COLUMNS, 'battery', 'batterylevel', 'rssi', 'age', 'stale'],
  alerts: [
    'time',
    'timestamp',
    'serial',
    'name',
    'model',
    'base',
    'source',
    'channel',
    'label',
    'kind',
    'text',
  ],
}

/** Number of rows, without creating them. */
export function countRows(content: ReadContent): number {
  switch (content.kind) {
    case 'current':
      return content.readings.reduce((sum, { channels }) => sum + channels.length, 0)
    case 'series':
      return content.series.records.length * content.series.channels.length
    case 'alerts':
      return content.alerts.length
  }
}

/** The rows in the order of readings, records and channels. */
export function* rowsOf(content: ReadContent, group: string): Generator<Row> {
  switch (content.kind) {
    case 'current':
      for (const reading of content.readings) yield* rowsOfReading(reading)
      return
    case 'series':
      yield* rowsOfSeries(content.series, group)
      return
    case 'alerts':
      for (const alert of content.alerts) yield rowOfAlert(alert)
  }
}

/** A row and its subject: one value, or one text. */
export interface RowWithSubject {
  row: Row
  subject: Subject
}

/** Like `rowsOf`, each row with its subject. */
export function* rowsWithSubjects(content: ReadContent, group: string): Generator<RowWithSubject> {
  switch (content.kind) {
    case 'current':
      for (const reading of content.readings) {
        const subject = subjectsOf(subjectOfReading(reading), reading.channels)
        for (const row of rowsOfReading(reading)) yield { row, subject: subject(`ch${row.channel}`) }
      }
      return
    case 'series': {
      const { series } = content
      const subject = subjectsOf(subjectOf(series, group), series.channels)
      for (const row of rowsOfSeries(series, group)) yield { row, subject: subject(`ch${row.channel}`) }
      return
    }
    case 'alerts': {
      const subject = alertSubjects(content, group)
      for (const alert of content.alerts) yield { row: rowOfAlert(alert), subject: subject(alert) }
    }
  }
}

function* rowsOfReading(reading: Reading): Generator<Row> {
  const { battery, rssi, age, stale } = reading
  for (const { value, error, ...channel } of reading.channels) {
    const row = rowOfDevice(reading, reading, reading.group?.name ?? '')
    nameChannel(row, channel)
    if (value !== null) row.value = value
    if (error !== null) row.error = error
    if (battery.code !== null) {
      row.battery = battery.code
      row.batterylevel = battery.level
    }
    if (rssi !== null) row.rssi = rssi
    if (age !== null) row.age = age
    if (stale !== null) row.stale = stale
    yield row
  }
}

function* rowsOfSeries(series: Series, group: string): Generator<Row> {
  const makers = series.channels.map((channel) => rowMaker(series, channel, group))
  for (const record of series.records) {
    const { time, timestamp, dataId, errors } = record
    for (const [index, channel] of series.channels.entries()) {
      const value = record[channel.key as `ch${number}`]
      yield time === null || timestamp === null || dataId === null || typeof value !== 'number' || errors
        ? rowOfValue(series, group, record, channel)
        : (makers[index] as RowMaker)(time, timestamp, value, dataId)
    }
  }
}

type RowMaker = (time: string, timestamp: number, value: number, dataid: number) => Row

/**
 * Returns a function that creates rows for records without missing values. It writes an object literal if possible,
 * which is twice as fast as copying a template.
 */
function rowMaker(series: Series, of: Channel, groupname: string): RowMaker {
  const { serial, name, model } = series
  const base = series.base.serial
  const { number: channel, name: label, unit, quantity } = of
  if (name !== '' && model !== '' && unit !== '' && quantity !== null) {
    return groupname === ''
      ? (time, timestamp, value, dataid) => {
          return { time, timestamp, serial, name, model, base, channel, label, unit, quantity, value, dataid }
        }
      : (time, timestamp, value, dataid) => {
          return {
            time,
            timestamp,
            serial,
            name,
            model,
            base,
            groupname,
            channel,
            label,
            unit,
            quantity,
            value,
            dataid,
          }
        }
  }
  const blank = rowOfDevice(series, { time: '', timestamp: 0 }, groupname)
  nameChannel(blank, of)
  return (time, timestamp, value, dataid) => ({ ...blank, time, timestamp, value, dataid })
}

/** A row with missing values. */
function rowOfValue(series: Series, group: string, record: SeriesRecord, channel: Channel): Row {
  const row = rowOfDevice(series, record, group)
  nameChannel(row, channel)
  const value = record[channel.key as `ch${number}`]
  const error = record.errors?.[channel.key]
  if (typeof value === 'number') row.value = value
  if (error !== undefined) row.error = error
  if (record.dataId !== null) row.dataid = record.dataId
  return row
}

export function rowOfAlert(alert: Alert): Row {
  // Alert rows have no group column.
  const row = rowOfDevice(alert, alert, '')
  row.source = alert.source
  if (alert.channel) {
    row.channel = alert.channel.number
    row.label = alert.channel.name
  }
  row.kind = alert.kind
  row.text = alert.text
  return row
}

function rowOfDevice(
  { serial, name, model, base }: Device,
  { time, timestamp }: { time: string | null; timestamp: number | null },
  group: string,
): Row {
  // Keys are in column order, for tables whose columns are taken from the first row's keys.
  const row: Partial<Row> = {}
  if (time !== null) row.time = time
  if (timestamp !== null) row.timestamp = timestamp
  row.serial = serial
  if (name !== '') row.name = name
  if (model !== '') row.model = model
  row.base = base.serial
  if (group !== '') row.groupname = group
  return row as Row
}

function nameChannel(row: Row, { number, name, unit, quantity }: Channel): void {
  row.channel = number
  row.label = name
  if (unit !== '') row.unit = unit
  if (quantity !== null) row.quantity = quantity
}
