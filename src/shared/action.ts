/** Settings of the four action nodes, for their forms and their runtime. */

export const ACTION_TYPES = ['envlog-current', 'envlog-latest', 'envlog-range', 'envlog-alerts'] as const
export type ActionType = (typeof ACTION_TYPES)[number]

type NameOf<Type> = Type extends `envlog-${infer Name}` ? Name : never
export type ActionName = NameOf<ActionType>

/**
 * The short name of a node type, such as `current` for `envlog-current`. It is used in `msg.envlog.node`, in the
 * catalogs and in file names.
 */
export function nameOfType<Type extends `envlog-${string}`>(type: Type): NameOf<Type> {
  return type.slice('envlog-'.length) as NameOf<Type>
}

export const SELECTS = ['all', 'list', 'base', 'group', 'msg'] as const

/** Whether a node sends everything or nothing from the first response for a device. */
export const STARTS = ['all', 'now'] as const

/**
 * Nodes that repeat current readings run at multiples of their interval, so that they share responses; those with longer
 * intervals do not, because their second round might be much too soon.
 */
export const MAX_ALIGNED_SECONDS = 3600
/** Maximum value of settings in seconds, because a timer's delay must be less than 2^31 ms. */
export const MAX_SECONDS = 2_000_000

/** Whether a text is a serial number, which has 8 letters and digits (docs/service.md, *Requests*). */
export function isSerial(text: string): boolean {
  return /^[0-9A-Za-z]{8}$/.test(text)
}

/**
 * Whether a text may stand for a device in messages. Other services and databases may have other serial numbers than
 * `isSerial` expects; a slash separates the parts of topics, and of the keys of saved states.
 */
export function isReadableSerial(value: unknown): value is string {
  return (
    typeof value === 'string' && value !== '' && value.length <= MAX_SERIAL_LENGTH && !value.includes('/')
  )
}

export const MAX_SERIAL_LENGTH = 100

/** The highest number of a channel. */
export const MAX_CHANNEL = 99

export const isChannelNumber = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MAX_CHANNEL

/** Serial numbers, or all of them. */
export type Serials = readonly string[] | 'all'

/** Whether a serial number is one of these. */
export function isAmong(serial: string | undefined, serials: Serials): boolean {
  return serials === 'all' || serials.some((one) => one === serial)
}
