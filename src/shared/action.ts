/** What the four action nodes' forms and their runtime agree on. */

export const ACTION_TYPES = ['envlog-current', 'envlog-latest', 'envlog-range', 'envlog-alerts'] as const
export type ActionType = (typeof ACTION_TYPES)[number]

/** Default topic templates (docs/messages.md, *topic*). */
export const TOPICS: Record<ActionType, string> = {
  'envlog-current': 'envlog/{base}/{serial}/{channel}',
  'envlog-latest': 'envlog/{base}/{serial}/{channel}',
  'envlog-range': 'envlog/{base}/{serial}/{channel}',
  'envlog-alerts': 'envlog/{base}/{serial}/alert',
}

export const SELECTS = ['all', 'list', 'base', 'group', 'msg'] as const

/** When a cursor moves: as soon as it was sent, or when a receipt comes back. */
export const ADVANCES = ['sent', 'acknowledged'] as const

/** How long a receipt is waited for, in seconds. */
export const DEFAULT_ACK_TIMEOUT_SECONDS = 600

/** What a node without a cursor takes of its first answer; latest may name a time instead. */
export const STARTS = ['held', 'now'] as const

/** Outputs that carry a receipt, each with `send: device`. */
export const RECEIPT_OUTPUTS: readonly string[] = ['readings', 'rows', 'points']

export const TIME_STYLES = ['utc', 'local'] as const

/** Where the ends of a period come from. */
export const PERIOD_TYPES = ['date', 'rel', 'msg', 'flow', 'global', 'env', 'jsonata'] as const
export type PeriodType = (typeof PERIOD_TYPES)[number]

/** Where the devices that `select: msg` names come from. */
export const DEVICES_TYPES = ['msg', 'flow', 'global', 'env', 'jsonata'] as const

/** Longest `repeat` in seconds: what a timer can hold. */
export const MAX_REPEAT_SECONDS = 2_000_000

/** Longest `wait` for quota in seconds: what a timer can hold. */
export const MAX_WAIT_SECONDS = 2_000_000

/** A time before now: `-24h`, `-7d`, `-30m`; its groups are count and unit. */
export const RELATIVE_TIME = /^-(\d+)\s*([smhdw])$/

const SERIAL = /^[0-9A-Za-z]{8}$/

/** Serial numbers are 8 characters (docs/service.md, *Requests*). */
export function isSerial(text: string): boolean {
  return SERIAL.test(text)
}

/** Whether own triggers cannot be: what they would ask for comes with a message. */
export function needsMessage(settings: MessageParts): boolean {
  const { select, propertyType = 'msg', fromType, toType } = settings
  return (select === 'msg' && propertyType === 'msg') || fromType === 'msg' || toType === 'msg'
}

interface MessageParts {
  select?: string
  propertyType?: string
  fromType?: string
  toType?: string
}
