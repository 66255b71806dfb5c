import type { TemperatureUnit } from '../../shared/quantity'
import { nextTurn } from '../clock'
import type { Channel } from './channel'
import type { Content } from './content'
import type { Reading } from './current'
import type { Series, SeriesRecord } from './series'

/** Number of records that are converted in one turn of the event loop. */
const RECORDS_PER_TURN = 16_000

/** Converts the temperatures of readings and records to one unit. Other values, alerts and raw responses stay unchanged. */
export async function convertTemperatures(content: Content, unit: TemperatureUnit): Promise<Content> {
  if (content.kind === 'current')
    return { ...content, readings: content.readings.map((reading) => convertReading(reading, unit)) }
  return content.kind === 'series'
    ? { ...content, series: await convertSeries(content.series, unit) }
    : content
}

/** Converts the temperatures of a reading. @param unit `null` for the units that the service sends */
export function convertReading(reading: Reading, unit: TemperatureUnit | null): Reading {
  const channels = reading.channels.map((channel) => {
    const convert = converterOf(channel, unit)
    if (!convert) return channel
    return { ...channel, unit: `°${unit}`, value: channel.value === null ? null : convert(channel.value) }
  })
  return { ...reading, channels }
}

/** Converts the temperatures of records. @param unit `null` for the units that the service sends */
export async function convertSeries(series: Series, unit: TemperatureUnit | null): Promise<Series> {
  const converters: [`ch${number}`, (value: number) => number][] = []
  const channels = series.channels.map((channel) => {
    const convert = converterOf(channel, unit)
    if (!convert) return channel
    converters.push([channel.key as `ch${number}`, convert])
    return { ...channel, unit: `°${unit}` }
  })
  if (converters.length === 0) return series
  const records: SeriesRecord[] = []
  for (const original of series.records) {
    // A copy, because records that wait for a receipt may be sent again.
    const record = { ...original }
    for (const [key, convert] of converters) {
      const value = record[key]
      if (typeof value === 'number') record[key] = convert(value)
    }
    if (records.push(record) % RECORDS_PER_TURN === 0) await nextTurn()
  }
  return { ...series, channels, records }
}

const CONVERTERS = {
  C: (fahrenheit: number) => toHundredths((fahrenheit - 32) / 1.8),
  F: (celsius: number) => toHundredths(celsius * 1.8 + 32),
}

/** The conversion of a channel's values to the unit; `undefined` if none is needed. */
export function converterOf({ unit: own }: Pick<Channel, 'unit'>, unit: TemperatureUnit | null) {
  const other = unit === 'C' ? '°F' : '°C'
  return unit !== null && own === other ? CONVERTERS[unit] : undefined
}

/** Rounds to two decimals. The result is never -0. */
const toHundredths = (value: number) => Math.round(value * 100) / 100 + 0
