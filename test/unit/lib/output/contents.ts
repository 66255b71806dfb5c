import fc from 'fast-check'
import type { TimeStyle } from '../../../../src/lib/decode/time'
import type { OutgoingMessage } from '../../../../src/lib/output/elements'
import { type OutputOptions, type Plan, planMessages } from '../../../../src/lib/output/plan'
import type { ReadContent } from '../../../../src/lib/readings/content'
import { readCurrent } from '../../../../src/lib/readings/current'
import type { ActionName } from '../../../support/flow-types'
import { messagesOf } from '../../../support/messages'
import { HOSTILE, hasFacts, pairs } from '../../../support/outputs'
import {
  alertResponse,
  currentDevice,
  currentEnvelope,
  graph,
  type Json,
  readAlerts,
  readSeries,
  relayGraph,
} from '../responses'

/** Contents as created by the readers from responses. */

export const RECORD_TIME = 1_795_161_600
export const iso = (seconds: number) => new Date(seconds * 1000).toISOString()
export const GROUP = { number: 1, name: 'Cold chain' }

type Of<K extends ReadContent['kind']> = Extract<ReadContent, { kind: K }>

export function current(devices: readonly Json[], time: TimeStyle = 'utc'): Of<'current'> {
  const options = { receivedAt: RECORD_TIME * 1000 + 42_000, time, series1Models: [], staleAfter: 60 }
  return { kind: 'current', readings: readCurrent(currentEnvelope(...devices.map(currentDevice)), options) }
}

export const series = (fields: Json, time: TimeStyle = 'utc'): Of<'series'> => ({
  kind: 'series',
  series: readSeries(relayGraph(fields), time),
})

export const standalone = (fields: Json): Of<'series'> => ({
  kind: 'series',
  series: readSeries(graph(fields), 'utc'),
})

export const alerts = (entries: readonly Json[], fields: Json = {}): Of<'alerts'> => ({
  kind: 'alerts',
  ...readAlerts(alertResponse({ ...fields, 'alert-logs': entries }), 'utc'),
})

export const outputOptions = (over: Partial<OutputOptions>): OutputOptions => ({
  output: 'readings',
  send: 'device',
  time: 'utc',
  chunk: 2,
  measurement: 'envlog',
  fieldNames: 'channel',
  group: GROUP,
  ...over,
})

/** A plan with all its messages. */
type Planned = Omit<Plan, 'messages'> & { messages: OutgoingMessage[]; payloads: unknown[] }

export async function plan(content: ReadContent, over: Partial<OutputOptions>): Promise<Planned> {
  // Current readings have individual groups: there is no common one.
  const made = await planMessages(
    content,
    outputOptions(content.kind === 'current' ? { group: null, ...over } : over),
  )
  const messages = await messagesOf(made)
  return { ...made, messages, payloads: messages.map(({ payload }) => payload) }
}

const ACTION: Record<ReadContent['kind'], ActionName> = {
  current: 'current',
  series: 'range',
  alerts: 'alerts',
}

/** Every output and send for this kind of content except raw and statistics. */
export const outputPairsOf = (kind: ReadContent['kind']) => pairs([ACTION[kind]]).filter(hasFacts)

const name = fc.oneof(fc.constantFrom(...HOSTILE), fc.constantFrom('', 'Inside'), fc.string())
const value = fc.oneof(
  fc.constantFrom('', ' 21.50 ', 'Sensor Error', 'E1', '1e3', null, '12.3.4', '__proto__', '-0'),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
)
const time = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: RECORD_TIME, max: RECORD_TIME + 6 }) },
  fc.constantFrom('', 0, '0'),
)
const channels = fc.uniqueArray(fc.integer({ min: 1, max: 6 }), { maxLength: 4 })
const listed = channels.chain((numbers) =>
  fc.tuple(...numbers.map((num) => fc.record({ num: fc.constant(num), name, unit: name }))),
)
const group = fc.oneof(fc.constant([]), fc.record({ num: fc.integer({ min: 0, max: 3 }), name }))

const device = fc.record({
  serial: fc.constantFrom('5212A1B2', '5212A1B3'),
  name,
  model: name,
  rssi: fc.constantFrom('', '-62'),
  unixtime: time,
  group,
  channel: listed.chain((list) => fc.tuple(...list.map((one) => value.map((v) => ({ ...one, value: v }))))),
})
const identity = { 'remote-name': name, 'remote-model': name, channel: listed }
const record = fc.tuple(time, fc.integer({ min: 0, max: 9 }), fc.array(value, { maxLength: 5 })).map(
  ([unixtime, id, values]): Json => ({
    unixtime,
    'data-id': id,
    ...Object.fromEntries(values.map((v, index) => [`ch${index + 1}`, v])),
  }),
)
const entry = fc
  .tuple(time, fc.dictionary(fc.constantFrom('ch1', 'ch6', 'battery-level'), name))
  .map(([unixtime, texts]): Json => ({ unixtime, ...texts }))

/** Content of each kind, with every peculiarity that the readers accept. */
export const anyContent: Record<ReadContent['kind'], fc.Arbitrary<ReadContent>> = {
  current: fc.array(device, { maxLength: 4 }).map((devices) => current(devices as Json[])),
  series: fc
    .record({ ...identity, data: fc.array(record, { maxLength: 8 }) })
    .map((fields) => series(fields as Json)),
  alerts: fc
    .record({ ...identity, logs: fc.array(entry, { maxLength: 6 }) })
    .map(({ logs, ...fields }) => alerts(logs, fields as Json)),
}
export const kinds = ['current', 'series', 'alerts'] as const
