import type { Output, Send } from '../../shared/outputs'
import type { TimeStyle } from '../decode/time'
import type { Alert } from '../readings/alerts'
import { countOf, type ReadContent, type Subject, subjectOfReading } from '../readings/content'
import type { Reading } from '../readings/current'
import { countPoints, type PointOptions, pointsOf } from './points'
import { countRows, type Row, rowsOf, rowsWithSubjects } from './rows'
import { alertSubjects } from './subjects'

/** The parts of a message that the output determines. */
export interface OutgoingMessage {
  payload: unknown
  /** Absent if the message is about several devices. */
  subject?: Subject
  /** Output *values*: the flat row for the value. */
  reading?: Row
}

export interface OutputOptions extends PointOptions {
  output: Output
  send: Send
  /** Format of times. */
  time: TimeStyle
  /** Elements per message if `send` is `chunk`. */
  chunk: number
}

/** Outputs that are converted; the others are sent unchanged. */
export type ConvertedOutput = Exclude<Output, 'statistics' | 'raw' | 'csv' | 'csv2'>

/** The elements that an output creates from a content, one by one. */
export interface ElementSource {
  /** Known before the elements are created, so that a sequence can state its length. */
  count: number
  items(): Iterable<OutgoingMessage>
  /** Only the payloads. */
  payloads(): Iterable<unknown>
}

/** Output → elements. Everything else that depends on the output is in `shared/outputs.ts`. */
export const elementSources: Record<
  ConvertedOutput,
  (content: ReadContent, options: OutputOptions) => ElementSource
> = {
  readings: (content, { group }) => ({
    count: countOf(content),
    items: () => readingMessages(content, group),
    payloads: () => readingsOf(content),
  }),
  rows: (content, { group }) => ({
    count: countRows(content),
    items: () => rowMessages(content, group),
    payloads: () => rowsOf(content, group),
  }),
  points: (content, options) => ({
    count: countPoints(content),
    items: () => pointMessages(content, options),
    payloads: () => payloadsOf(pointMessages(content, options)),
  }),
  values: (content, { group }) => ({
    count: countValues(content),
    items: () => valueMessages(content, group),
    payloads: () => payloadsOf(valueMessages(content, group)),
  }),
}

function* payloadsOf(messages: Iterable<OutgoingMessage>): Generator<unknown> {
  for (const { payload } of messages) yield payload
}

/** The readings and alerts of a content; a series is sent as one element. */
function readingsOf(content: ReadContent): readonly (Reading | Alert)[] {
  if (content.kind === 'current') return content.readings
  return content.kind === 'alerts' ? content.alerts : []
}

function* readingMessages(content: ReadContent, group: string): Generator<OutgoingMessage> {
  if (content.kind === 'current') {
    for (const reading of content.readings) yield { payload: reading, subject: subjectOfReading(reading) }
  } else if (content.kind === 'alerts') {
    const subject = alertSubjects(content, group)
    for (const alert of content.alerts) yield { payload: alert, subject: subject(alert) }
  }
}

function* rowMessages(content: ReadContent, group: string): Generator<OutgoingMessage> {
  for (const { row, subject } of rowsWithSubjects(content, group)) yield { payload: row, subject }
}

function* pointMessages(content: ReadContent, options: PointOptions): Generator<OutgoingMessage> {
  for (const { point, subject } of pointsOf(content, options)) yield { payload: point, subject }
}

function* valueMessages(content: ReadContent, group: string): Generator<OutgoingMessage> {
  for (const { row, subject } of rowsWithSubjects(content, group)) {
    if (row.value !== undefined) yield { payload: row.value, subject, reading: row }
  }
}

/** Values that are not numbers are not sent; rows report them. */
function countValues(content: ReadContent): number {
  let count = 0
  if (content.kind === 'current') {
    for (const { channels } of content.readings) for (const { value } of channels) if (value !== null) count++
  } else if (content.kind === 'series') {
    const { records, channels } = content.series
    for (const record of records) {
      // Fast path for nearly all records: without errors, a record has all its values.
      if (!record.errors) {
        count += channels.length
        continue
      }
      for (const { key } of channels) if (typeof record[key as `ch${number}`] === 'number') count++
    }
  }
  return count
}
