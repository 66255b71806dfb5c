import type { Output } from '../../shared/outputs'
import type { ReadContent, Subject } from '../readings/content'
import { subjectOfReading } from '../readings/content'
import { type PointOptions, pointsOf } from './points'
import { type Row, rowsOf } from './rows'
import { alertSubjects } from './subjects'

/** The parts of a message that the output determines. */
export interface OutgoingMessage {
  payload: unknown
  /** Absent if the message is about several devices. */
  subject?: Subject
  /** Output *values*: the flat row for the value. */
  reading?: Row
}

/** Outputs that are converted; the others are sent unchanged. */
export type ConvertedOutput = Exclude<Output, 'statistics' | 'raw' | 'csv' | 'csv2'>

/** Output → its elements, one by one. Everything else that depends on the output is in `shared/outputs.ts`. */
export const elementsOf: Record<
  ConvertedOutput,
  (content: ReadContent, options: PointOptions) => Iterable<OutgoingMessage>
> = {
  *readings(content, { group }) {
    if (content.kind === 'current') {
      for (const reading of content.readings) yield { payload: reading, subject: subjectOfReading(reading) }
    } else if (content.kind === 'alerts') {
      const subject = alertSubjects(content, group)
      for (const alert of content.alerts) yield { payload: alert, subject: subject(alert) }
    } else throw new TypeError('a series is split into series')
  },
  rows: (content, { group }) => rowsOf(content, group),
  points: pointsOf,
  /** Values that are not numbers are not sent; rows report them. */
  *values(content, { group }) {
    for (const { payload: row, subject } of rowsOf(content, group)) {
      if (row.value !== undefined) yield { payload: row.value, subject, reading: row }
    }
  },
}
