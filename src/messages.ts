/** The types of the messages that the nodes send, of which the build makes `dist/messages.d.ts`. */
import type { MessageMetadata } from './lib/output/metadata'
import type { AlarmsMetadata } from './nodes/alarms/messages'
import type { ReportMetadata, ReportSummary } from './nodes/report/report-messages'

export type { MessageMetadata } from './lib/output/metadata'
export type { SeriesPayload } from './lib/output/plan'
export type { Point } from './lib/output/points'
export type { Row } from './lib/output/rows'
export type { Alert } from './lib/readings/alerts'
export type { Reading } from './lib/readings/current'
export type { StatisticsRow } from './lib/readings/statistics'
export type { AlarmEvent, AlarmsMetadata, AlarmsSummary } from './nodes/alarms/messages'
export type { ReportMetadata, ReportSummary } from './nodes/report/report-messages'

/**
 * A message of *current readings*, *latest records*, *records of a period* or *alert log*, for example
 * `ReadingsMessage<Reading[]>`, or `ReadingsMessage<SeriesPayload>` with the records of one device.
 */
export interface ReadingsMessage<Payload> {
  payload: Payload
  envlog: MessageMetadata
  topic?: string
  /** With rows: the names of the columns, separated by commas. */
  columns?: string
  /** For a *join* node. */
  parts?: object
}

/** A message of *alarms*: an `AlarmEvent` or several, a text, a state (boolean) or an `AlarmsSummary`. */
export interface AlarmsMessage<Payload> {
  payload: Payload
  envlog: AlarmsMetadata
  topic?: string
}

/** A message of *report*: the page (HTML) or the table (CSV). */
export interface ReportMessage {
  payload: string
  envlog: ReportMetadata
  report: ReportSummary
  topic: string
  filename: string
}
