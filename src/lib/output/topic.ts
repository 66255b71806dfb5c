import { placeholderPattern, type TOPIC_PLACEHOLDERS } from '../../shared/outputs'
import type { Subject } from '../readings/content'

/**
 * Values for a topic template. Empty values become `_`. The channel is set only if the message is about a single value.
 */
export type TopicValues = Subject & { account: string }

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters must be replaced
const UNSAFE = /[/+#\u0000-\u001f\u007f-\u009f\u2028\u2029]/g
const PLACEHOLDER = placeholderPattern()
/** A segment that consists only of these is dropped if the message is not about a single channel. */
const CHANNEL_ONLY = /^(?:\{(?:channel|label|unit|quantity)\})+$/

/** Makes a value safe for a topic. */
export const topicText = (text: string) => text.replace(UNSAFE, '_')

/** Makes the beginning of a topic safe, because brokers reserve topics that begin with `$`. */
export const beginningText = (text: string) => text.replace(/^\$/, '_')

/**
 * Creates a topic from a template. In each value, wildcards, slashes and control characters become `_`. All values are
 * inserted in one pass, so that a name that looks like a placeholder is not replaced. `undefined` for a blank template.
 */
export function formatTopic(template: string, values: TopicValues): string | undefined {
  if (template.trim() === '') return undefined
  const { channel, ...device } = values
  const named: Record<(typeof TOPIC_PLACEHOLDERS)[number], string> = {
    channel: channel ? String(channel.number) : '',
    label: channel?.label ?? '',
    unit: channel?.unit ?? '',
    quantity: channel?.quantity ?? '',
    ...device,
  }
  const topic = template
    .split('/')
    .filter((segment) => channel || !CHANNEL_ONLY.test(segment))
    .map((segment) =>
      segment.replace(PLACEHOLDER, (_, key: keyof typeof named) => topicText(named[key]) || '_'),
    )
    .join('/')
  // Wildcard subscriptions do not match topics that begin with `$`.
  return topic === '' ? undefined : beginningText(topic)
}
