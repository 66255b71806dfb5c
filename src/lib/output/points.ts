import type { Alert } from '../readings/alerts'
import type { Reading } from '../readings/current'
import type { Device } from '../readings/device'
import type { Series, SeriesRecord } from '../readings/series'
import { type Content, type Subject, subjectOf } from './content'

/** A point as InfluxDB's batch node takes it. */
export interface Point {
  measurement: string
  tags: Record<string, string>
  /** Numbers by channel key; for alerts `text` and `kind`. */
  fields: Record<string, number | string>
  /** A Date is the one form that is right in every setup. */
  timestamp: Date
}

/** A point and whom it is about. */
export interface PointOf {
  point: Point
  subject: Subject
}

/** How many points there will be. */
export function countPoints(content: Content): number {
  if (content.kind === 'alerts') return content.alerts.filter(({ timestamp }) => timestamp !== null).length
  if (content.kind === 'current') {
    return content.readings.filter(
      ({ timestamp, channels }) => timestamp !== null && channels.some(({ value }) => value !== null),
    ).length
  }
  const { records, channels } = content.series
  return records.filter(
    (record) =>
      record.timestamp !== null &&
      channels.some(({ key }) => typeof record[key as `ch${number}`] === 'number'),
  ).length
}

/** One point a record, or a text of an alert; none without a field or without an instant. */
export function* pointsOf(content: Content, measurement: string): Generator<PointOf> {
  switch (content.kind) {
    case 'current':
      for (const reading of content.readings) {
        const group = reading.group?.name ?? ''
        yield* pointOf(measurement, reading, group, reading.timestamp, fieldsOfReading(reading))
      }
      return
    case 'series': {
      const { series, group } = content
      for (const record of series.records) {
        yield* pointOf(measurement, series, group, record.timestamp, fieldsOfRecord(series, record))
      }
      return
    }
    case 'alerts':
      for (const alert of content.alerts) {
        const { text, kind, timestamp, source } = alert
        yield* pointOf(measurement, alert, content.group, timestamp, { text, kind }, source)
      }
  }
}

function* pointOf(
  measurement: string,
  device: Device,
  group: string,
  timestamp: number | null,
  fields: Point['fields'],
  source?: Alert['source'],
): Generator<PointOf> {
  if (timestamp === null || Object.keys(fields).length === 0) return
  const { serial, name, model, base } = device
  const tags = Object.fromEntries(
    Object.entries({ serial, name, model, base: base.serial, group, source }).filter(
      (tag): tag is [string, string] => Boolean(tag[1]),
    ),
  )
  yield {
    point: { measurement, tags, fields, timestamp: new Date(timestamp) },
    subject: subjectOf(device, group),
  }
}

function fieldsOfReading({ channels }: Reading): Point['fields'] {
  const fields: Point['fields'] = {}
  for (const { key, value } of channels) if (value !== null) fields[key] = value
  return fields
}

function fieldsOfRecord({ channels }: Series, record: SeriesRecord): Point['fields'] {
  const fields: Point['fields'] = {}
  for (const { key } of channels) {
    const value = record[key as `ch${number}`]
    if (typeof value === 'number') fields[key] = value
  }
  return fields
}
