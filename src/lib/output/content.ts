import type { Alert } from '../readings/alerts'
import type { Reading } from '../readings/current'
import type { Device } from '../readings/device'
import type { Series } from '../readings/series'

/** What an answer, or one device's answers, came to; what outputs are made of. */
export type Content =
  | { kind: 'current'; readings: readonly Reading[] }
  | { kind: 'series'; series: Series }
  | { kind: 'alerts'; device: Device; alerts: readonly Alert[] }
  | { kind: 'raw'; payload: unknown; device?: Subject }

/** What outputs read; raw answers go as they came. */
export type ReadContent = Exclude<Content, { kind: 'raw' }>

/** Whom a message is about: a device, or one value of it. */
export interface Subject {
  serial: string
  name: string
  /** The base unit's serial. */
  base: string
  /** The group's name, blank for none. */
  group: string
  channel?: { number: number; name: string; unit: string }
}

export function subjectOf({ serial, name, base }: Device, group: string): Subject {
  return { serial, name, base: base.serial, group }
}

/** An alert of a channel is about that channel. */
export function subjectOfAlert(alert: Alert, group: string): Subject {
  const subject = subjectOf(alert, group)
  return alert.channel ? { ...subject, channel: alert.channel } : subject
}

export function subjectOfReading(reading: Reading): Subject {
  return subjectOf(reading, reading.group?.name ?? '')
}

/** The one device a content is about, if it is about one. */
export function deviceOf(content: Content): Device | undefined {
  if (content.kind === 'series') return content.series
  return content.kind === 'alerts' ? content.device : undefined
}

/** How many readings, records, alerts or raw answers there are. */
export function countOf(content: Content): number {
  switch (content.kind) {
    case 'current':
      return content.readings.length
    case 'series':
      return content.series.records.length
    case 'alerts':
      return content.alerts.length
    case 'raw':
      return 1
  }
}
