import type { Group } from '../decode/envelopes'
import type { Alert } from './alerts'
import type { Channel } from './channel'
import type { Reading } from './current'
import type { Device } from './device'
import type { Series } from './series'
import type { DeviceStatistics } from './statistics'

/** The content of a response, or of a device's responses, from which all outputs are created. */
export type Content =
  | { kind: 'current'; readings: readonly Reading[] }
  | SeriesContent
  | { kind: 'alerts'; device: Device; channels: readonly Channel[]; alerts: readonly Alert[] }
  | { kind: 'statistics'; devices: readonly DeviceStatistics[]; records: number }
  | { kind: 'raw'; payload: unknown; device?: Subject }

export interface SeriesContent {
  kind: 'series'
  series: Series
}

/** Content that outputs convert; statistics and raw responses are sent unchanged. */
export type ReadContent = Exclude<Content, { kind: 'raw' | 'statistics' }>

/** The subject of a message: a device, or one of its channels. */
export interface Subject {
  serial: string
  name: string
  /** The base unit's serial. */
  base: string
  /** The group's name; blank if none. */
  group: string
  channel?: SubjectChannel
}

/** Names of a channel, unique within its device by label and by quantity. */
export interface SubjectChannel {
  number: number
  label: string
  unit: string
  /** The channel's key if its quantity is unknown. */
  quantity: string
}

export function subjectOf({ serial, name, base }: Device, group: Group | null): Subject {
  return { serial, name, base: base.serial, group: group?.name ?? '' }
}

/** The device, if the content is about a single device. */
export function deviceOf(content: Content): Device | undefined {
  if (content.kind === 'series') return content.series
  if (content.kind === 'statistics') return content.devices[0]?.device
  return content.kind === 'alerts' ? content.device : undefined
}

/**
 * Number of readings, records, alerts or raw responses. For statistics, it is the number of records from which they
 * were calculated.
 */
export function countOf(content: Content): number {
  switch (content.kind) {
    case 'current':
      return content.readings.length
    case 'series':
      return content.series.records.length
    case 'alerts':
      return content.alerts.length
    case 'statistics':
      return content.records
    case 'raw':
      return 1
  }
}

/**
 * A deep copy. Records are copied explicitly, because a structured clone of the records of a long outage would block
 * the event loop.
 */
export function copyContent(content: Content): Content {
  if (content.kind !== 'series') return structuredClone(content)
  const { records, ...others } = content.series
  const copies = records.map((record) =>
    record.errors ? { ...record, errors: { ...record.errors } } : { ...record },
  )
  return { kind: 'series', series: { ...structuredClone(others), records: copies } }
}
