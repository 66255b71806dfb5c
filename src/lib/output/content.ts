import type { Alert } from '../readings/alerts'
import type { Channel } from '../readings/channel'
import type { Reading } from '../readings/current'
import type { Device } from '../readings/device'
import type { Series } from '../readings/series'
import { channelNames } from './names'
import { beginningText, type TopicChannel, topicText } from './topic'

/** The content of an answer, or of one device's answers: the source of all outputs. */
export type Content =
  | { kind: 'current'; readings: readonly Reading[] }
  | { kind: 'series'; series: Series }
  | { kind: 'alerts'; device: Device; channels: readonly Channel[]; alerts: readonly Alert[] }
  | { kind: 'raw'; payload: unknown; device?: Subject }

/** Content that outputs convert; raw answers are sent unchanged. */
export type ReadContent = Exclude<Content, { kind: 'raw' }>

/** What a message is about: a device, or one of its values. */
export interface Subject {
  serial: string
  name: string
  /** The base unit's serial. */
  base: string
  /** The group's name, blank for none. */
  group: string
  channel?: TopicChannel
}

export function subjectOf({ serial, name, base }: Device, group: string): Subject {
  return { serial, name, base: base.serial, group }
}

/** Makes the subjects of the channels of one device, by their keys; of any other key the device's own. */
export function subjectsOf(
  device: Subject,
  channels: readonly Channel[],
): (key: string | undefined) => Subject {
  const labels = channelNames(channels, 'label', topicText, [], beginningText)
  const quantities = channelNames(channels, 'quantity')
  const subjects = new Map(
    channels.map(({ key, number, unit }) => {
      const [label, quantity] = [labels.get(key) ?? key, quantities.get(key) ?? key]
      return [key, { ...device, channel: { number, label, unit, quantity } }] as const
    }),
  )
  return (key) => (key === undefined ? device : (subjects.get(key) ?? device))
}

/** An alert of a channel is about that channel. */
export function alertSubjects(
  { device, channels }: Extract<Content, { kind: 'alerts' }>,
  group: string,
): (alert: Alert) => Subject {
  const subject = subjectsOf(subjectOf(device, group), channels)
  return ({ channel }) => subject(channel?.key)
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
