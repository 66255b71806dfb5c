/**
 * The measured cases as one table: settings of an action node, and the request of the floor and the hand-built flow.
 */
import type { Output, Send } from '../src/shared/outputs'
import { handBuilt } from './hand-built'
import { remoteDevice, SERVICE_TIME, type ServiceName, standaloneDevice } from './services'

export interface Case {
  id: string
  name: string
  /** Cases of one group run in the same Node-REDs, others in new ones. */
  group: string
  service: ServiceName
  type: 'envlog-current' | 'envlog-latest' | 'envlog-range' | 'envlog-alerts'
  settings: Record<string, unknown>
  /** Path and parameters of the one request of the floor and the hand-built flow. */
  path: string
  params: Record<string, unknown>
  /** JavaScript of the hand-built flow's second function. */
  hand: string
  /** Number of messages that are made of an answer. */
  messages(answer: CaseAnswer): number
  /** A long case: it has fewer runs, and garbage is collected before each. */
  isHeavy: boolean
}

/** The parts of an answer that are counted. */
export interface CaseAnswer {
  devices?: { unixtime: string | number; channel: { value: unknown }[] }[]
  data?: object[]
  'alert-logs'?: object[]
}

const MINUTE = 60_000
const CHUNK = 1000
const targets = {
  standalone: { serial: standaloneDevice.serial, base: standaloneDevice.serial },
  remote: { serial: remoteDevice.serial, base: remoteDevice.base?.serial ?? '' },
}
type Kind = keyof typeof targets
const count = (number: number) => number.toLocaleString('en-US')
const list = (kind: Kind) => ({ select: 'list', devices: [targets[kind]], onlyNew: false })

function paramsOf(kind: Kind, more: object = {}): Record<string, unknown> {
  const { serial, base } = targets[kind]
  return { 'remote-serial': serial, ...(kind === 'remote' && { 'base-serial': base }), ...more }
}

const isNumber = (value: unknown) => value !== '' && value !== null && Number.isFinite(Number(value))

function current(devices: 10 | 100 | 1000 | 5000, output: Output = 'readings', send: Send = 'all'): Case {
  const values = ({ devices: found = [] }: CaseAnswer) =>
    found.flatMap(({ channel }) => channel.filter(({ value }) => isNumber(value))).length
  return {
    id: `current-${devices}-${output}-${send}`,
    name: `current, ${count(devices)} devices, ${output} ${send}`,
    group: devices >= 5000 ? `current-${devices}` : 'small',
    service: `current-${devices}`,
    type: 'envlog-current',
    settings: { select: 'all', onlyNew: false, output, send },
    path: 'current',
    params: {},
    hand: handBuilt[`current ${output} ${send}` as keyof typeof handBuilt],
    messages: (answer) =>
      send === 'all' ? 1 : send === 'device' ? (answer.devices?.length ?? 0) : values(answer),
    isHeavy: devices >= 5000,
  }
}

/** Messages of a series. @param channels number of channels of each record */
function seriesMessages(output: Output, send: Send, channels: number) {
  const elements = ({ data = [] }: CaseAnswer) =>
    data.length * (output === 'rows' || output === 'values' ? channels : 1)
  return (answer: CaseAnswer) => {
    if (send === 'device') return 1
    return send === 'chunk' ? Math.ceil(elements(answer) / CHUNK) : elements(answer)
  }
}

function latest(kind: Kind, output: Output = 'readings', send: Send = 'device'): Case {
  return {
    id: `latest-${kind}-${output}-${send}`,
    name: `latest, 300 records, ${kind}, ${output} ${send}`,
    group: 'small',
    service: 'numbers',
    type: 'envlog-latest',
    settings: { ...list(kind), output, send },
    path: kind === 'remote' ? 'latest-data-relay' : 'latest-data',
    params: paramsOf(kind),
    hand: handBuilt[`series ${output} ${send}` as keyof typeof handBuilt],
    messages: seriesMessages(output, send, kind === 'remote' ? 4 : 2),
    isHeavy: false,
  }
}

interface Range {
  channels: 2 | 4
  text?: boolean
  output?: Output
  send?: Send
}

function range(
  records: number,
  { channels, text = false, output = 'readings', send = 'device' }: Range,
): Case {
  const kind: Kind = channels === 4 ? 'remote' : 'standalone'
  const from = SERVICE_TIME - records * MINUTE
  const period = { from: new Date(from).toISOString(), to: new Date(SERVICE_TIME).toISOString() }
  const size = `${records}x${channels}${text ? '-text' : ''}`
  return {
    id: `range-${size}-${output}-${send}`,
    name: `range, ${count(records)} × ${channels}${text ? ' as text' : ''}, ${output} ${send}`,
    group: `${size} ${output} ${send}`,
    service: text ? 'text' : 'numbers',
    type: 'envlog-range',
    settings: { ...list(kind), ...period, fromType: 'date', toType: 'date', output, send, chunk: CHUNK },
    path: kind === 'remote' ? 'data-relay' : 'data',
    params: paramsOf(kind, {
      'unixtime-from': from / 1000 - 1,
      'unixtime-to': SERVICE_TIME / 1000,
      number: records,
    }),
    hand: handBuilt[`series ${output} ${send}` as keyof typeof handBuilt],
    messages: seriesMessages(output, send, channels),
    isHeavy: true,
  }
}

function alerts(output: Output, send: Send): Case {
  return {
    id: `alerts-${output}-${send}`,
    name: `alerts, ${output} ${send}`,
    group: 'small',
    service: 'numbers',
    type: 'envlog-alerts',
    settings: { ...list('remote'), output, send },
    path: 'alert',
    params: paramsOf('remote'),
    hand: handBuilt[`alerts ${output} ${send}` as keyof typeof handBuilt],
    messages: ({ 'alert-logs': entries = [] }) => (send === 'device' ? 1 : entries.length),
    isHeavy: false,
  }
}

export const cases: readonly Case[] = [
  current(10),
  current(100),
  current(1000),
  current(1000, 'readings', 'device'),
  current(1000, 'rows'),
  current(1000, 'points'),
  current(1000, 'values', 'value'),
  current(5000),
  latest('standalone'),
  latest('remote'),
  latest('remote', 'rows'),
  latest('remote', 'points'),
  latest('remote', 'values', 'value'),
  alerts('readings', 'device'),
  alerts('rows', 'each'),
  range(16_000, { channels: 2 }),
  range(16_000, { channels: 2, text: true }),
  range(16_000, { channels: 2, send: 'each' }),
  range(65_535, { channels: 2 }),
  range(65_535, { channels: 2, text: true }),
  range(65_535, { channels: 4 }),
  range(65_535, { channels: 4, text: true }),
  range(65_535, { channels: 4, send: 'chunk' }),
  range(65_535, { channels: 4, send: 'each' }),
  range(65_535, { channels: 4, output: 'rows' }),
  range(65_535, { channels: 4, output: 'rows', send: 'chunk' }),
  range(65_535, { channels: 4, output: 'rows', send: 'each' }),
  range(65_535, { channels: 4, output: 'points' }),
  range(65_535, { channels: 4, output: 'points', send: 'chunk' }),
  range(65_535, { channels: 4, output: 'points', send: 'each' }),
  range(65_535, { channels: 4, output: 'values', send: 'value' }),
]
