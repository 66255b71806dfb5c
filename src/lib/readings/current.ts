import type { CurrentDevice, CurrentEnvelope, Group } from '../decode/envelopes'
import type { ListedChannel } from '../decode/fields'
import { createTimeFormatter, type TimeFormatter, type TimeStyle, utcOffsetAt } from '../decode/time'
import { readNumber, readValueError } from '../decode/value'
import { type Battery, readBattery } from './battery'
import { type Channel, createChannel, matchChannels } from './channel'
import { type Device, readDevice } from './device'

/** The current values of a device, an element of the payload of envlog-current (docs/messages.md). */
export interface Reading extends Device {
  /** Number of the remote unit. For a standalone device, it is the number that the service sends. */
  number: number | null
  group: Group | null
  time: string | null
  /** ms since 1970 UTC. */
  timestamp: number | null
  /** Minutes ahead of UTC at that time; `null` if unknown. */
  utcOffset: number | null
  /** Seconds from the measurement to the response; negative if the clock of the device is ahead. */
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
  /** When the response arrived, in ms since 1970 UTC. */
  receivedAt: number
  time: TimeStyle
  series1Models: readonly string[]
  /** Seconds after which a reading is stale; `null` for no limit. */
  staleAfter: number | null
}

/** Converts the devices in a response to current readings, in the same order. */
export function readCurrent({ devices }: CurrentEnvelope, options: CurrentOptions): Reading[] {
  const format = createTimeFormatter(options.time)
  return devices.map((device) => readReading(device, options, format))
}

function readReading(entry: CurrentDevice, options: CurrentOptions, format: TimeFormatter): Reading {
  const device = readDevice(entry, entry.baseunit)
  const { timestamp, utcOffset: offset } = entry
  const age = timestamp === null ? null : Math.round((options.receivedAt - timestamp) / 1000) + 0
  return {
    serial: device.serial,
    name: device.name,
    model: device.model,
    number: entry.num,
    base: device.base,
    standalone: device.standalone,
    group: entry.group && { ...entry.group },
    time: format(timestamp, offset),
    timestamp,
    utcOffset: utcOffsetAt(timestamp, options.time, offset),
    age,
    stale: options.staleAfter === null ? null : age === null || age > options.staleAfter,
    battery: readBattery(entry.battery, device, options.series1Models),
    rssi: entry.rssi,
    channels: matchChannels(entry.channel, createReadingChannel),
  }
}

function createReadingChannel(number: number, entry?: ListedChannel): ReadingChannel {
  const { key, name, unit, quantity } = createChannel(number, entry)
  const value = readNumber(entry?.value)
  const error = value === null ? readValueError(entry?.value) : null
  return { key, number, name, unit, quantity, value, error }
}
