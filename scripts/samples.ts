/**
 * Creates an example message for each node and each choice of *Output* and *Send*, with the same code as real messages.
 * The forms show it as *Example message*.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { NodeAPI } from 'node-red'
import { readMeasurements } from '../src/lib/limits/measurements'
import { Monitor } from '../src/lib/limits/monitor'
import type { OutgoingMessage } from '../src/lib/output/elements'
import { createMetadata } from '../src/lib/output/metadata'
import { planMessages } from '../src/lib/output/plan'
import { formatTopic } from '../src/lib/output/topic'
import type { Alert } from '../src/lib/readings/alerts'
import type { Channel } from '../src/lib/readings/channel'
import type { Content } from '../src/lib/readings/content'
import { convertTemperatures } from '../src/lib/readings/convert-temperatures'
import type { Reading } from '../src/lib/readings/current'
import type { Series } from '../src/lib/readings/series'
import { toStatistics } from '../src/lib/readings/statistics'
import { createTranslate } from '../src/lib/texts'
import { Messages } from '../src/nodes/alarms/messages'
import { Sentences } from '../src/nodes/alarms/sentences'
import { type ActionType, nameOfType } from '../src/shared/action'
import { actionSchemas } from '../src/shared/action-schemas'
import { ALARMS_OUTPUTS, ALARMS_SENDS, type AlarmsSettings } from '../src/shared/alarms-schema'
import { readLimits } from '../src/shared/limits-schema'
import { fixedClock } from '../src/shared/local-clock'
import { OFFERED, type Output, type Send } from '../src/shared/outputs'
import type { TemperatureUnit } from '../src/shared/quantity'
import { newValueOf } from '../src/shared/schema'
import { LIMITS } from '../src/shared/service-limits'

const AT = Date.UTC(2026, 10, 20, 8)
const HOUR_MS = 3_600_000
const GROUP = { number: 1, name: 'Cold chain' }
/** Arrays in examples are truncated to this length. */
const MAX_ELEMENTS = 2

const base = { serial: '5839F001', name: 'Hall 1', model: 'M-500' }
const device = { serial: '5212A1B2', name: 'Freezer 3', model: 'M-503', base, standalone: false }
const channels: Channel[] = [
  { key: 'ch1', number: 1, name: 'Inside', unit: '°C', quantity: 'temperature' },
  { key: 'ch2', number: 2, name: 'Humidity', unit: '%', quantity: 'humidity' },
]
const at = (instant: number) => ({ time: new Date(instant).toISOString(), timestamp: instant })

const reading: Reading = {
  ...device,
  ...at(AT),
  number: 3,
  group: GROUP,
  utcOffset: 540,
  age: 42,
  stale: false,
  battery: { code: 5, level: 'sufficient' },
  rssi: 4,
  channels: channels.map((channel, index) => ({ ...channel, value: [-18.4, 41][index] ?? 0, error: null })),
}

const series: Series = {
  ...device,
  utcOffset: 540,
  channels,
  records: [
    { ...at(AT - 60_000), dataId: 811, ch1: -18.5, ch2: 41 },
    { ...at(AT), dataId: 812, ch1: -18.4, ch2: 41 },
  ] as Series['records'],
  gaps: [],
}

const alert: Alert = {
  ...device,
  ...at(AT),
  utcOffset: 540,
  source: 'ch1',
  channel: channels[0] as Alert['channel'],
  kind: 'upper-limit',
  text: 'Inside: upper limit exceeded',
}

const RAW = { note: 'as sent by the service' }

async function createContent(
  type: ActionType,
  output: Output,
  unit: TemperatureUnit | null,
): Promise<Content> {
  const { serial, name } = device
  const subject = { serial, name, base: base.serial, group: GROUP.name }
  if (output === 'csv' || output === 'csv2')
    return { kind: 'raw', payload: 'text, as sent by the service', device: subject }
  if (output === 'raw')
    return { kind: 'raw', payload: RAW, ...(type === 'envlog-current' ? {} : { device: subject }) }
  if (type === 'envlog-alerts') return { kind: 'alerts', device, channels, alerts: [alert] }
  const measured: Content =
    type === 'envlog-current' ? { kind: 'current', readings: [reading] } : { kind: 'series', series }
  const content = unit ? await convertTemperatures(measured, unit) : measured
  if (output !== 'statistics' || content.kind !== 'series') return content
  const period = { from: AT - 24 * HOUR_MS, to: AT, per: 'period', receivedAt: AT } as const
  const statistics = await toStatistics(content.series, { ...period, time: 'local', group: GROUP })
  return { kind: 'statistics', devices: [statistics], records: series.records.length }
}

const ENDPOINTS = {
  'envlog-current': 'current',
  'envlog-latest': 'latest-data-relay',
  'envlog-range': 'data-relay',
  'envlog-alerts': 'alert',
} as const

async function createSample(
  type: ActionType,
  output: Output,
  send: Send,
  unit: TemperatureUnit | null,
): Promise<object> {
  const defaultOf = (name: string) => String(newValueOf(actionSchemas[type], name))
  const options = {
    output,
    send,
    time: 'utc' as const,
    chunk: 1000,
    measurement: defaultOf('measurement'),
    fieldNames: 'channel' as const,
    group: GROUP,
  }
  const plan = await planMessages(await createContent(type, output, unit), options)
  let message: OutgoingMessage | undefined
  for await (const next of plan.messages) message ??= next
  if (!message) throw new Error(`no message for ${type} ${output} ${send}`)
  const { subject } = message
  const topic = subject && formatTopic(defaultOf('topic'), { account: 'Plant A', ...subject })
  const { limit, window: windowSeconds, records } = { records: null, ...LIMITS[ENDPOINTS[type]] }
  const recordsRemaining = records && records - Math.round(records / 20)
  const quota = { limit, remaining: limit - 1, windowSeconds, recordsRemaining }
  const response = { endpoint: ENDPOINTS[type], receivedAt: AT + 5123, quota }
  const parts = plan.sequence && {
    id: '…',
    type: 'array',
    index: 0,
    count: plan.sequence.count,
    len: plan.sequence.length,
  }
  return {
    ...(topic === undefined ? {} : { topic }),
    payload: Array.isArray(message.payload) ? message.payload.slice(0, MAX_ELEMENTS) : message.payload,
    envlog: createMetadata(nameOfType(type), 'Plant A', response, { subject, reading: message.reading }),
    ...(plan.columns === undefined ? {} : { columns: plan.columns }),
    ...(parts ? { parts } : {}),
  }
}

/**
 * Example messages by `<type> <output> <send>`. If a message differs in degrees Fahrenheit, that version has the key
 * `<type> <output> <send> F`.
 */
export async function createSamples(type: ActionType): Promise<Record<string, object>> {
  const samples: Record<string, object> = {}
  for (const [output, sends] of Object.entries(OFFERED[type]) as [Output, readonly Send[]][]) {
    for (const send of sends) {
      const key = `${type} ${output} ${send}`
      samples[key] = await createSample(type, output, send, null)
      const inFahrenheit = await createSample(type, output, send, 'F')
      if (JSON.stringify(inFahrenheit) !== JSON.stringify(samples[key])) samples[`${key} F`] = inFahrenheit
    }
  }
  return samples
}

/** Example messages of envlog-alarms by `envlog-alarms <output> <send> <language>`. */
export function createAlarmsSamples(language: string): Record<string, object> {
  const samples: Record<string, object> = {}
  for (const output of ALARMS_OUTPUTS)
    for (const send of ALARMS_SENDS)
      samples[`envlog-alarms ${output} ${send} ${language}`] = createAlarmsSample(language, { output, send })
  return samples
}

/** The first message about two devices that have become too warm. */
function createAlarmsSample(language: string, settings: Pick<AlarmsSettings, 'output' | 'send'>): object {
  const clock = { now: () => AT, monotonic: () => 0, after: () => () => {} }
  const never = Number.POSITIVE_INFINITY
  const off = { errorAfterMs: never, silentAfterMs: never, battery: false, remindMs: 0 }
  const monitor = new Monitor(clock, off)
  const limits = readLimits([{ name: 'too warm', above: -15, minutes: 10 }])
  if ('problem' in limits) throw new Error(limits.property)
  const records = [12, 0].map((minutes) => ({ ...at(AT - minutes * 60_000), ch1: -9.8 }))
  const other = { serial: '5212A1B3', name: 'Freezer 4' }
  const payload = [series, { ...series, ...other }].map((one) => ({ ...one, records }))
  monitor.receive(readMeasurements(payload).devices, limits)
  const { reports, states } = monitor.alarms.collect()
  const RED = {
    _: translatorFor(language),
    util: { cloneMessage: (msg: object) => msg },
  } as unknown as NodeAPI
  const sentences = new Sentences(RED, 'local', { now: clock.now, host: fixedClock(series.utcOffset ?? 0) })
  const messages = new Messages(RED, settings as AlarmsSettings, 'Plant A', sentences)
  const [message] = [
    ...messages.ofReports(reports),
    ...messages.ofStates(states, monitor.alarms),
    ...messages.ofSummary(monitor.summarize()),
  ]
  if (!message) throw new Error(`no message for ${settings.output} ${settings.send}`)
  return message
}

/** Translates keys of the catalog of envlog-alarms. */
function translatorFor(language: string) {
  const file = join(__dirname, '..', 'locales', language, 'alarms.json')
  return createTranslate(JSON.parse(readFileSync(file, 'utf8')), language)
}
