import { placeGaps } from '../readings/continuity'
import type { Reading } from '../readings/current'
import type { Series, SeriesRecord } from '../readings/series'
import {
  type Content,
  deviceOf,
  type ReadContent,
  type Subject,
  subjectOf,
  subjectOfReading,
} from './content'
import { type Draft, type Elements, elements, type How, type Made } from './elements'
import { ROW_COLUMNS } from './rows'

/** The messages that an answer, or a device's answers, become. */
export interface Plan {
  drafts: Iterable<Draft>
  /** Where they are one sequence: how many messages, and how many elements each array of theirs holds. */
  sequence?: { count: number; length: number }
  /** Output *rows*: comma-separated, for a core csv node. */
  columns?: string
}

/** The messages of one content in the chosen output and send (docs/messages.md, *Output × send*). */
export function planMessages(content: Content, how: How): Plan {
  if (content.kind === 'raw') {
    const { payload, device } = content
    return { drafts: [device ? { payload, subject: device } : { payload }] }
  }
  if (how.output === 'readings' && content.kind === 'series') return planSeries(content.series, how)
  const plan = planArray(content, how.output as Made, how)
  return how.output === 'rows' ? { ...plan, columns: ROW_COLUMNS[content.kind].join(',') } : plan
}

function planArray(content: ReadContent, output: Made, how: How): Plan {
  const made = elements[output](content, how)
  switch (how.send) {
    case 'chunk':
      return {
        drafts: chunked(made.items(), how.chunk),
        // A join node puts arrays together only where they are said to hold more than one.
        sequence: { count: Math.ceil(made.count / how.chunk), length: Math.max(2, how.chunk) },
      }
    case 'each':
    case 'value':
      return { drafts: made.items(), sequence: { count: made.count, length: 1 } }
    case 'device': {
      if (content.kind === 'current') return planDevices(content.readings, output, how)
      const device = deviceOf(content)
      return {
        drafts: [{ payload: payloads(made), ...(device && { subject: subjectOf(device, how.group) }) }],
      }
    }
    default:
      return { drafts: [{ payload: payloads(made) }] }
  }
}

/** Current readings one message a device: a reading itself, else the array that it becomes. */
function planDevices(readings: readonly Reading[], output: Made, how: How): Plan {
  const drafts = readings.map((reading) => ({
    payload:
      output === 'readings'
        ? reading
        : payloads(elements[output]({ kind: 'current', readings: [reading] }, how)),
    subject: subjectOfReading(reading),
  }))
  return { drafts, sequence: { count: readings.length, length: 1 } }
}

/** A series stays one: its parts keep the device and the channels. */
function planSeries(series: Series, { send, chunk, group }: How): Plan {
  const subject = subjectOf(series, group)
  if (send === 'device') return { drafts: [{ payload: series, subject }] }
  const size = send === 'chunk' ? chunk : 1
  const drafts = send === 'chunk' ? seriesChunks(series, subject, size) : seriesRecords(series, subject)
  return { drafts, sequence: { count: Math.ceil(series.records.length / size), length: 1 } }
}

function* seriesRecords(series: Series, subject: Subject): Generator<Draft> {
  for (const record of series.records) yield { payload: ownSeries(series, [record]), subject }
}

/** A gap stands with the record after it. */
function* seriesChunks(series: Series, subject: Subject, size: number): Generator<Draft> {
  const placed = placeGaps(series.records, series.standalone)
  let next = 0
  for (let from = 0; from < series.records.length; from += size) {
    const records = series.records.slice(from, from + size)
    const first = next
    while ((placed[next]?.at ?? Number.POSITIVE_INFINITY) < from + size) next++
    const gaps = placed.slice(first, next).map(({ gap }) => gap)
    yield { payload: { ...ownSeries(series, records), gaps }, subject }
  }
}

/** What one message changes must not change the next: nothing is shared between them. */
function ownSeries({ gaps: _, ...series }: Series, records: readonly SeriesRecord[]) {
  return {
    ...series,
    base: { ...series.base },
    channels: series.channels.map((channel) => ({ ...channel })),
    records,
  }
}

function* chunked(items: Iterable<Draft>, size: number): Generator<Draft> {
  let payload: unknown[] = []
  let subject: Subject | undefined
  const draft = (): Draft => (subject ? { payload, subject: withoutChannel(subject) } : { payload })
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

function withoutChannel({ channel, ...device }: Subject): Subject {
  return device
}
