import type { Quantity } from '../../shared/quantity'
import type { Group } from '../decode/envelopes'
import type { Alert } from '../readings/alerts'
import type { Channel } from '../readings/channel'
import { type ReadContent, type Subject, subjectOf } from '../readings/content'
import type { Reading } from '../readings/current'
import type { Device } from '../readings/device'
import { alertSubjects, subjectsOf } from './subjects'

/** A flat row with one channel value or one alert text. Keys without a value are omitted, never null. */
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

const VALUE_COLUMNS =
  'time,timestamp,serial,name,model,base,groupname,channel,label,unit,quantity,value,error,dataid'

/** All possible keys of a row of this kind, separated by commas, in the order of a table's columns. */
export const ROW_COLUMNS: Record<ReadContent['kind'], string> = {
  series: VALUE_COLUMNS,
  current: `${VALUE_COLUMNS},battery,batterylevel,rssi,age,stale`,
  alerts: 'time,timestamp,serial,name,model,base,source,channel,label,unit,quantity,kind,text',
}

/** A row and its subject. */
interface RowOf {
  payload: Row
  subject: Subject
}

/** Creates the rows in the order of readings, records and channels. */
export function* rowsOf(content: ReadContent, group: Group | null): Generator<RowOf> {
  switch (content.kind) {
    case 'current':
      for (const reading of content.readings) yield* rowsOfReading(reading)
      return
    case 'series': {
      const { series } = content
      const subject = subjectsOf(subjectOf(series, group), series.channels)
      for (const record of series.records) {
        for (const channel of series.channels) {
          const { key } = channel
          const row = beginRow(series, record, group)
          addValue(row, channel, record[key as `ch${number}`], record.errors?.[key])
          if (record.dataId !== null) row.dataid = record.dataId
          yield { payload: row, subject: subject(key) }
        }
      }
      return
    }
    case 'alerts': {
      const subject = alertSubjects(content, group)
      for (const alert of content.alerts) yield { payload: rowOfAlert(alert), subject: subject(alert) }
    }
  }
}

function* rowsOfReading(reading: Reading): Generator<RowOf> {
  const { battery, rssi, age, stale, group } = reading
  const subject = subjectsOf(subjectOf(reading, reading.group), reading.channels)
  for (const channel of reading.channels) {
    const row = beginRow(reading, reading, group)
    addValue(row, channel, channel.value, channel.error)
    if (battery.code !== null) {
      row.battery = battery.code
      row.batterylevel = battery.level
    }
    if (rssi !== null) row.rssi = rssi
    if (age !== null) row.age = age
    if (stale !== null) row.stale = stale
    yield { payload: row, subject: subject(channel.key) }
  }
}

/** Rows of alerts have no group. */
function rowOfAlert(alert: Alert): Row {
  const row = beginRow(alert, alert, null)
  row.source = alert.source
  if (alert.channel) {
    addChannel(row, alert.channel)
  }
  row.kind = alert.kind
  row.text = alert.text
  return row
}

// Keys are added in column order, for tables whose columns are taken from the first row's keys.
function beginRow(
  { serial, name, model, base }: Device,
  { time, timestamp }: { time: string | null; timestamp: number | null },
  group: Group | null,
): Row {
  const isComplete = time !== null && timestamp !== null && name !== '' && model !== ''
  // Nearly all rows are complete, and a literal is much faster than adding keys one by one.
  const row: Row = isComplete
    ? { time, timestamp, serial, name, model, base: base.serial }
    : {
        ...(time !== null && { time }),
        ...(timestamp !== null && { timestamp }),
        serial,
        ...(name !== '' && { name }),
        ...(model !== '' && { model }),
        base: base.serial,
      }
  if (group) row.groupname = group.name
  return row
}

function addChannel(row: Row, { number, name, unit, quantity }: Channel): void {
  row.channel = number
  row.label = name
  if (unit !== '') row.unit = unit
  if (quantity !== null) row.quantity = quantity
}

function addValue(
  row: Row,
  channel: Channel,
  value: number | null | undefined,
  error: string | null | undefined,
): void {
  addChannel(row, channel)
  if (typeof value === 'number') row.value = value
  if (error) row.error = error
}
