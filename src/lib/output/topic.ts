import { TOPIC_PLACES } from '../../shared/action'
import type { SubjectChannel } from '../readings/content'

/** What a topic template may name; empty values become `_`. */
export interface TopicValues {
  account: string
  base: string
  serial: string
  name: string
  group: string
  /** Only where the message is about one value. */
  channel?: SubjectChannel
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must go
const UNSAFE = /[/+#\u0000-\u001f\u007f-\u009f\u2028\u2029]/g
const PLACE = new RegExp(`\\{(${TOPIC_PLACES.join('|')})\\}`, 'g')
/** A segment made only of these falls away where the message is about a whole device. */
const CHANNEL_ONLY = /^(?:\{(?:channel|label|unit|quantity)\})+$/

/** A value in a topic. */
export const topicText = (text: string) => text.replace(UNSAFE, '_')

/** The beginning of a topic: topics that begin with `$` are reserved by brokers. */
export const beginningText = (text: string) => text.replace(/^\$/, '_')

/**
 * Makes a topic from a template. In each value, wildcards, slashes and control characters become `_`. Values are filled
 * in in one pass, so that a name that looks like a placeholder stays as it is. `undefined` for a blank template.
 */
export function formatTopic(template: string, values: TopicValues): string | undefined {
  if (template.trim() === '') return undefined
  const { channel } = values
  const named: Record<(typeof TOPIC_PLACES)[number], string> = {
    account: values.account,
    base: values.base,
    serial: values.serial,
    name: values.name,
    group: values.group,
    channel: channel ? String(channel.number) : '',
    label: channel?.label ?? '',
    unit: channel?.unit ?? '',
    quantity: channel?.quantity ?? '',
  }
  const topic = template
    .split('/')
    .filter((segment) => channel || !CHANNEL_ONLY.test(segment))
    .map((segment) => segment.replace(PLACE, (_, key: keyof typeof named) => topicText(named[key]) || '_'))
    .join('/')
  // Wildcards leave topics out that begin with `$`.
  return topic === '' ? undefined : beginningText(topic)
}
