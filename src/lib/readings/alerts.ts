import type { AlertEnvelope } from '../decode/envelopes'
import { isBlank, isObject, readText } from '../decode/fields'
import { createTimeFormatter, readTimestamp, type TimeStyle, utcOffsetAt } from '../decode/time'
import { EnvlogError } from '../errors'
import { type AlertKind, type AlertSource, classifyAlert } from './alert-kind'
import { type Channel, createChannel, matchChannels, parseChannelNumber } from './channel'
import { type Device, readDevice } from './device'

/** A text of an alert log entry, which is an element of the payload of envlog-alerts (docs/messages.md). */
export interface Alert extends Device {
  time: string | null
  /** ms since 1970 UTC. */
  timestamp: number | null
  /** Minutes ahead of UTC at that time; `null` if unknown. */
  utcOffset: number | null
  source: AlertSource
  /** `null` for battery and communication. */
  channel: Channel | null
  kind: AlertKind
  /** The service's wording. */
  text: string
}

/** The alerts of a device, oldest first. The device is set even if there are no alerts. */
export interface AlertLog {
  device: Device
  /** Channels of the alerts, and those listed in the response. */
  channels: Channel[]
  alerts: Alert[]
}

/** Fields of a log entry and their sources (docs/service.md, *Fields*). */
const SOURCES: readonly (readonly [field: string, source: AlertSource])[] = [
  ...[1, 2, 3, 4, 5, 6].map((number) => [`ch${number}`, `ch${number}`] as const),
  ['battery-level', 'battery'],
  ['battery_level', 'battery'],
  ['communication-status', 'communication'],
  ['communication_status', 'communication'],
]

/** One entry of a log. */
export interface LogEntry {
  /** ms since 1970 UTC. */
  timestamp: number | null
  texts: { source: AlertSource; text: string }[]
}

/**
 * Reads the entries of an alert log, oldest first (docs/service.md, *Fields*). Unreadable entries are included without
 * time and texts, and `unreadable` has their paths.
 * @throws EnvlogError `response-unreadable` if there are entries but none can be read
 */
export function readLogEntries({ entries: received }: AlertEnvelope): {
  entries: LogEntry[]
  unreadable: string[]
} {
  const unreadable: string[] = []
  const entries = received.map((received, index): LogEntry => {
    const entry = readEntry(received)
    if (!entry) unreadable.push(`alert-logs.${index}`)
    return entry ?? { timestamp: null, texts: [] }
  })
  const [part] = unreadable
  if (part !== undefined && unreadable.length === entries.length) {
    throw new EnvlogError('response-unreadable', { part })
  }
  return { entries: sortByTime(entries), unreadable }
}

/** Converts entries of a log to alerts. */
export function toAlertLog(
  envelope: Omit<AlertEnvelope, 'entries'>,
  entries: readonly LogEntry[],
  style: TimeStyle,
): AlertLog {
  const device = readDevice(envelope.device, envelope.base)
  const offset = envelope.utcOffset
  const format = createTimeFormatter(style)
  // A log contains few of a device's channels, so it does not show whether the listed channels are numbered from 0 or
  // 1.
  const listed = matchChannels(envelope.channel, createChannel)
  const channels = new Map(listed.map((channel) => [channel.key, channel]))
  const alerts = entries.flatMap(({ timestamp, texts }) =>
    texts.map(({ source, text }): Alert => {
      const number = parseChannelNumber(source)
      const found = number === undefined ? undefined : (channels.get(source) ?? createChannel(number))
      if (found) channels.set(source, found)
      // A copy, because messages must not share objects.
      const channel = found ? { ...found } : null
      // Much faster than an object literal that begins with the device.
      return Object.assign(readDevice(envelope.device, envelope.base), {
        time: format(timestamp, offset),
        timestamp,
        utcOffset: utcOffsetAt(timestamp, style, offset),
        source,
        channel,
        kind: classifyAlert(source, text, channel?.name ?? ''),
        text,
      })
    }),
  )
  return { device, channels: [...channels.values()], alerts }
}

/** Reads an entry; `undefined` if it is not an object, its time is invalid, or its text is in a field that is not known. */
function readEntry(entry: unknown): LogEntry | undefined {
  if (!isObject(entry)) return undefined
  const timestamp = readTimestamp(entry.unixtime)
  if (timestamp === undefined) return undefined
  const texts: LogEntry['texts'] = []
  for (const [field, source] of SOURCES) {
    const text = readText(entry[field])
    if (text.trim() !== '') texts.push({ source, text })
  }
  const isLost =
    texts.length === 0 && Object.keys(entry).some((field) => field !== 'unixtime' && !isBlank(entry[field]))
  return isLost ? undefined : { timestamp, texts }
}

/** Sorts by time. Entries with the same time keep the service's order, reversed if it sends the newest first. */
function sortByTime(entries: readonly LogEntry[]): LogEntry[] {
  const time = (entry: LogEntry | undefined) => entry?.timestamp ?? Number.NEGATIVE_INFINITY
  const newestFirst = time(entries[0]) >= time(entries.at(-1))
  const ordered = newestFirst ? entries.toReversed() : [...entries]
  return ordered.sort((a, b) => time(a) - time(b))
}
