import type { AlertEnvelope } from '../decode/envelopes'
import { sanitizeText } from '../decode/text'
import { createTimeFormatter, readTimestamp, type TimeStyle, toUtcOffset, utcOffsetAt } from '../decode/time'
import { EnvlogError } from '../errors'
import { type AlertKind, type AlertSource, classifyAlert } from './alert-kind'
import { type Channel, createUnlistedChannel, matchChannels, parseChannelNumber } from './channel'
import { type Device, readDevice } from './device'

/** One text of an alert log entry: an element of the payload of envlog-alerts (docs/messages.md). */
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
  /** As the service sends it. */
  text: string
}

/** The alerts of a device, oldest first. The device is set even if there are no alerts. */
export interface AlertLog {
  device: Device
  /** Channels of the alerts, and those listed in the response. */
  channels: Channel[]
  alerts: Alert[]
}

/** Fields of a log entry that do not belong to a channel, and their sources. */
const DEVICE_SOURCES = [
  ['battery-level', 'battery'],
  ['communication-status', 'communication'],
] as const

/** One entry of a log. */
export interface LogEntry {
  /** ms since 1970 UTC. */
  timestamp: number | null
  texts: { source: AlertSource; text: string }[]
}

/**
 * Reads an alert log (docs/service.md, *Fields*). Unreadable entries are left out; `unreadable` has their paths.
 * @param choose selects the wanted entries from all entries, oldest first; unreadable ones are included, without time
 * and texts
 * @throws EnvlogError `reply-unreadable` if there are entries but none can be read
 */
export function readAlerts(
  envelope: AlertEnvelope,
  style: TimeStyle,
  choose: (entries: LogEntry[]) => readonly LogEntry[] = (entries) => entries,
): AlertLog & { unreadable: string[] } {
  const device = readDevice(envelope.device, envelope.base)
  const offset = toUtcOffset(envelope.offsets)
  const formatTime = createTimeFormatter(style, offset)
  const unreadable: string[] = []
  const entries = envelope.entries.map((entry, index) => {
    try {
      return readEntry(entry, index)
    } catch (error) {
      if (!(error instanceof EnvlogError)) throw error
      unreadable.push(String(error.params.part))
      return EMPTY_ENTRY
    }
  })
  const [part] = unreadable
  if (part !== undefined && unreadable.length === entries.length) {
    throw new EnvlogError('reply-unreadable', { part })
  }
  // A log contains few of a device's channels, so it does not show whether the listed ones count from 0 or 1.
  const listed = matchChannels(envelope.channel).map(({ channel }) => channel)
  const channels = new Map<string, Channel>(listed.map((channel) => [channel.key, channel]))

  const alerts = choose(sortByTime(entries)).flatMap(({ timestamp, texts }) =>
    texts.map(({ source, text }): Alert => {
      const number = parseChannelNumber(source)
      const found = number === undefined ? undefined : (channels.get(source) ?? createUnlistedChannel(number))
      if (found) channels.set(source, found)
      // A copy, because messages must not share objects.
      const channel = found ? { ...found } : null
      return {
        ...device,
        base: { ...device.base },
        time: formatTime(timestamp),
        timestamp,
        utcOffset: utcOffsetAt(timestamp, style, offset),
        source,
        channel,
        kind: classifyAlert(source, text, channel?.name ?? ''),
        text,
      }
    }),
  )
  return { device, channels: [...channels.values()], alerts, unreadable }
}

const EMPTY_ENTRY: LogEntry = { timestamp: null, texts: [] }

function readEntry(entry: unknown, index: number): LogEntry {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
    throw new EnvlogError('reply-unreadable', { part: `alert-logs.${index}` })
  }
  const fields = entry as Record<string, unknown>
  const timestamp = readTimestamp(fields.unixtime, () => `alert-logs.${index}.unixtime`)
  return { timestamp, texts: readTexts(fields) }
}

/** Alerts have at most 6 channels (docs/service.md, *Fields*). */
const MAX_CHANNEL = 6

function readTexts(entry: Record<string, unknown>): LogEntry['texts'] {
  const channels = Object.keys(entry)
    .map(parseChannelNumber)
    .filter((number): number is number => number !== undefined && number <= MAX_CHANNEL)
    .sort((a, b) => a - b)
    .map((number) => [`ch${number}`, `ch${number}`] as const)
  return [...channels, ...DEVICE_SOURCES].flatMap(([key, source]) => {
    const value = entry[key]
    const text =
      typeof value === 'string' ? sanitizeText(value) : typeof value === 'number' ? String(value) : ''
    return text.trim() === '' ? [] : [{ source, text }]
  })
}

/** Sorts by time. Entries with the same time keep the service's order, reversed if it sends the newest first. */
function sortByTime<T extends { timestamp: number | null }>(entries: readonly T[]): T[] {
  const time = (entry: T | undefined) => entry?.timestamp ?? Number.NEGATIVE_INFINITY
  const newestFirst = time(entries[0]) >= time(entries.at(-1))
  const ordered = newestFirst ? entries.toReversed() : [...entries]
  return ordered.sort((a, b) => time(a) - time(b))
}
