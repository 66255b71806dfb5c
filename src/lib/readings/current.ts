import type { CurrentDevice } from '../api/current-device'
import type { CurrentEnvelope } from '../api/envelopes'
import type { Unreadable } from '../api/fields'
import { EnvlogError } from '../errors'
import { atOnce } from '../pace'
import { type Battery, readBattery } from './battery'
import { type Channel, lineUpChannels } from './channel'
import { type Device, readDevice } from './device'
import { readNumber, valueError } from './number'
import { readTimestamp, type TimeStyle, timeWriter, utcOffset } from './time'

/** One device's newest reading: an element of envlog-current's payload (docs/messages.md). */
export interface Reading extends Device {
  /** Remote unit number; what a standalone device has there differs (docs/service.md). */
  number: number | null
  group: { number: number | null; name: string } | null
  time: string | null
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
  /** When the answer had arrived, ms since 1970 UTC. */
  receivedAt: number
  time: TimeStyle
  series1Models: readonly string[]
  /** Seconds after which a reading is stale; `null` for no limit. */
  staleAfter: number | null
}

/** Devices that are read in one step. */
const STEP = 200

/**
 * The answer of endpoint 1 (docs/service.md, *Fields*), in the service's order. A device that cannot be read is told to
 * `told`, and the others are read.
 * @throws EnvlogError `reply-unreadable` where there are devices and none can be read
 */
export function readCurrent(...answer: Parameters<typeof stepsOfCurrent>): Reading[] {
  return atOnce(stepsOfCurrent(...answer))
}

/** The same step by step, for answers with thousands of devices. */
export function* stepsOfCurrent(
  envelope: CurrentEnvelope,
  options: CurrentOptions,
  told: (device: Unreadable) => void = () => {},
): Generator<undefined, Reading[]> {
  const { readings, unreadable } = yield* stepsOfReadable(envelope, options)
  const [first] = unreadable
  if (first && readings.length === 0) throw new EnvlogError('reply-unreadable', { part: first.part })
  unreadable.forEach(told)
  return readings
}

/** What can be read of an answer, and which devices cannot. */
export interface ReadCurrent {
  readings: Reading[]
  unreadable: Unreadable[]
}

/** The same where devices are of use even if none can be read. */
export function readReadable(envelope: CurrentEnvelope, options: CurrentOptions): ReadCurrent {
  return atOnce(stepsOfReadable(envelope, options))
}

function* stepsOfReadable(
  envelope: CurrentEnvelope,
  options: CurrentOptions,
): Generator<undefined, ReadCurrent> {
  const unreadable = [...envelope.unreadable]
  const write = writers(options.time)
  const readings: Reading[] = []
  for (const [index, device] of envelope.devices.entries()) {
    if (index % STEP === STEP - 1) yield undefined
    try {
      readings.push(readOne(device, options, write))
    } catch (error) {
      if (!(error instanceof EnvlogError)) throw error
      const { serial, name, baseunit, group } = device
      const known = { base: baseunit?.serial ?? serial, name, group: group?.name ?? '' }
      unreadable.push({ serial, known, part: String(error.params.part) })
    }
  }
  return { readings, unreadable }
}

/** Writes times of devices at any offset; those of one offset have a writer of their own. */
function writers(style: TimeStyle): (timestamp: number | null, offset: number) => string | null {
  const byOffset = new Map<number, ReturnType<typeof timeWriter>>()
  return (timestamp, offset) => {
    const write = byOffset.get(offset) ?? timeWriter(style, offset)
    byOffset.set(offset, write)
    return write(timestamp)
  }
}

function readOne(found: CurrentDevice, options: CurrentOptions, write: ReturnType<typeof writers>): Reading {
  const device = readDevice(found, found.baseunit)
  const offset = utcOffset(found.offsets)
  const timestamp = readTimestamp(found.unixtime, () => `devices.${found.index}.unixtime`)
  const age = timestamp === null ? null : Math.max(0, Math.round((options.receivedAt - timestamp) / 1000))
  return {
    serial: device.serial,
    name: device.name,
    model: device.model,
    number: found.num,
    base: device.base,
    standalone: device.standalone,
    group:
      found.group && found.group.name !== '' ? { number: found.group.num, name: found.group.name } : null,
    time: write(timestamp, offset),
    timestamp,
    utcOffset: offset,
    age,
    stale: options.staleAfter === null ? null : age === null || age > options.staleAfter,
    battery: readBattery(found.battery, device, options.series1Models),
    rssi: found.rssi,
    channels: readChannels(found.channel),
  }
}

function readChannels(found: CurrentDevice['channel']): ReadingChannel[] {
  return lineUpChannels(found).map(({ channel: { key, number, name, unit, quantity }, listed }) => {
    const value = readNumber(listed?.value)
    return {
      key,
      number,
      name,
      unit,
      quantity,
      value,
      error: value === null ? valueError(listed?.value) : null,
    }
  })
}
