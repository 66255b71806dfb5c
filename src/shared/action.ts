/** Settings of the four action nodes, for their forms and their runtime. */

export const ACTION_TYPES = ['envlog-current', 'envlog-latest', 'envlog-range', 'envlog-alerts'] as const
export type ActionType = (typeof ACTION_TYPES)[number]

type NameOf<Type> = Type extends `envlog-${infer Name}` ? Name : never

/** `current` for `envlog-current`: its name in `msg.envlog.node`, in the catalog, and in file names. */
export function nameOfType<Type extends `envlog-${string}`>(type: Type): NameOf<Type> {
  return type.slice('envlog-'.length) as NameOf<Type>
}

export const SELECTS = ['all', 'list', 'base', 'group', 'msg'] as const

/** When records count as delivered: when they are sent, or when their receipt arrives. */
export const ADVANCES = ['sent', 'acknowledged'] as const

/** What a node delivers from the first response: everything or nothing. `envlog-latest` also allows a time. */
export const STARTS = ['all', 'now'] as const

export const TIME_STYLES = ['utc', 'local'] as const

/** Types of the typed input for devices, if `select` is `msg`. */
export const DEVICES_TYPES = ['msg', 'flow', 'global', 'env', 'jsonata'] as const

/** Maximum of settings in seconds: the delay of a timer must be below 2^31 ms. */
export const MAX_SECONDS = 2_000_000

const SERIAL = /^[0-9A-Za-z]{8}$/

/** True for a serial number: 8 letters and digits (docs/service.md, *Requests*). */
export function isSerial(text: string): boolean {
  return SERIAL.test(text)
}

/** True if the node cannot repeat on its own, because a message names its devices or its period. */
export function needsMessage(settings: SourceTypes): boolean {
  const { select, propertyType = 'msg', fromType, toType } = settings
  const isPeriodOfMessage = fromType === 'msg' || (fromType !== 'calendar' && toType === 'msg')
  return (select === 'msg' && propertyType === 'msg') || isPeriodOfMessage
}

/** The settings that determine where devices and bounds of the period are read from. */
interface SourceTypes {
  select?: string
  propertyType?: string
  fromType?: string
  toType?: string
}
