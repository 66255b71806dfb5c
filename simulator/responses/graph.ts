/** Responses of latest-data, latest-data-relay, data and data-relay: JSON, csv and csv2. */
import type { EndpointName } from '../endpoints'
import type { Device, Offsets } from '../fleet/device'
import type { RecordView } from '../fleet/record-views'
import type { Variants } from '../variants'
import { csvBody, plainCsv } from './csv'
import { order, type Selection } from './select'
import { channelFields, extra, identity, offsets, shownChannels, styleOf } from './shape'
import { createWriter, type TemperatureUnit, type ValueWriter } from './value'

export type GraphType = 'json' | 'csv' | 'csv2'

export interface GraphRequest {
  endpoint: EndpointName
  device: Device
  zone: Offsets
  view: RecordView
  selection: Selection
  type: GraphType
  unit: TemperatureUnit
}

export function graphBody(request: GraphRequest, variants: Variants): string {
  const { endpoint, device, zone, view, selection, type, unit } = request
  const style = styleOf(endpoint, variants)
  const asText = style.numbers === 'text'
  // A device without records has no channels: "may be empty when the device has insufficient data".
  const shown = view.high > view.low ? shownChannels(device, style) : []
  const writers = shown.map(({ channel, column }) => createWriter(channel, column, { asText, unit }))
  const indexes = order(view, selection, variants.recordOrder)
  // As described, csv on latest-data is the format that the other endpoints call csv2.
  if (type === 'csv2' || (type === 'csv' && endpoint === 'latest-data')) {
    return csvBody(zone, view, indexes, writers, variants)
  }
  if (type === 'csv') return plainCsv(view, indexes, writers, variants)
  const head = JSON.stringify({
    ...identity(device, style),
    ...offsets(zone, style, variants),
    channel: writers.map(({ channel, unit }) => ({ ...channelFields(channel, style, variants), unit })),
    ...extra(variants),
  })
  return `${head.slice(0, -1)},"data":[${recordsJson(view, indexes, writers, asText, variants)}]}`
}

/** Creates JSON text directly, because JSON.stringify would be too slow for 65,535 records of four channels. */
function recordsJson(
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
