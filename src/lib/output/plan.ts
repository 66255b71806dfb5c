import type { Output, Send } from '../../shared/outputs'
import type { Gap } from '../readings/continuity'
import type { Series, SeriesRecord } from '../readings/series'
import { type Content, type Subject, subjectOf } from './content'
import { countPoints, pointsOf } from './points'
import { countRows, ROW_COLUMNS, type Row, rowsOf, subjectOfRow } from './rows'

/** One message to be. */
export interface Draft {
  payload: unknown
  /** Absent where the message is about several devices. */
  subject?: Subject
  /** Output *values*: the flat row of the value. */
  reading?: Row
}

/** The messages that an answer, or a device's answers, become. */
export interface Plan {
  drafts: Iterable<Draft>
  /** Where they are one sequence: how many messages, and how many elements each array of theirs holds. */
  sequence?: { count: number; length: number }
  /** Output *rows*: comma-separated, for a core csv node. */
  columns?: string
}

export interface How {
  output: Exclude<Output, 'raw' | 'csv' | 'csv2'>
  send: Send
  /** Elements a message where `send` is `chunk`. */
  chunk: number
  measurement: string
}

/** What an output makes of a content: elements of an array, each about somebody. */
interface Elements {
  /** Known before they are made, so that a sequence can say how long it is. */
  count: number
  items(): Iterable<Draft>
}

/** Output → elements. A new output is a row here, and its sends in `shared/outputs.ts`. */
const elements: Record<How['output'], (content: Content, how: How) => Elements> = {
  readings: (content) => ({ count: countReadings(content), items: () => readingsOf(content) }),
  rows: (content) => ({ count: countRows(content), items: () => rowDrafts(content) }),
  points: (content, { measurement }) => ({
    count: countPoints(content),
    items: () => pointDrafts(content, measurement),
  }),
  values: (content) => ({ count: countValues(content), items: () => valueDrafts(content) }),
}

/** The messages of one content in the chosen output and send (docs/messages.md, *Output × send*). */
export function planMessages(content: Content, how: How): Plan {
  const plan =
    how.output === 'readings' && content.kind === 'series'
      ? planSeries(content.series, subjectOf(content.series, content.group), how)
      : planArray(content, how)
  return how.output === 'rows' ? { ...plan, columns: ROW_COLUMNS[content.kind].join(',') } : plan
}

function planArray(content: Content, how: How): Plan {
  const made = elements[how.output](content, how)
  switch (how.send) {
    case 'chunk':
      return {
        drafts: chunked(made.items(), how.chunk),
        sequence: { count: Math.ceil(made.count / how.chunk), length: how.chunk },
      }
    case 'each':
    case 'value':
      return { drafts: made.items(), sequence: { count: made.count, length: 1 } }
    case 'device':
      if (content.kind === 'current') return planDevices(content.readings, made, how)
      return { drafts: [{ payload: payloads(made), subject: subjectOfContent(content) }] }
    default:
      return { drafts: [{ payload: payloads(made) }] }
  }
}

/** Current readings one message a device: a reading itself, else the array that it becomes. */
function planDevices(
  readings: Extract<Content, { kind: 'current' }>['readings'],
  made: Elements,
  how: How,
): Plan {
  const sequence = { count: readings.length, length: 1 }
  if (how.output === 'readings') return { drafts: made.items(), sequence }
  const drafts = readings.map((reading) => ({
    payload: payloads(elements[how.output]({ kind: 'current', readings: [reading] }, how)),
    subject: subjectOf(reading, reading.group?.name ?? ''),
  }))
  return { drafts, sequence }
}

/** A series stays one: its parts keep the device and the channels. */
function planSeries(series: Series, subject: Subject, { send, chunk }: How): Plan {
  if (send === 'device') return { drafts: [{ payload: series, subject }] }
  const size = send === 'chunk' ? chunk : 1
  const drafts = send === 'chunk' ? seriesChunks(series, subject, size) : seriesRecords(series, subject)
  return { drafts, sequence: { count: Math.ceil(series.records.length / size), length: 1 } }
}

function* seriesRecords({ gaps, ...series }: Series, subject: Subject): Generator<Draft> {
  for (const record of series.records) yield { payload: { ...series, records: [record] }, subject }
}

/** A gap stands with the record after it. */
function* seriesChunks(series: Series, subject: Subject, size: number): Generator<Draft> {
  const gaps = new Map<string | null, Gap[]>()
  for (const gap of series.gaps) gaps.set(gap.before, [...(gaps.get(gap.before) ?? []), gap])
  const gapsBefore = ({ time }: SeriesRecord) => {
    const found = gaps.get(time) ?? []
    gaps.delete(time)
    return found
  }
  for (let from = 0; from < series.records.length; from += size) {
    const records = series.records.slice(from, from + size)
    yield { payload: { ...series, records, gaps: records.flatMap(gapsBefore) }, subject }
  }
}

function* chunked(items: Iterable<Draft>, size: number): Generator<Draft> {
  let payload: unknown[] = []
  let subject: Subject | undefined
  const draft = (): Draft => (subject ? { payload, subject: deviceOf(subject) } : { payload })
  for (const item of items) {
    subject ??= item.subject
    payload.push(item.payload)
    if (payload.length < size) continue
    yield draft()
    payload = []
  }
  if (payload.length > 0) yield draft()
}

function payloads(made: Elements): unknown[] {
  return Array.from(made.items(), ({ payload }) => payload)
}

function deviceOf({ channel, ...device }: Subject): Subject {
  return device
}

function subjectOfContent(content: Exclude<Content, { kind: 'current' }>): Subject {
  return subjectOf(content.kind === 'series' ? content.series : content.device, content.group)
}

function countReadings(content: Content): number {
  if (content.kind === 'series') return content.series.records.length
  return content.kind === 'current' ? content.readings.length : content.alerts.length
}

function* readingsOf(content: Content): Generator<Draft> {
  if (content.kind === 'current') {
    for (const reading of content.readings) {
      yield { payload: reading, subject: subjectOf(reading, reading.group?.name ?? '') }
    }
  } else if (content.kind === 'alerts') {
    for (const alert of content.alerts) {
      const subject = subjectOf(alert, content.group)
      yield { payload: alert, subject: alert.channel ? { ...subject, channel: alert.channel } : subject }
    }
  }
}

function* rowDrafts(content: Content): Generator<Draft> {
  const group = content.kind === 'current' ? '' : content.group
  for (const row of rowsOf(content)) yield { payload: row, subject: subjectOfRow(row, group) }
}

function* pointDrafts(content: Content, measurement: string): Generator<Draft> {
  for (const { point, subject } of pointsOf(content, measurement)) yield { payload: point, subject }
}

function* valueDrafts(content: Content): Generator<Draft> {
  const group = content.kind === 'current' ? '' : content.group
  for (const row of rowsOf(content)) {
    if (row.value !== undefined) yield { payload: row.value, subject: subjectOfRow(row, group), reading: row }
  }
}

/** A value that is no number sends nothing; rows tell of it. */
function countValues(content: Content): number {
  let count = 0
  if (content.kind === 'current') {
    for (const { channels } of content.readings) for (const { value } of channels) if (value !== null) count++
  } else if (content.kind === 'series') {
    const { records, channels } = content.series
    for (const record of records) {
      for (const { key } of channels) if (typeof record[key as `ch${number}`] === 'number') count++
    }
  }
  return count
}
