import type { Output, Send } from '../../shared/outputs'
import { alertSubjects, countOf, type ReadContent, type Subject, subjectOfReading } from './content'
import { countPoints, type PointOptions, pointsOf } from './points'
import { countRows, type Row, rowsAbout, rowsOf } from './rows'

/** One message to be. */
export interface Draft {
  payload: unknown
  /** Absent where the message is about several devices. */
  subject?: Subject
  /** Output *values*: the flat row of the value. */
  reading?: Row
}

export interface How extends PointOptions {
  output: Output
  send: Send
  /** Elements a message where `send` is `chunk`. */
  chunk: number
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
  points: (content, how) => ({
    count: countPoints(content),
    items: () => pointDrafts(content, how),
    payloads: () => payloadsOf(pointDrafts(content, how)),
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
    const subject = alertSubjects(content, group)
    for (const alert of content.alerts) yield { payload: alert, subject: subject(alert) }
  }
}

function* rowDrafts(content: ReadContent, group: string): Generator<Draft> {
  for (const { row, subject } of rowsAbout(content, group)) yield { payload: row, subject }
}

function* pointDrafts(content: ReadContent, how: PointOptions): Generator<Draft> {
  for (const { point, subject } of pointsOf(content, how)) yield { payload: point, subject }
}

function* valueDrafts(content: ReadContent, group: string): Generator<Draft> {
  for (const { row, subject } of rowsAbout(content, group)) {
    if (row.value !== undefined) yield { payload: row.value, subject, reading: row }
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
