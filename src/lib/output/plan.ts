import type { Send } from '../../shared/outputs'
import { nextTurn } from '../clock'
import type { Group } from '../decode/envelopes'
import { type TimeStyle, utcOffsetAt } from '../decode/time'
import { type Content, deviceOf, subjectOf } from '../readings/content'
import { findGaps, type Gap } from '../readings/continuity'
import type { Series, SeriesPart, SeriesRecord } from '../readings/series'
import { type DeviceStatistics, STATISTICS_COLUMNS } from '../readings/statistics'
import { type ConvertedOutput, elementsOf, type OutgoingMessage } from './elements'
import type { PointOptions } from './points'
import { ROW_COLUMNS } from './rows'
import { subjectsOf } from './subjects'

export interface OutputOptions extends PointOptions {
  output: ConvertedOutput | 'statistics' | 'raw' | 'csv' | 'csv2'
  send: Send
  /** Format of times. */
  time: TimeStyle
  /** Elements per message if `send` is `chunk`. */
  chunk?: number
}

/** The messages for a response, or for a device's responses. */
export interface Plan {
  messages: Iterable<OutgoingMessage> | AsyncIterable<OutgoingMessage>
  /**
   * For `msg.parts`, if the messages form one sequence: the number of messages, and the array length for a join node.
   */
  sequence?: { count: number; length: number }
  /** Comma-separated column names for Node-RED's CSV node, if the payload has rows. */
  columns?: string
}

/** The payload of *latest records* and *records of a period*, with the output `readings` (docs/messages.md). */
export interface SeriesPayload extends SeriesPart {
  /** Minutes ahead of UTC at the last record; `null` if unknown. */
  utcOffset: number | null
  group: Group | null
  /** Absent if `send` is `each`. */
  gaps?: Gap[]
}

/** Plans the messages for the content with the chosen output and send (docs/messages.md, *Output and send*). */
export async function planMessages(content: Content, options: OutputOptions): Promise<Plan> {
  const { output } = options
  if (content.kind === 'raw') {
    const { payload, device } = content
    return { messages: [device ? { payload, subject: device } : { payload }] }
  }
  if (output === 'readings' && content.kind === 'series') return planSeries(content.series, options)
  const plan = await planElements(content, options)
  if (content.kind === 'statistics') return { ...plan, columns: STATISTICS_COLUMNS }
  return output === 'rows' ? { ...plan, columns: ROW_COLUMNS[content.kind] } : plan
}

/** Statistics are already rows. */
function* statisticsRows(
  devices: readonly DeviceStatistics[],
  group: Group | null,
): Generator<OutgoingMessage> {
  for (const { device, channels, rows } of devices) {
    const subject = subjectsOf(subjectOf(device, group), channels)
    for (const row of rows) yield { payload: row, subject: subject(`ch${row.channel}`) }
  }
}

async function planElements(
  content: Exclude<Content, { kind: 'raw' }>,
  options: OutputOptions,
): Promise<Plan> {
  const { send, chunk = 1, group } = options
  const output = options.output as ConvertedOutput
  const elements = () =>
    content.kind === 'statistics'
      ? statisticsRows(content.devices, group)
      : elementsOf[output](content, options)
  if (send === 'each' || send === 'value')
    return { messages: elements(), sequence: { count: await count(elements()), length: 1 } }
  if (send === 'device' && content.kind === 'current') {
    const messages = content.readings.map((reading) => {
      const own = elementsOf[output]({ kind: 'current', readings: [reading] }, options)
      const payload = output === 'readings' ? reading : Array.from(own, (element) => element.payload)
      return { payload, subject: subjectOf(reading, reading.group) }
    })
    return { messages, sequence: { count: messages.length, length: 1 } }
  }
  const device = send === 'all' ? undefined : deviceOf(content)
  const about = device ? { subject: subjectOf(device, group) } : {}
  if (send !== 'chunk') return { messages: inArrays(elements(), Number.POSITIVE_INFINITY, about) }
  return {
    messages: inArrays(elements(), chunk, about),
    // A join node concatenates arrays only if `parts.len` is greater than one.
    sequence: { count: Math.ceil((await count(elements())) / chunk), length: Math.max(2, chunk) },
  }
}

/** Number of elements that are created in one turn of the event loop. A period may have a million. */
const ELEMENTS_PER_TURN = 2000

async function count(elements: Iterable<unknown>): Promise<number> {
  let found = 0
  for (const _ of elements) if (++found % ELEMENTS_PER_TURN === 0) await nextTurn()
  return found
}

/** Puts the elements into arrays of this size. If the size is infinite, there is one array, even without elements. */
async function* inArrays(
  elements: Iterable<OutgoingMessage>,
  size: number,
  about: Pick<OutgoingMessage, 'subject'>,
): AsyncGenerator<OutgoingMessage> {
  let payload: unknown[] = []
  let found = 0
  for (const element of elements) {
    payload.push(element.payload)
    if (payload.length === size) {
      yield { payload, ...about }
      payload = []
    }
    if (++found % ELEMENTS_PER_TURN === 0) await nextTurn()
  }
  if (payload.length > 0 || size === Number.POSITIVE_INFINITY) yield { payload, ...about }
}

/** Splits a series into smaller series, each with the device and the channels. */
function planSeries(series: Series, options: OutputOptions): Plan {
  const { send, chunk = 1, group } = options
  const subject = subjectOf(series, group)
  if (send === 'device') return { messages: [{ payload: partOf(series, options, series), subject }] }
  const size = send === 'chunk' ? chunk : 1
  function* parts(): Generator<OutgoingMessage> {
    const before =
      send === 'chunk' ? findGaps(series.records, series.standalone) : new Map<SeriesRecord, Gap>()
    for (let from = 0; from < series.records.length; from += size) {
      const records = series.records.slice(from, from + size)
      // A gap is put into the chunk with the record after it.
      const gaps = records.flatMap((record) => before.get(record) ?? [])
      yield { payload: partOf(series, options, { records, ...(send === 'chunk' && { gaps }) }), subject }
    }
  }
  return { messages: parts(), sequence: { count: Math.ceil(series.records.length / size), length: 1 } }
}

/** A part of a series for a message. Messages share no objects, so that modifying one does not change the next. */
function partOf(
  { serial, name, model, base, standalone, utcOffset, channels }: Series,
  { group, time }: Pick<OutputOptions, 'group' | 'time'>,
  { records, gaps }: Pick<SeriesPayload, 'records' | 'gaps'>,
): SeriesPayload {
  return {
    serial,
    name,
    model,
    base: { ...base },
    standalone,
    group: group && { ...group },
    utcOffset: utcOffsetAt(records.at(-1)?.timestamp ?? null, time, utcOffset),
    channels: channels.map((channel) => ({ ...channel })),
    records,
    ...(gaps && { gaps }),
  }
}
