/** Responses of current (docs/service.md, *Fields*): the newest reading of each device, or of each requested device. */
import type { EndpointName } from '../endpoints'
import type { CurrentDefinition, RecordValue } from '../fleet/definition'
import { type Device, isRemote } from '../fleet/device'
import type { Directory } from '../fleet/directory'
import type { Variants } from '../variants'
import { extra, numeric, offsets, styleOf } from './shape'
import { createWriter } from './value'

const endpoint: EndpointName = 'current'

/** Error text of a failed channel if neither the device nor a variant defines one. */
const defaultErrorText = 'Sensor Error'

export interface Filter {
  remotes?: readonly string[]
  bases?: readonly string[]
}

export function currentDevices(directory: Directory, filter: Filter): readonly Device[] {
  const remotes = filter.remotes && new Set(filter.remotes)
  const bases = filter.bases && new Set(filter.bases)
  if (!remotes && !bases) return directory.devices
  return directory.devices.filter((device) => remotes?.has(device.serial) || bases?.has(device.base.serial))
}

export function currentBody(devices: readonly Device[], now: number, variants: Variants): string {
  return JSON.stringify({
    devices: devices.map((device) => toElement(device, now, variants)),
    ...extra(variants),
  })
}

/**
 * Time and values of the newest record, overridden by the device's definition; `undefined` if the device has sent
 * nothing.
 */
export function newestReading(
  device: Device,
  now: number,
): { time: number; values: readonly RecordValue[] } | undefined {
  const view = device.records(now)
  const defined: CurrentDefinition = device.current(now)
  const newest = view.high > view.low ? view.at(view.last) : undefined
  if (!newest && !defined.values && defined.unixtime === undefined) return undefined
  return {
    time: defined.unixtime ?? newest?.time ?? now,
    values: device.channels.map((channel, column) => {
      const given = defined.values?.[channel.num]
      if (given !== undefined) return given
      if (channel.broken !== undefined) return channel.broken
      return newest?.values[column] ?? null
    }),
  }
}

function toElement(device: Device, now: number, variants: Variants): Record<string, unknown> {
  const style = styleOf(endpoint, variants)
  const blank = (field: (typeof variants.blank)[number]) => variants.blank.includes(field)
  const reading = newestReading(device, now)
  const num = isRemote(device.kind) ? device.num : device.num || variants.standaloneNum
  const rssi = device.rssi === null || variants.rssiMissing ? {} : { rssi: numeric(device.rssi, style) }
  return {
    num: numeric(num, style),
    serial: device.serial,
    model: device.model,
    name: device.name,
    battery: numeric(device.battery(now), style),
    ...(blank('rssi') ? { rssi: '' } : rssi),
    ...offsets(device.zone(now), style, variants),
    unixtime: blank('unixtime') ? '' : numeric(reading?.time ?? 0, style),
    channel: reading ? toChannels(device, reading.values, variants) : [],
    baseunit: nest(toBaseunit(device, variants), variants),
    group: nest(toGroup(device, variants), variants),
    ...extra(variants),
  }
}

function toChannels(device: Device, values: readonly RecordValue[], variants: Variants): unknown[] {
  const style = styleOf(endpoint, variants)
  return device.channels.map((channel, column) => {
    const writer = createWriter(channel, column, { asText: true, unit: 'device' })
    const value = values[column] ?? null
    return {
      num: numeric(channel.num, style),
      name: variants.blank.includes('channel.name') ? '' : channel.name,
      value: variants.blank.includes('value')
        ? ''
        : toValue(value, writer.text(value), style.numbers, variants),
      unit: channel.unit,
      ...extra(variants),
    }
  })
}

/**
 * `value` is a string, unless a variant sends all numbers as JSON numbers. Error codes of records (`E1` …) become error
 * texts.
 */
function toValue(value: RecordValue, text: string, numbers: string, variants: Variants): string | number {
  if (typeof value === 'number') return numbers === 'number' ? value : text
  if (value === null || value === '') return ''
  return variants.errorText ?? (/^E\d$/.test(text) ? defaultErrorText : text)
}

function toBaseunit(device: Device, variants: Variants): Record<string, unknown> | undefined {
  if (!isRemote(device.kind) && variants.noBaseunit === 'empty-array') return undefined
  const { serial, model, name } = device.base
  return { serial, model, name, ...extra(variants) }
}

function toGroup(device: Device, variants: Variants): Record<string, unknown> | undefined {
  const { num, name } = device.group
  if (name === '' && variants.noGroup === 'empty-array') return undefined
  const style = styleOf(endpoint, variants)
  return {
    num: numeric(num, style),
    name: variants.blank.includes('group.name') ? '' : name,
    ...extra(variants),
  }
}

function nest(value: Record<string, unknown> | undefined, variants: Variants): unknown {
  if (!value) return []
  return variants.nested === 'array' ? [value] : value
}
