/** Responses of latest-data, latest-data-relay, data and data-relay: JSON, csv and csv2. */
import type { EndpointName, Style } from '../endpoints'
import type { Device, Zone } from '../fleet/device'
import type { RecordView } from '../fleet/records'
import type { Variants } from '../variants'
import { csvBody, dialect } from './csv'
import { ordered, type Selection } from './select'
import { channelFields, extra, identity, offsets, shownChannels, styleOf } from './shape'
import { type TemperatureUnit, type ValueWriter, valueWriter } from './value'

export type GraphType = 'json' | 'csv' | 'csv2'

export interface GraphRequest {
  endpoint: EndpointName
  device: Device
  zone: Zone
  view: RecordView
  selection: Selection
  type: GraphType
  unit: TemperatureUnit
}

export function graphBody(request: GraphRequest, variants: Variants): string {
  const { endpoint, device, zone, view, selection, type, unit } = request
  const style = styleOf(endpoint, variants)
  const asText = style.numbers === 'text'
  // No channels as long as a device has no records: "may be empty when the device has insufficient data".
  const shown = view.high > view.low ? shownChannels(device, style) : []
  const writers = shown.map(({ channel, column }) => valueWriter(channel, column, asText, unit))
  const indexes = ordered(view, selection, variants.recordOrder)
  // As described: on latest-data, csv is the CSV format itself; on the others, csv and csv2 differ.
  if (type === 'csv2' || (type === 'csv' && endpoint === 'latest-data')) {
    return csvBody(zone, view, indexes, writers, variants)
  }
  if (type === 'csv') return plainCsv(view, indexes, writers, variants)
  return jsonBody(device, zone, style, writers, records(view, indexes, writers, asText, variants), variants)
}

function jsonBody(
  device: Device,
  zone: Zone,
  style: Style,
  writers: readonly ValueWriter[],
  data: string,
  variants: Variants,
): string {
  const head = JSON.stringify({
    ...identity(device, style),
    ...offsets(zone, style, variants),
    channel: writers.map(({ channel, unit }) => ({ ...channelFields(channel, style, variants), unit })),
    ...extra(variants),
  })
  return `${head.slice(0, -1)},"data":[${data}]}`
}

/** Builds the JSON text directly: objects and JSON.stringify are too slow for 65,535 records of four channels. */
function records(
  view: RecordView,
  indexes: readonly number[],
  writers: readonly ValueWriter[],
  asText: boolean,
  variants: Variants,
): string {
  const quote = asText ? '"' : ''
  const tail = variants.extraFields ? `${JSON.stringify(extra(variants)).replace('{', ',')}` : '}'
  let text = ''
  for (const index of indexes) {
    const { time, id, values } = view.at(index)
    text += `${text === '' ? '' : ','}{"unixtime":${quote}${time}${quote},"data-id":${quote}${id}${quote}`
    for (const writer of writers) {
      const json = writer.json(values[writer.column] ?? null)
      if (json !== undefined) text += `,"ch${writer.channel.num}":${json}`
    }
    text += tail
  }
  return text
}

/** "csv returns the JSON-encoded value in CSV form": the fields of data[] as columns, with times and ids as in JSON. */
function plainCsv(
  view: RecordView,
  indexes: readonly number[],
  writers: readonly ValueWriter[],
  variants: Variants,
): string {
  const { row, start } = dialect(variants)
  let body = start + row(['unixtime', 'data-id', ...writers.map(({ channel }) => `ch${channel.num}`)])
  for (const index of indexes) {
    const { time, id, values } = view.at(index)
    body += row([
      String(time),
      String(id),
      ...writers.map((writer) => writer.text(values[writer.column] ?? null)),
    ])
  }
  return body
}
