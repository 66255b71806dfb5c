import type { FieldNames } from '../../shared/outputs'
import type { Group } from '../decode/current-device'
import type { Alert } from '../readings/alerts'
import type { Channel } from '../readings/channel'
import { type ReadContent, type Subject, subjectOf, subjectOfReading } from '../readings/content'
import { channelNames } from './names'
import { alertSubjects } from './subjects'

/** A point in the format of InfluxDB's batch node. */
export interface Point {
  measurement: string
  tags: Record<string, string>
  /** Numbers by channel name. For alerts, `text` and `kind`. */
  fields: Record<string, number | string>
  /** A Date, because only this form is correct in every setup. */
  timestamp: Date
}

export interface PointOptions {
  measurement: string
  fieldNames: FieldNames
  /** The device's group, if the content is about a single device; `null` if it has none. */
  group: Group | null
}

/** Creates a point per reading, record or alert. There is no point without fields or without a time. */
export function* pointsOf(
  content: ReadContent,
  { measurement, group, fieldNames }: PointOptions,
): Generator<{ payload: Point; subject: Subject }> {
  switch (content.kind) {
    case 'current':
      for (const reading of content.readings) {
        const subject = subjectOfReading(reading)
        const tags = tagsOf(reading.model, subject)
        const values = reading.channels.map(({ key, value }) => [key, value] as const)
        const fields = fieldsOf(values, fieldKeys(reading.channels, fieldNames))
        const point = makePoint(measurement, reading, subject, fields, tags)
        if (point) yield point
      }
      return
    case 'series': {
      const { series } = content
      const subject = subjectOf(series, group)
      const tags = tagsOf(series.model, subject)
      const keys = fieldKeys(series.channels, fieldNames)
      for (const record of series.records) {
        const values = series.channels.map(({ key }) => [key, record[key as `ch${number}`]] as const)
        const point = makePoint(measurement, record, subject, fieldsOf(values, keys), tags)
        if (point) yield point
      }
      return
    }
    case 'alerts': {
      const subjects = alertSubjects(content, group)
      for (const alert of content.alerts) {
        const { text, kind, source } = alert
        const subject = subjects(alert)
        const tags = tagsOf(alert.model, subject, source)
        const point = makePoint(measurement, alert, subject, { text, kind }, tags)
        if (point) yield point
      }
    }
  }
}

function makePoint(
  measurement: string,
  { timestamp }: { timestamp: number | null },
  subject: Subject,
  fields: Point['fields'],
  tags: Point['tags'],
): { payload: Point; subject: Subject } | undefined {
  if (timestamp === null || Object.keys(fields).length === 0) return undefined
  return { payload: { measurement, tags: { ...tags }, fields, timestamp: new Date(timestamp) }, subject }
}

function tagsOf(
  model: string,
  { serial, name, base, group }: Subject,
  source?: Alert['source'],
): Point['tags'] {
  const tags: Point['tags'] = {}
  for (const [key, value] of Object.entries({ serial, name, model, base, group, source })) {
    const text = tagText(value ?? '')
    if (text !== '') tags[key] = text
  }
  return tags
}

/**
 * Names that fields must not have. InfluxDB drops points with the first, JavaScript treats the second specially, and
 * the others are tags.
 */
const RESERVED = ['time', '__proto__', 'serial', 'name', 'model', 'base', 'group']

/** The field key of each channel, to which the same rules apply as to tags. */
const fieldKeys = (channels: readonly Channel[], by: FieldNames) =>
  channelNames(channels, by, tagText, RESERVED)

/** The numbers among the values of channels. */
function fieldsOf(
  values: Iterable<readonly [key: string, value: unknown]>,
  keys: ReadonlyMap<string, string>,
) {
  const fields: Point['fields'] = {}
  for (const [key, value] of values) if (typeof value === 'number') fields[keys.get(key) ?? key] = value
  return fields
}

/**
 * Makes a text safe for a tag, which can neither contain a line break nor end with a backslash, even an escaped one.
 * Such a tag would make the database reject all points of the same write. Control characters are replaced with a space,
 * and trailing spaces and backslashes are removed.
 */
function tagText(text: string): string {
  const clean = text.replace(/\p{Cc}+/gu, ' ')
  let end = clean.length
  while (end > 0 && ' \\'.includes(clean.charAt(end - 1))) end--
  return clean.slice(0, end)
}
