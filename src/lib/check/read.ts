import { runToEnd } from '../cooperative'
import { readEnvelope } from '../decode/envelopes'
import { toUtcOffset } from '../decode/time'
import { type EndpointName, endpoints } from '../endpoints'
import { EnvlogError } from '../errors'
import { readAlerts } from '../readings/alerts'
import { readReadable } from '../readings/current'
import { readSeriesPartStepwise } from '../readings/series'
import type { Answered } from './exchange'

/** What the package reads from a field, beside what the answer holds there. */
export interface ReadField {
  /** A key of the catalogs: `field.<name>`. */
  field: string
  read: string
  held: string
}

/** What could be read of an answer. */
export interface ReadAnswer {
  endpoint: EndpointName
  /** Fields of its first device. */
  fields: ReadField[]
  /** Paths of what cannot be read. */
  unreadable: string[]
}

const show = (value: unknown) =>
  value === undefined ? '' : typeof value === 'string' ? `"${value}"` : JSON.stringify(value)

/** Reads an answer as the nodes do. @param receivedAt ms since 1970 UTC */
export function readAnswer(answer: Answered, receivedAt: number): ReadAnswer {
  const { endpoint, result } = answer
  try {
    const body = result.body as Readonly<Record<string, unknown>>
    const envelope = readEnvelope(endpoint, JSON.stringify(body))
    if ('devices' in envelope) return { endpoint, ...readDevices(envelope, receivedAt) }
    const held = (hyphen: string) => body[hyphen] ?? body[hyphen.replace('-', '_')]
    const offset = {
      field: 'offset',
      read: `${toUtcOffset(envelope.offsets)} min`,
      held: ['time-diff', 'std-bias', 'dst-bias', 'dst-flg'].map((name) => show(held(name))).join(' '),
    }
    const identity = {
      field: 'device',
      read: envelope.device.serial,
      held: show(body['remote-serial'] ?? body.serial),
    }
    if ('entries' in envelope) {
      const { alerts, unreadable } = readAlerts(envelope, 'utc')
      const kinds = [...new Set(alerts.map(({ kind }) => kind))].join(', ')
      const entries = { field: 'alerts', read: kinds, held: `${envelope.entries.length}` }
      return { endpoint, fields: [identity, offset, entries], unreadable }
    }
    const { part, unreadable } = runToEnd(readSeriesPartStepwise(envelope, 'utc'))
    const [first] = part.records
    const last = part.records.at(-1)
    const channels = part.channels.map(({ key, unit, quantity }) => `${key} ${unit} (${quantity ?? '?'})`)
    return {
      endpoint,
      fields: [
        identity,
        offset,
        { field: 'channels', read: channels.join(', '), held: `${envelope.channel.length}` },
        { field: 'records', read: `${part.records.length}`, held: `${envelope.records.length}` },
        { field: 'times', read: `${first?.time ?? '-'} … ${last?.time ?? '-'}`, held: '' },
        { field: 'ids', read: `${first?.dataId ?? '-'} … ${last?.dataId ?? '-'}`, held: '' },
        {
          field: 'errors',
          read: [...new Set(part.records.flatMap(({ errors = {} }) => Object.values(errors)))]
            .slice(0, 5)
            .join(', '),
          held: '',
        },
      ],
      unreadable,
    }
  } catch (error) {
    if (!(error instanceof EnvlogError)) throw error
    return { endpoint, fields: [], unreadable: [String(error.params.part ?? endpoints[endpoint].answer)] }
  }
}

function readDevices(
  envelope: Parameters<typeof readReadable>[0],
  receivedAt: number,
): Omit<ReadAnswer, 'endpoint'> {
  const options = { receivedAt, time: 'utc', series1Models: [], staleAfter: null } as const
  const { readings, unreadable } = readReadable(envelope, options)
  const [reading] = readings
  const entry = envelope.devices.find(({ serial }) => serial === reading?.serial)
  const paths = unreadable.map(({ part }) => part)
  if (!reading || !entry) return { fields: [], unreadable: paths }
  const { timeDiff, stdBias, dstBias, dstFlag } = entry.offsets
  return {
    unreadable: paths,
    fields: [
      { field: 'device', read: reading.serial, held: show(entry.serial) },
      { field: 'name', read: reading.name, held: show(entry.name) },
      { field: 'model', read: reading.model, held: show(entry.model) },
      {
        field: 'base',
        read: reading.standalone ? '=' : reading.base.serial,
        held: show(entry.baseunit?.serial),
      },
      { field: 'group', read: reading.group?.name ?? '-', held: show(entry.group) },
      {
        field: 'offset',
        read: `${reading.utcOffset} min`,
        held: [timeDiff, stdBias, dstBias, dstFlag].map(show).join(' '),
      },
      { field: 'time', read: reading.time ?? '-', held: show(entry.unixtime) },
      { field: 'battery', read: reading.battery.level, held: show(entry.battery) },
      { field: 'rssi', read: show(reading.rssi), held: show(entry.rssi) },
      ...reading.channels.map(({ key, value, error, unit, quantity }, index) => ({
        field: 'channel',
        read: `${key} ${value ?? error} ${unit} (${quantity ?? '?'})`,
        held: show(entry.channel[index]?.value),
      })),
    ],
  }
}
