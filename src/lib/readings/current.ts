import { runToEnd } from '../cooperative'
import type { CurrentDevice } from '../decode/current-device'
import type { CurrentEnvelope } from '../decode/envelopes'
import type { UnreadableDevice } from '../decode/fields'
import { readNumber, readValueError } from '../decode/number'
import { createTimeFormatter, readTimestamp, type TimeStyle, toUtcOffset } from '../decode/time'
import { EnvlogError } from '../errors'
import { type Battery, readBattery } from './battery'
import { type Channel, matchChannels } from './channel'
import { type Device, knownFieldsOf, readDevice } from './device'

/** The newest values of a device: an element of the payload of envlog-current (docs/messages.md). */
export interface Reading extends Device {
  /** Number of the remote unit; of a standalone device whatever the service sends. */
  number: number | null
  group: { number: number | null; name: string } | null
  time: string | null
  /** ms since 1970 UTC. */
  timestamp: number | null
  /** Minutes ahead of UTC. */
  utcOffset: number
  /** Seconds between measurement and answer, never below 0. */
  age: number | null
  stale: boolean | null
  battery: Battery
  rssi: number | null
  channels: ReadingChannel[]
}

export interface ReadingChannel extends Channel {
  value: number | null
  error: string | null
}

export interface CurrentOptions {
  /** When the answer arrived, in ms since 1970 UTC. */
  receivedAt: number
  time: TimeStyle
  series1Models: readonly string[]
  /** Seconds after which a reading is stale; `null` without limit. */
  staleAfter: number | null
}

/** How many devices are read between two chances to pause. */
const DEVICES_PER_STEP = 200

/**
 * Reads current readings (docs/service.md, *Fields*), in the service's order. `onUnreadable` is called for each device
 * that cannot be read, after the others are read.
 * @throws EnvlogError `reply-unreadable` if there are devices and none can be read
 */
export function readCurrent(...answer: Parameters<typeof readCurrentStepwise>): Reading[] {
  return runToEnd(readCurrentStepwise(...answer))
}

/** Reads current readings as `readCurrent` does, in steps, for answers with thousands of devices. */
export function* readCurrentStepwise(
  envelope: CurrentEnvelope,
  options: CurrentOptions,
  onUnreadable: (device: UnreadableDevice) => void = () => {},
): Generator<undefined, Reading[]> {
  const { readings, unreadable } = yield* readReadableStepwise(envelope, options)
  const [first] = unreadable
  if (first && readings.length === 0) throw new EnvlogError('reply-unreadable', { part: first.part })
  unreadable.forEach(onUnreadable)
  return readings
}

/** What can be read of an answer, and which devices cannot. */
export interface ReadCurrent {
  readings: Reading[]
  unreadable: UnreadableDevice[]
}

/** Reads what can be read, for callers that need the devices even if no reading can be read. */
export function readReadable(envelope: CurrentEnvelope, options: CurrentOptions): ReadCurrent {
  return runToEnd(readReadableStepwise(envelope, options))
}

function* readReadableStepwise(
  envelope: CurrentEnvelope,
  options: CurrentOptions,
): Generator<undefined, ReadCurrent> {
  const unreadable = [...envelope.unreadable]
  const formatTime = createFormatter(options.time)
  const readings: Reading[] = []
  for (const [index, device] of envelope.devices.entries()) {
    if (index % DEVICES_PER_STEP === DEVICES_PER_STEP - 1) yield undefined
    try {
      readings.push(readReading(device, options, formatTime))
    } catch (error) {
      if (!(error instanceof EnvlogError)) throw error
      const part = String(error.params.part)
      unreadable.push({ serial: device.serial, known: knownFieldsOf(device), part })
    }
  }
  return { readings, unreadable }
}

/** Formats times at any offset, with one `createTimeFormatter` for each. */
function createFormatter(style: TimeStyle): (timestamp: number | null, offset: number) => string | null {
  const byOffset = new Map<number, ReturnType<typeof createTimeFormatter>>()
  return (timestamp, offset) => {
    const format = byOffset.get(offset) ?? createTimeFormatter(style, offset)
    byOffset.set(offset, format)
    return format(timestamp)
  }
}

function readReading(
  entry: CurrentDevice,
  options: CurrentOptions,
  formatTime: ReturnType<typeof createFormatter>,
): Reading {
  const device = readDevice(entry, entry.baseunit)
  const offset = toUtcOffset(entry.offsets)
  const timestamp = readTimestamp(entry.unixtime, () => `devices.${entry.index}.unixtime`)
  const age = timestamp === null ? null : Math.max(0, Math.round((options.receivedAt - timestamp) / 1000))
  return {
    serial: device.serial,
    name: device.name,
    model: device.model,
    number: entry.num,
    base: device.base,
    standalone: device.standalone,
    group:
      entry.group && entry.group.name !== '' ? { number: entry.group.num, name: entry.group.name } : null,
    time: formatTime(timestamp, offset),
    timestamp,
    utcOffset: offset,
    age,
    stale: options.staleAfter === null ? null : age === null || age > options.staleAfter,
    battery: readBattery(entry.battery, device, options.series1Models),
    rssi: entry.rssi,
    channels: readChannels(entry.channel),
  }
}

function readChannels(entries: CurrentDevice['channel']): ReadingChannel[] {
  return matchChannels(entries).map(({ channel: { key, number, name, unit, quantity }, listed }) => {
    const value = readNumber(listed?.value)
    return {
      key,
      number,
      name,
      unit,
      quantity,
      value,
      error: value === null ? readValueError(listed?.value) : null,
    }
  })
}
