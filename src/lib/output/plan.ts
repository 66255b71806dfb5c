import { type TimeStyle, utcOffsetAt } from '../decode/time'
import {
  type Content,
  deviceOf,
  type ReadContent,
  type Subject,
  subjectOf,
  subjectOfReading,
} from '../readings/content'
import { placeGaps } from '../readings/continuity'
import type { Reading } from '../readings/current'
import type { SeriesRecord } from '../readings/record-reader'
import type { Series } from '../readings/series'
import { type DeviceStatistics, STATISTICS_COLUMNS } from '../readings/statistics'
import { type ConvertedOutput, elementSources, type OutgoingMessage, type OutputOptions } from './elements'
import { ROW_COLUMNS } from './rows'
import { subjectsOf } from './subjects'

/** The messages for a response, or for a device's responses. */
export interface Plan {
  /** An `undefined` element requests a pause, because an array may have 100,000 elements. */
  messages: Iterable<OutgoingMessage | undefined>
  /** If they form one sequence: the number of messages, and the number of elements in each array. */
  sequence?: { count: number; length: number }
  /** Output *rows*: comma-separated column names for a core CSV node. */
  columns?: string
}

/** The messages for one content with the chosen output and send (docs/messages.md, *Output and Send*). */
export function planMessages(content: Content, options: OutputOptions): Plan {
  if (content.kind === 'raw') {
    const { payload, device } = content
    return { messages: [device ? { payload, subject: device } : { payload }] }
  }
  if (content.kind === 'statistics') return planStatistics(content.devices, options)
  if (options.output === 'readings' && content.kind === 'series') return planSeries(content.series, options)
  const plan = planArray(content, options.output as ConvertedOutput, options)
  return options.output === 'rows' ? { ...plan, columns: ROW_COLUMNS[content.kind].join(',') } : plan
}

/** Rows that already exist; those of one device are about it. */
function planStatistics(devices: readonly DeviceStatistics[], { send, group }: OutputOptions): Plan {
  const columns = STATISTICS_COLUMNS.join(',')
  const rows = devices.flatMap((one) => one.rows)
  if (send === 'each') {
    return { messages: statisticsRows(devices, group), sequence: { count: rows.length, length: 1 }, columns }
  }
  const [first] = devices
  const subject = send === 'device' && first ? subjectOf(first.device, group) : undefined
  return { messages: [toMessage(rows, subject)], columns }
}

function* statisticsRows(devices: readonly DeviceStatistics[], group: string): Generator<OutgoingMessage> {
  for (const { device, channels, rows } of devices) {
    const subject = subjectsOf(subjectOf(device, group), channels)
    for (const row of rows) yield { payload: row, subject: subject(`ch${row.channel}`) }
  }
}

function planArray(content: ReadContent, output: ConvertedOutput, options: OutputOptions): Plan {
  const made = elementSources[output](content, options)
  switch (options.send) {
    case 'chunk':
      return {
        messages: chunked(made.payloads(), options.chunk, commonSubject(content, options)),
        // A join node concatenates arrays only if their stated length is more than one.
        sequence: { count: Math.ceil(made.count / options.chunk), length: Math.max(2, options.chunk) },
      }
    case 'each':
    case 'value':
      return { messages: made.items(), sequence: { count: made.count, length: 1 } }
    case 'device': {
      if (content.kind === 'current') return planDevices(content.readings, output, options)
      return { messages: inOneArray(made.payloads(), commonSubject(content, options)) }
    }
    default:
      return { messages: inOneArray(made.payloads()) }
  }
}

/** One message per device for current readings: the reading itself, or the array it is converted to. */
function planDevices(readings: readonly Reading[], output: ConvertedOutput, options: OutputOptions): Plan {
  const messages = readings.map((reading) => ({
    payload:
      output === 'readings'
        ? reading
        : [...elementSources[output]({ kind: 'current', readings: [reading] }, options).payloads()],
    subject: subjectOfReading(reading),
  }))
  return { messages, sequence: { count: readings.length, length: 1 } }
}

/** A series is split into series: its parts keep the device and the channels. */
function planSeries(series: Series, { send, chunk, group, time }: OutputOptions): Plan {
  const subject = subjectOf(series, group)
  if (send === 'device') {
    const utcOffset = utcOffsetAt(series.records.at(-1)?.timestamp ?? null, time, series.utcOffset)
    return { messages: [{ payload: { ...series, utcOffset }, subject }] }
  }
  const size = send === 'chunk' ? chunk : 1
  const messages =
    send === 'chunk' ? seriesChunks(series, time, subject, size) : seriesRecords(series, time, subject)
  return { messages, sequence: { count: Math.ceil(series.records.length / size), length: 1 } }
}

function* seriesRecords(series: Series, time: TimeStyle, subject: Subject): Generator<OutgoingMessage> {
  for (const record of series.records) yield { payload: ownSeries(series, time, [record]), subject }
}

/** A gap is in the chunk of the record that follows it. */
function* seriesChunks(
  series: Series,
  time: TimeStyle,
  subject: Subject,
  size: number,
): Generator<OutgoingMessage> {
  const placed = placeGaps(series.records, series.standalone)
  let next = 0
  for (let from = 0; from < series.records.length; from += size) {
    const records = series.records.slice(from, from + size)
    const first = next
    while ((placed[next]?.at ?? Number.POSITIVE_INFINITY) < from + size) next++
    const gaps = placed.slice(first, next).map(({ gap }) => gap)
    yield { payload: { ...ownSeries(series, time, records), gaps }, subject }
  }
}

/** Messages share no objects, so modifying one does not change the next. */
function ownSeries({ gaps: _, ...series }: Series, time: TimeStyle, records: readonly SeriesRecord[]) {
  return {
    ...series,
    utcOffset: utcOffsetAt(records.at(-1)?.timestamp ?? null, time, series.utcOffset),
    base: { ...series.base },
    channels: series.channels.map((channel) => ({ ...channel })),
    records,
  }
}

/** Elements of an array that are created without a pause. */
const ELEMENTS_PER_TURN = 2000

/** All elements in one array. */
function* inOneArray(payloads: Iterable<unknown>, subject?: Subject): Generator<OutgoingMessage | undefined> {
  const payload: unknown[] = []
  for (const one of payloads) {
    payload.push(one)
    if (payload.length % ELEMENTS_PER_TURN === 0) yield undefined
  }
  yield toMessage(payload, subject)
}

function* chunked(
  payloads: Iterable<unknown>,
  size: number,
  subject?: Subject,
): Generator<OutgoingMessage | undefined> {
  let payload: unknown[] = []
  for (const one of payloads) {
    payload.push(one)
    if (payload.length === size) {
      yield toMessage(payload, subject)
      payload = []
    } else if (payload.length % ELEMENTS_PER_TURN === 0) yield undefined
  }
  if (payload.length > 0) yield toMessage(payload, subject)
}

const toMessage = (payload: unknown, subject: Subject | undefined): OutgoingMessage =>
  subject ? { payload, subject } : { payload }

/** The subject of content about one device. */
function commonSubject(content: ReadContent, { group }: OutputOptions): Subject | undefined {
  const device = deviceOf(content)
  return device && subjectOf(device, group)
}
