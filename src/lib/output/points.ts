import type { FieldNames } from '../../shared/outputs'
import type { Group } from '../decode/envelopes'
import type { Alert } from '../readings/alerts'
import type { Channel } from '../readings/channel'
import { type ReadContent, type Subject, subjectOf } from '../readings/content'
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
  options: PointOptions,
): Generator<{ payload: Point; subject: Subject }> {
  const { measurement } = options
  for (const { timestamp, subject, fields, tags } of partsOf(content, options)) {
    if (timestamp === null || Object.keys(fields).length === 0) continue
    yield { payload: { measurement, tags: { ...tags }, fields, timestamp: new Date(timestamp) }, subject }
  }
}

interface Parts extends Pick<Point, 'tags' | 'fields'> {
  timestamp: number | null
  subject: Subject
}

function* partsOf(content: ReadContent, { group, fieldNames }: PointOptions): Generator<Parts> {
  switch (content.kind) {
    case 'current':
      for (const reading of content.readings) {
        const { timestamp, model, channels } = reading
        const subject = subjectOf(reading, reading.group)
        const values = channels.map(({ key, value }) => [key, value] as const)
        const fields = fieldsOf(values, fieldKeys(channels, fieldNames))
        yield { timestamp, subject, fields, tags: tagsOf(model, subject) }
      }
      return
    case 'series': {
      const { model, channels, records } = content.series
      const subject = subjectOf(content.series, group)
      const tags = tagsOf(model, subject)
      const keys = fieldKeys(channels, fieldNames)
      for (const record of records) {
        const values = channels.map(({ key }) => [key, record[key as `ch${number}`]] as const)
        yield { timestamp: record.timestamp, subject, fields: fieldsOf(values, keys), tags }
      }
      return
    }
    case 'alerts': {
      const subjectIn = alertSubjects(content, group)
      for (const alert of content.alerts) {
        const { timestamp, model, text, kind, source } = alert
        const subject = subjectIn(alert)
        yield { timestamp, subject, fields: { text, kind }, tags: tagsOf(model, subject, source) }
      }
    }
  }
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
