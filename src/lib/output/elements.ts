import type { Output, Send } from '../../shared/outputs'
import { countOf, type ReadContent, type Subject, subjectOfAlert, subjectOfReading } from './content'
import { countPoints, pointsOf } from './points'
import { countRows, type Row, rowOfAlert, rowsOf, subjectOfRow } from './rows'

/** One message to be. */
export interface Draft {
  payload: unknown
  /** Absent where the message is about several devices. */
  subject?: Subject
  /** Output *values*: the flat row of the value. */
  reading?: Row
}

export interface How {
  output: Output
  send: Send
  /** Elements a message where `send` is `chunk`. */
  chunk: number
  measurement: string
  /** Name of the group of a content's one device, blank for none. */
  group: string
}

/** Outputs that are made; the others go as they came. */
export type Made = Exclude<Output, 'raw' | 'csv' | 'csv2'>

/** What an output makes of a content: elements of an array, each about somebody. */
export interface Elements {
  /** Known before they are made, so that a sequence can say how long it is. */
  count: number
  items(): Iterable<Draft>
  /** What they hold, where nobody asks about whom each is. */
  payloads(): Iterable<unknown>
}

/** Output → elements. A new output is a row here, and its sends in `shared/outputs.ts`. */
export const elements: Record<Made, (content: ReadContent, how: How) => Elements> = {
  readings: (content, { group }) => ({
    count: countOf(content),
    items: () => readingsOf(content, group),
    payloads: () => payloadsOf(readingsOf(content, group)),
  }),
  rows: (content, { group }) => ({
    count: countRows(content),
    items: () => rowDrafts(content, group),
    payloads: () => rowsOf(content, group),
  }),
  points: (content, { measurement, group }) => ({
    count: countPoints(content),
    items: () => pointDrafts(content, measurement, group),
    payloads: () => payloadsOf(pointDrafts(content, measurement, group)),
  }),
  values: (content, { group }) => ({
    count: countValues(content),
    items: () => valueDrafts(content, group),
    payloads: () => payloadsOf(valueDrafts(content, group)),
  }),
}

function* payloadsOf(drafts: Iterable<Draft>): Generator<unknown> {
  for (const { payload } of drafts) yield payload
}

function* readingsOf(content: ReadContent, group: string): Generator<Draft> {
  if (content.kind === 'current') {
    for (const reading of content.readings) yield { payload: reading, subject: subjectOfReading(reading) }
  } else if (content.kind === 'alerts') {
    for (const alert of content.alerts) yield { payload: alert, subject: subjectOfAlert(alert, group) }
  }
}

function* rowDrafts(content: ReadContent, group: string): Generator<Draft> {
  if (content.kind === 'alerts') {
    for (const alert of content.alerts) {
      yield { payload: rowOfAlert(alert), subject: subjectOfAlert(alert, group) }
    }
  } else {
    for (const row of rowsOf(content, group)) yield { payload: row, subject: subjectOfRow(row, group) }
  }
}

function* pointDrafts(content: ReadContent, measurement: string, group: string): Generator<Draft> {
  for (const { point, subject } of pointsOf(content, measurement, group)) yield { payload: point, subject }
}

function* valueDrafts(content: ReadContent, group: string): Generator<Draft> {
  for (const row of rowsOf(content, group)) {
    if (row.value !== undefined) {
      yield { payload: row.value, subject: subjectOfRow(row, group), reading: row }
    }
  }
}

/** A value that is no number sends nothing; rows tell of it. */
function countValues(content: ReadContent): number {
  let count = 0
  if (content.kind === 'current') {
    for (const { channels } of content.readings) for (const { value } of channels) if (value !== null) count++
  } else if (content.kind === 'series') {
    const { records, channels } = content.series
    for (const record of records) {
      // Nearly all of 65,535: one that has no errors has all its values.
      if (!record.errors) {
        count += channels.length
        continue
      }
      for (const { key } of channels) if (typeof record[key as `ch${number}`] === 'number') count++
    }
  }
  return count
}
