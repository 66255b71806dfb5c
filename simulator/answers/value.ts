/** One measured value as JSON, as text, and in another unit. */
import type { RecordValue } from '../fleet/definition'
import type { Channel } from '../fleet/device'

export type TemperatureUnit = 'device' | 'C' | 'F'

export interface ValueWriter {
  channel: Channel
  column: number
  unit: string
  /** as JSON; undefined: the field is absent */
  json(value: RecordValue): string | undefined
  /** as plain text, `""` for no value */
  text(value: RecordValue): string
}

const celsius = new Set(['C', '°C', '℃'])

export function valueWriter(
  channel: Channel,
  column: number,
  asText: boolean,
  unit: TemperatureUnit,
): ValueWriter {
  const fahrenheit = unit === 'F' && celsius.has(channel.unit)
  const converted = (value: number) => (fahrenheit ? Math.round(value * 18 + 320) / 10 : value)
  const plain = (value: number) => {
    const shown = converted(value)
    return channel.decimals === undefined || !Number.isFinite(shown)
      ? String(shown)
      : shown.toFixed(channel.decimals)
  }
  const text = (value: RecordValue) => (typeof value === 'number' ? plain(value) : (value ?? ''))
  const json = (value: RecordValue) => {
    if (value === null) return undefined
    // An error is text even if numbers are numeric: it begins with E (docs/service.md, *Fields*).
    if (typeof value === 'string') return JSON.stringify(value)
    return asText ? `"${plain(value)}"` : jsonNumber(converted(value))
  }
  return {
    channel,
    column,
    unit: fahrenheit ? channel.unit.replace('C', 'F').replace('℃', '℉') : channel.unit,
    json,
    text,
  }
}

/** String(), because JSON.stringify is slower, and there may be 262,140 values at once. */
function jsonNumber(value: number): string {
  return Number.isFinite(value) ? String(value) : 'null'
}
