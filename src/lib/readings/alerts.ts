import type { AlertEnvelope } from '../decode/envelopes'
import { sanitizeText } from '../decode/text'
import { createTimeFormatter, readTimestamp, type TimeStyle, toUtcOffset } from '../decode/time'
import { EnvlogError } from '../errors'
import { type AlertKind, type AlertSource, classifyAlert } from './alert-kind'
import { type Channel, createUnlistedChannel, matchChannels, parseChannelNumber } from './channel'
import { type Device, readDevice } from './device'

/** One text of one alert log entry: an element of envlog-alerts' payload. */
export interface Alert extends Device {
  time: string | null
  timestamp: number | null
  utcOffset: number
  source: AlertSource
  /** `null` for battery and communication. */
  channel: Channel | null
  kind: AlertKind
  /** The service's own words. */
  text: string
}

/** A device's alerts, oldest first; the device stands beside them for answers without any. */
export interface AlertLog {
  device: Device
  /** Of which there are alerts, and others that the answer lists. */
  channels: Channel[]
  alerts: Alert[]
}

/** The fields of a log entry that are no channel. */
const otherSources = [
  ['battery-level', 'battery'],
  ['communication-status', 'communication'],
] as const

/** One entry of a log: its texts by source. */
export interface LogEntry {
  timestamp: number | null
  texts: { source: AlertSource; text: string }[]
}

/**
 * An answer of endpoint 6 (docs/service.md, *Fields*); entries that cannot be read are left out, and named.
 * @param choose which of the entries, which are told oldest first; those that cannot be read are among them, blank
 * @throws EnvlogError `reply-unreadable` where there are entries and none can be read
 */
export function readAlerts(
  envelope: AlertEnvelope,
  style: TimeStyle,
  choose: (entries: LogEntry[]) => readonly LogEntry[] = (entries) => entries,
): AlertLog & { unread: string[] } {
  const device = readDevice(envelope.device, envelope.base)
  const offset = toUtcOffset(envelope.offsets)
  const write = createTimeFormatter(style, offset)
  const unread: string[] = []
  const entries = envelope.entries.map((entry, index) => {
    try {
      return readEntry(entry, index)
    } catch (error) {
      if (!(error instanceof EnvlogError)) throw error
      unread.push(String(error.params.part))
      return BLANK
    }
  })
  const [part] = unread
  if (part !== undefined && unread.length === entries.length) {
    throw new EnvlogError('reply-unreadable', { part })
  }
  // A log tells few of a device's channels, so it says nothing about how the listed ones are counted.
  const listed = matchChannels(envelope.channel).map(({ channel }) => channel)
  const channels = new Map<string, Channel>(listed.map((channel) => [channel.key, channel]))

  const alerts = choose(oldestFirst(entries)).flatMap(({ timestamp, texts }) =>
    texts.map(({ source, text }): Alert => {
      const number = parseChannelNumber(source)
      const known = number === undefined ? undefined : (channels.get(source) ?? createUnlistedChannel(number))
      if (known) channels.set(source, known)
      const channel = known ? { ...known } : null
      return {
        ...device,
        base: { ...device.base },
        time: write(timestamp),
        timestamp,
        utcOffset: offset,
        source,
        channel,
        kind: classifyAlert(source, text, channel?.name ?? ''),
        text,
      }
    }),
  )
  return { device, channels: [...channels.values()], alerts, unread }
}

const BLANK: LogEntry = { timestamp: null, texts: [] }

function readEntry(entry: unknown, index: number): LogEntry {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
    throw new EnvlogError('reply-unreadable', { part: `alert-logs.${index}` })
  }
  const found = entry as Record<string, unknown>
  const timestamp = readTimestamp(found.unixtime, () => `alert-logs.${index}.unixtime`)
  return { timestamp, texts: textsOf(found) }
}

/** Alerts know ch1 to ch6. */
const LAST_CHANNEL = 6

function textsOf(entry: Record<string, unknown>): LogEntry['texts'] {
  const channels = Object.keys(entry)
    .map(parseChannelNumber)
    .filter((number): number is number => number !== undefined && number <= LAST_CHANNEL)
    .sort((a, b) => a - b)
    .map((number) => [`ch${number}`, `ch${number}`] as const)
  return [...channels, ...otherSources].flatMap(([key, source]) => {
    const value = entry[key]
    const text =
      typeof value === 'string' ? sanitizeText(value) : typeof value === 'number' ? String(value) : ''
    return text.trim() === '' ? [] : [{ source, text }]
  })
}

/** Entries of one second keep the service's order, turned round where it sends the newest first. */
function oldestFirst<T extends { timestamp: number | null }>(entries: readonly T[]): T[] {
  const time = (entry: T | undefined) => entry?.timestamp ?? Number.NEGATIVE_INFINITY
  const newestFirst = time(entries[0]) >= time(entries.at(-1))
  const ordered = newestFirst ? entries.toReversed() : [...entries]
  return ordered.sort((a, b) => time(a) - time(b))
}
