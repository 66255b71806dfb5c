import type { Group } from '../decode/envelopes'
import type { Alert } from '../readings/alerts'
import type { Channel } from '../readings/channel'
import { type Content, type Subject, subjectOf } from '../readings/content'
import { channelNames } from './names'
import { beginningText, topicText } from './topic'

/** Returns a function from a channel's key to its subject; for any other key, the device's own subject. */
export function subjectsOf(
  device: Subject,
  channels: readonly Channel[],
): (key: string | undefined) => Subject {
  const labels = channelNames(channels, 'label', topicText, [], beginningText)
  const quantities = channelNames(channels, 'quantity')
  const subjects = new Map<string | undefined, Subject>(
    channels.map(({ key, number, unit }) => {
      const [label, quantity] = [labels.get(key) ?? key, quantities.get(key) ?? key]
      return [key, { ...device, channel: { number, label, unit, quantity } }] as const
    }),
  )
  return (key) => subjects.get(key) ?? device
}

/** @returns a function that returns the subject of an alert, which is the channel if the alert has one */
export function alertSubjects(
  { device, channels }: Extract<Content, { kind: 'alerts' }>,
  group: Group | null,
): (alert: Alert) => Subject {
  const subject = subjectsOf(subjectOf(device, group), channels)
  return ({ channel }) => subject(channel?.key)
}
