import type { NodeMessage } from 'node-red'
import { cutText } from '../../lib/cut-text'
import { EnvlogError } from '../../lib/errors'
import type { Signature } from '../../lib/limits/acknowledgment'
import { MAX_MUTE_MS } from '../../lib/limits/mutes'
import { isReadableSerial, type Serials } from '../../shared/action'
import { MINUTE_MS } from '../../shared/local-clock'
import { MAX_TEXT } from '../../shared/schema'

/** A command to the node (docs/limits.md, *Commands*). `ms` are milliseconds; `null`: for ever. */
export type Command =
  | { kind: 'report' }
  | { kind: 'history'; hours: number }
  | { kind: 'test'; serial: string | undefined }
  | { kind: 'forget'; serials: Serials }
  /** `of` has serial numbers, and ids of events. */
  | { kind: 'acknowledge'; of: Serials; signature: Signature; ms: number | null }
  | { kind: 'mute'; serials: Serials; signature: Signature; ms: number }

const MAX_MUTE_MINUTES = MAX_MUTE_MS / MINUTE_MS
/** 31 days. */
export const MAX_HISTORY_HOURS = 744
/** Most serial numbers and ids in a command, and the longest id. */
export const MAX_NAMED = 1000
const MAX_ID_LENGTH = 500
/** Longer texts are cut. */
export const MAX_PERSON_LENGTH = 100

/**
 * Reads the command in `msg.envlog`; `undefined` if the message has none.
 * @throws EnvlogError `serials-unreadable`, `mute-unreadable`, `acknowledge-unreadable`, `history-unreadable`,
 * `text-unreadable`
 */
export function readCommand(msg: NodeMessage): Command | undefined {
  const found = Object((msg as { envlog?: unknown }).envlog) as Record<string, unknown>
  if (found.report === true) return { kind: 'report' }
  if (found.history !== undefined)
    return { kind: 'history', hours: readNumber(found.history, 'history-unreadable', MAX_HISTORY_HOURS) }
  if (found.test === true) {
    const serials = found.devices === undefined ? [] : readNames(found.devices, 'envlog.devices')
    return { kind: 'test', serial: serials === 'all' ? undefined : serials[0] }
  }
  if (found.acknowledge !== undefined) {
    const of = readNames(found.acknowledge, 'envlog.acknowledge', isId)
    const { minutes } = found
    const ms =
      minutes === undefined || minutes === null
        ? null
        : readNumber(minutes, 'acknowledge-unreadable', MAX_MUTE_MINUTES) * MINUTE_MS
    return { kind: 'acknowledge', of, signature: readSignature(found), ms }
  }
  if (found.forget !== undefined) return { kind: 'forget', serials: readNames(found.forget, 'envlog.forget') }
  if (found.mute === undefined) return undefined
  const ms = readNumber(found.mute, 'mute-unreadable', MAX_MUTE_MINUTES, 0) * MINUTE_MS
  const serials = readNames(found.devices ?? true, 'envlog.devices')
  return { kind: 'mute', ms, serials, signature: readSignature(found) }
}

function readNumber(
  value: unknown,
  reason: 'mute-unreadable' | 'acknowledge-unreadable' | 'history-unreadable',
  most: number,
  least = 1,
): number {
  if (typeof value !== 'number' || !(value >= least && value <= most)) throw new EnvlogError(reason, { most })
  return value
}

const isId = (text: string) => text.includes('/') && text.length <= MAX_ID_LENGTH

/** `all`, or serial numbers. @param isOther what else may be named */
function readNames(
  value: unknown,
  property: string,
  isOther: (text: string) => boolean = () => false,
): Serials {
  if (value === true) return 'all'
  const names = Array.isArray(value) ? value.slice(0, MAX_NAMED + 1).map(toText) : []
  const isName = (text: string) => isReadableSerial(text) || isOther(text)
  if (names.length === 0 || names.length > MAX_NAMED || !names.every(isName))
    throw new EnvlogError('serials-unreadable', { property })
  return names
}

const toText = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' ? `${value}`.trim() : ''

const readSignature = ({ by, note }: Record<string, unknown>): Signature => ({
  by: readText(by, 'envlog.by'),
  note: readText(note, 'envlog.note'),
})

/** A text in one line; `null` if it is absent or blank. */
function readText(value: unknown, property: string): string | null {
  if (value === undefined || value === null) return null
  if (typeof value !== 'string' && typeof value !== 'number')
    throw new EnvlogError('text-unreadable', { property })
  const line = String(value).slice(0, MAX_TEXT).trim().replace(/\s+/g, ' ')
  const text = cutText(line, MAX_PERSON_LENGTH).trim()
  return text === '' ? null : text
}
