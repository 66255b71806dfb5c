import { placeGaps } from '../readings/continuity'
import type { Reading } from '../readings/current'
import type { SeriesRecord } from '../readings/record-reader'
import type { Series } from '../readings/series'
import {
  type Content,
  deviceOf,
  type ReadContent,
  type Subject,
  subjectOf,
  subjectOfReading,
} from './content'
import { type Draft, elements, type How, type Made } from './elements'
import { ROW_COLUMNS } from './rows'

/** The messages that an answer, or a device's answers, become. */
export interface Plan {
  /** One by one; nothing where more work is to be done before the next: whoever asks may rest then. */
  drafts: Iterable<Draft | undefined>
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
        drafts: chunked(made.payloads(), how.chunk, wholeSubject(content, how)),
        // A join node puts arrays together only where they are said to hold more than one.
        sequence: { count: Math.ceil(made.count / how.chunk), length: Math.max(2, how.chunk) },
      }
    case 'each':
    case 'value':
      return { drafts: made.items(), sequence: { count: made.count, length: 1 } }
    case 'device': {
      if (content.kind === 'current') return planDevices(content.readings, output, how)
      return { drafts: whole(made.payloads(), wholeSubject(content, how)) }
    }
    default:
      return { drafts: whole(made.payloads()) }
  }
}

/** Current readings one message a device: a reading itself, else the array that it becomes. */
function planDevices(readings: readonly Reading[], output: Made, how: How): Plan {
  const drafts = readings.map((reading) => ({
    payload:
      output === 'readings'
        ? reading
        : [...elements[output]({ kind: 'current', readings: [reading] }, how).payloads()],
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

/** Elements that are made without a rest. */
const REST_AFTER = 512

/** All in one array. */
function* whole(payloads: Iterable<unknown>, subject?: Subject): Generator<Draft | undefined> {
  const payload: unknown[] = []
  for (const one of payloads) {
    payload.push(one)
    if (payload.length % REST_AFTER === 0) yield undefined
  }
  yield about(payload, subject)
}

function* chunked(
  payloads: Iterable<unknown>,
  size: number,
  subject?: Subject,
): Generator<Draft | undefined> {
  let payload: unknown[] = []
  for (const one of payloads) {
    payload.push(one)
    if (payload.length === size) {
      yield about(payload, subject)
      payload = []
    } else if (payload.length % REST_AFTER === 0) yield undefined
  }
  if (payload.length > 0) yield about(payload, subject)
}

const about = (payload: unknown, subject: Subject | undefined): Draft =>
  subject ? { payload, subject } : { payload }

/** The one device a content is about, if it is about one. */
function wholeSubject(content: ReadContent, { group }: How): Subject | undefined {
  const device = deviceOf(content)
  return device && subjectOf(device, group)
}
