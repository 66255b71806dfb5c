import type { Send } from '../../shared/outputs'
import { nextTurn } from '../clock'
import { type TimeStyle, utcOffsetAt } from '../decode/time'
import { type Content, deviceOf, type ReadContent, subjectOf, subjectOfReading } from '../readings/content'
import { placeGaps } from '../readings/continuity'
import type { SeriesRecord } from '../readings/record-reader'
import type { Series } from '../readings/series'
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
  chunk: number
}

/** The messages for a response, or for a device's responses. */
export interface Plan {
  messages: Iterable<OutgoingMessage> | AsyncIterable<OutgoingMessage>
  /** If they form one sequence: the number of messages, and the number of elements in each array. */
  sequence?: { count: number; length: number }
  /** Output *rows*: comma-separated column names for a core CSV node. */
  columns?: string
}

/** The messages for one content with the chosen output and send (docs/messages.md, *Output and send*). */
export async function planMessages(content: Content, options: OutputOptions): Promise<Plan> {
  const { output } = options
  if (content.kind === 'raw') {
    const { payload, device } = content
    return { messages: [device ? { payload, subject: device } : { payload }] }
  }
  if (content.kind === 'statistics') return planStatistics(content.devices, options)
  if (output === 'readings' && content.kind === 'series') return planSeries(content.series, options)
  const plan = await planElements(content, output as ConvertedOutput, options)
  return output === 'rows' ? { ...plan, columns: ROW_COLUMNS[content.kind] } : plan
}

/** Rows that already exist; those of one device are about it. */
function planStatistics(devices: readonly DeviceStatistics[], { send, group }: OutputOptions): Plan {
  const columns = STATISTICS_COLUMNS
  const rows = devices.flatMap((one) => one.rows)
  if (send === 'each') {
    return { messages: statisticsRows(devices, group), sequence: { count: rows.length, length: 1 }, columns }
  }
  const [first] = devices
  const subject = send === 'device' && first ? { subject: subjectOf(first.device, group) } : {}
  return { messages: [{ payload: rows, ...subject }], columns }
}

function* statisticsRows(devices: readonly DeviceStatistics[], group: string): Generator<OutgoingMessage> {
  for (const { device, channels, rows } of devices) {
    const subject = subjectsOf(subjectOf(device, group), channels)
    for (const row of rows) yield { payload: row, subject: subject(`ch${row.channel}`) }
  }
}

async function planElements(
  content: ReadContent,
  output: ConvertedOutput,
  options: OutputOptions,
): Promise<Plan> {
  const { send, chunk } = options
  const elements = () => elementsOf[output](content, options)
  if (send === 'each' || send === 'value')
    return { messages: elements(), sequence: { count: await count(elements()), length: 1 } }
  if (send === 'device' && content.kind === 'current') {
    const messages = content.readings.map((reading) => {
      const own = elementsOf[output]({ kind: 'current', readings: [reading] }, options)
      const payload = output === 'readings' ? reading : Array.from(own, (element) => element.payload)
      return { payload, subject: subjectOfReading(reading) }
    })
    return { messages, sequence: { count: messages.length, length: 1 } }
  }
  const device = deviceOf(content)
  const common = device ? { subject: subjectOf(device, options.group) } : {}
  if (send !== 'chunk') return { messages: inArrays(elements(), Number.POSITIVE_INFINITY, common) }
  return {
    messages: inArrays(elements(), chunk, common),
    // A join node concatenates arrays only if their stated length is more than one.
    sequence: { count: Math.ceil((await count(elements())) / chunk), length: Math.max(2, chunk) },
  }
}

/** Elements that are created in one turn of the event loop: a period may have a million. */
const ELEMENTS_PER_TURN = 2000

async function count(elements: Iterable<unknown>): Promise<number> {
  let found = 0
  for (const _ of elements) if (++found % ELEMENTS_PER_TURN === 0) await nextTurn()
  return found
}

/** The elements in arrays of this size; without a size in one array, even if there are none. */
async function* inArrays(
  elements: Iterable<OutgoingMessage>,
  size: number,
  common: Pick<OutgoingMessage, 'subject'>,
): AsyncGenerator<OutgoingMessage> {
  let payload: unknown[] = []
  let found = 0
  for (const element of elements) {
    payload.push(element.payload)
    if (payload.length === size) {
      yield { payload, ...common }
      payload = []
    }
    if (++found % ELEMENTS_PER_TURN === 0) await nextTurn()
  }
  if (payload.length > 0 || size === Number.POSITIVE_INFINITY) yield { payload, ...common }
}

/** A series is split into series: its parts keep the device and the channels. */
function planSeries(series: Series, { send, chunk, group, time }: OutputOptions): Plan {
  const subject = subjectOf(series, group)
  if (send === 'device') return { messages: [{ payload: partOf(series, time, series), subject }] }
  const size = send === 'chunk' ? chunk : 1
  function* parts(): Generator<OutgoingMessage> {
    const placed = send === 'chunk' ? placeGaps(series.records, series.standalone) : []
    const gapBefore = new Map(placed.map(({ at, gap }) => [at, gap]))
    for (let from = 0; from < series.records.length; from += size) {
      const records = series.records.slice(from, from + size)
      // A gap is in the chunk of the record that follows it.
      const gaps = records.flatMap((_, index) => gapBefore.get(from + index) ?? [])
      yield { payload: partOf(series, time, { records, ...(send === 'chunk' && { gaps }) }), subject }
    }
  }
  return { messages: parts(), sequence: { count: Math.ceil(series.records.length / size), length: 1 } }
}

/** Messages share no objects, so modifying one does not change the next. */
function partOf(
  { gaps: _, ...series }: Series,
  time: TimeStyle,
  { records, gaps }: { records: readonly SeriesRecord[]; gaps?: Series['gaps'] },
) {
  return {
    ...series,
    utcOffset: utcOffsetAt(records.at(-1)?.timestamp ?? null, time, series.utcOffset),
    base: { ...series.base },
    channels: series.channels.map((channel) => ({ ...channel })),
    records,
    ...(gaps && { gaps }),
  }
}
