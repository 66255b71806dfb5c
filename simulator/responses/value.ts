/** Writes measured values as JSON or text, in the unit of the device or another unit. */
import type { RecordValue } from '../fleet/definition'
import type { Channel } from '../fleet/device'

export type TemperatureUnit = 'device' | 'C' | 'F'

export interface ValueWriter {
  channel: Channel
  column: number
  unit: string
  /** as JSON text; `undefined` if the field is absent */
  json(value: RecordValue): string | undefined
  /** as plain text; `""` if there is no value */
  text(value: RecordValue): string
}

const celsius = new Set(['C', '°C', '℃'])

/** @param options.asText whether JSON contains numbers as text */
export function createWriter(
  channel: Channel,
  column: number,
  { asText, unit }: { asText: boolean; unit: TemperatureUnit },
): ValueWriter {
  const isFahrenheit = unit === 'F' && celsius.has(channel.unit)
  const convert = (value: number) => (isFahrenheit ? Math.round(value * 18 + 320) / 10 : value)
  const format = (value: number) => {
    const converted = convert(value)
    return channel.decimals === undefined || !Number.isFinite(converted)
      ? String(converted)
      : converted.toFixed(channel.decimals)
  }
  const text = (value: RecordValue) => (typeof value === 'number' ? format(value) : (value ?? ''))
  const json = (value: RecordValue) => {
    if (value === null) return undefined
    // An error is text even if numbers are JSON numbers (docs/service.md, *Fields*).
    if (typeof value === 'string') return JSON.stringify(value)
    return asText ? `"${format(value)}"` : jsonNumber(convert(value))
  }
  return {
    channel,
    column,
    unit: isFahrenheit ? channel.unit.replace('C', 'F').replace('℃', '℉') : channel.unit,
    json,
    text,
  }
}

/** Uses String(), because JSON.stringify is slower and a response may contain 262,140 values. */
function jsonNumber(value: number): string {
  return Number.isFinite(value) ? String(value) : 'null'
}
