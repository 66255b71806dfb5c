import type { ActionType } from './action'

/** Default topic templates (docs/messages.md, *topic*). */
export const TOPICS: Record<ActionType, string> = {
  'envlog-current': 'envlog/{base}/{serial}/{channel}',
  'envlog-latest': 'envlog/{base}/{serial}/{channel}',
  'envlog-range': 'envlog/{base}/{serial}/{channel}',
  'envlog-alerts': 'envlog/{base}/{serial}/alert',
}

/** Placeholders of a topic template, such as `{serial}` (docs/messages.md, *topic*). */
export const TOPIC_PLACES = [
  'account',
  'base',
  'serial',
  'name',
  'group',
  'channel',
  'label',
  'unit',
  'quantity',
] as const
