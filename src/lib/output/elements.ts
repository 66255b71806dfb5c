import type { Output } from '../../shared/outputs'
import type { ReadContent, Subject } from '../readings/content'
import { subjectOf } from '../readings/content'
import { type PointOptions, pointsOf } from './points'
import { type Row, rowsOf } from './rows'
import { alertSubjects } from './subjects'

/** The parts of a message that the output determines. */
export interface OutgoingMessage {
  payload: unknown
  /** Absent if the message is about several devices. */
  subject?: Subject
  /** The flat row for the value, for output *values*. */
  reading?: Row
}

/** The outputs for which content is converted. For the others, content is sent unchanged. */
export type ConvertedOutput = Exclude<Output, 'statistics' | 'raw' | 'csv' | 'csv2'>

/**
 * Creates the elements of an output one by one. Everything else that depends on the output is in `shared/outputs.ts`.
 */
export const elementsOf: Record<
  ConvertedOutput,
  (content: ReadContent, options: PointOptions) => Iterable<OutgoingMessage>
> = {
  *readings(content, { group }) {
    if (content.kind === 'current') {
      for (const reading of content.readings)
        yield { payload: reading, subject: subjectOf(reading, reading.group) }
    } else if (content.kind === 'alerts') {
      const subject = alertSubjects(content, group)
      for (const alert of content.alerts) yield { payload: alert, subject: subject(alert) }
    } else throw new TypeError('a series is split into series')
  },
  rows: (content, { group }) => rowsOf(content, group),
  points: pointsOf,
  /** Sends only numbers. Rows report the errors of other values. */
  *values(content, { group }) {
    for (const { payload: row, subject } of rowsOf(content, group)) {
      if (row.value !== undefined) yield { payload: row.value, subject, reading: row }
    }
  },
}
