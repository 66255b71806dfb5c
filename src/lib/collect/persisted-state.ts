/**
 * The saved state of a node, and the cursors in receipts. Stores and messages hold what earlier versions wrote, so the
 * names there are a contract: they are mapped here, and nowhere else, to the names of the code.
 */

import { MAX_TIMESTAMP_MS } from '../decode/time'
import { EnvlogError } from '../errors'
import type { AlertCursor } from './alert-cursor'
import type { Cursor } from './delivery'
import { decodeHeld } from './held'
import type { RecordCursor } from './record-cursor'
import { MAX_HELD } from './record-plan'

/** What of a node's state outlived its process, as it was read. Devices are named `base/serial`. */
export interface SavedState {
  /** What receipts are signed with; the first versions of a state may be without. */
  receiptKey?: string
  cursors: Record<string, Cursor>
  /** Receipts of cursors up to this sequence are void: an old one must not bring back what was forgotten. */
  receiptsVoidUpTo: Record<string, number>
  /** What was last sent of a device's current reading. */
  lastSent: Record<string, string>
  /** When the node was last about a device, ms since 1970 UTC. */
  lastSelected: Record<string, number>
  /** When this was saved, ms since 1970 UTC; `null` if that is not known. */
  savedAt: number | null
  /** Devices, the least recently polled first. */
  pollingOrder: string[]
}

interface PersistedState {
  version: 1
  key?: string
  cursors: Record<string, PersistedCursor>
  /** `receiptsVoidUpTo` */
  forgotten: Record<string, number>
  /** `lastSent` */
  marks: Record<string, string>
  /** `lastSelected` */
  selected?: Record<string, number>
  /** `savedAt` */
  at?: number
  /** `pollingOrder` */
  round: string[]
}

type PersistedCursor = PersistedRecordCursor | PersistedAlertCursor

interface PersistedRecordCursor {
  held: string
  hashes: string[]
  since: number | null
  from: number | null
  /** `sequence` */
  taken: number
}

interface PersistedAlertCursor {
  seen: string[]
  /** `sequence` */
  taken: number
  /** `isFirst` */
  begins?: true
}

/** The state of a node. */
export interface StateToSave {
  receiptKey: string
  deliveries: readonly (readonly [string, { cursor: Cursor | null; receiptsVoidUpTo: number }])[]
  lastSent: readonly (readonly [string, string])[]
  lastSelected: readonly (readonly [string, number])[]
  savedAt: number
  pollingOrder: readonly string[]
}

/** The state as a store contains it. */
export function toPersistedState(state: StateToSave): PersistedState {
  const { receiptKey, deliveries, lastSent, lastSelected, savedAt, pollingOrder } = state
  const cursors: PersistedState['cursors'] = {}
  const forgotten: PersistedState['forgotten'] = {}
  for (const [device, { cursor, receiptsVoidUpTo }] of deliveries) {
    if (cursor) cursors[device] = toPersistedCursor(cursor)
    if (receiptsVoidUpTo > 0) forgotten[device] = receiptsVoidUpTo
  }
  return {
    version: 1,
    key: receiptKey,
    cursors,
    forgotten,
    marks: Object.fromEntries(lastSent),
    selected: Object.fromEntries(lastSelected),
    at: savedAt,
    round: [...pollingOrder],
  }
}

/**
 * Reads what a store holds. What cannot be understood is not taken for empty: it would be overwritten, and its records
 * sent again.
 * @throws EnvlogError `store-newer`, `store-unreadable`
 */
export function readPersistedState(value: unknown): SavedState {
  if (value === undefined || value === null) {
    return {
      cursors: {},
      receiptsVoidUpTo: {},
      lastSent: {},
      lastSelected: {},
      savedAt: null,
      pollingOrder: [],
    }
  }
  if (isObject(value) && typeof value.version === 'number' && value.version > 1) {
    throw new EnvlogError('store-newer')
  }
  if (!isPersistedState(value)) throw new EnvlogError('store-unreadable')
  const { key, cursors, forgotten, marks, selected = {}, at = null, round } = value
  return {
    ...(key !== undefined && { receiptKey: key }),
    cursors: mapValues(cursors, toCursor),
    receiptsVoidUpTo: forgotten,
    lastSent: marks,
    lastSelected: selected,
    savedAt: at,
    pollingOrder: round,
  }
}

/** A node polls only one kind. */
export type CursorKind = 'records' | 'alerts'

/** Whether a cursor is of records, or of alerts. */
export function isCursorOf(cursor: Cursor, kind: CursorKind): boolean {
  return isAlertCursor(cursor) === (kind === 'alerts')
}

const isAlertCursor = (cursor: Cursor): cursor is AlertCursor => 'seen' in cursor

/** A cursor as stores and receipts hold it. */
export function toPersistedCursor(cursor: Cursor): PersistedCursor {
  if (isAlertCursor(cursor)) {
    const { seen, sequence, isFirst } = cursor
    return { seen, taken: sequence, ...(isFirst && { begins: isFirst }) }
  }
  const { held, hashes, since, from, sequence } = cursor as RecordCursor
  return { held, hashes, since, from, taken: sequence }
}

/** Whether two cursors differ in nothing but their sequence. */
export function isSameBeyondSequence(one: Cursor | null, other: Cursor): boolean {
  const text = (cursor: Cursor) => JSON.stringify({ ...toPersistedCursor(cursor), taken: 0 })
  return one !== null && text(one) === text(other)
}

/** Reads a cursor as it was persisted; `undefined` where it is none. */
export function readPersistedCursor(value: unknown): Cursor | undefined {
  return isPersistedCursor(value) ? toCursor(value) : undefined
}

function toCursor(cursor: PersistedCursor): RecordCursor | AlertCursor {
  if ('seen' in cursor) {
    const { seen, taken, begins } = cursor
    return { seen, sequence: taken, ...(begins && { isFirst: true }) }
  }
  const { held, hashes, since, from, taken } = cursor
  return { held, hashes, since, from, sequence: taken }
}

function isPersistedState(value: unknown): value is PersistedState {
  if (!isObject(value) || value.version !== 1) return false
  const { cursors, forgotten, marks, round, selected = {}, at = 0, key = '' } = value
  if (!isMapOf(selected, isInstant) || !isInstant(at) || !isText(key)) return false
  const areMaps = isMapOf(cursors, isPersistedCursor) && isMapOf(forgotten, isInstant)
  return areMaps && isMapOf(marks, isText) && isTexts(round)
}

function isPersistedCursor(value: unknown): value is PersistedCursor {
  if (!isObject(value) || !isInstant(value.taken)) return false
  const { seen, held, hashes, since, from } = value
  if (seen !== undefined) return isTexts(seen)
  const isHeld = typeof held === 'string' && decodeHeld(held, MAX_HELD) !== undefined
  const areTimes = [since, from].every((one) => one === null || isInstant(one))
  return isHeld && isTexts(hashes) && areTimes
}

function mapValues<A, B>(values: Record<string, A>, convert: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, convert(value)]))
}

const isMapOf = (value: unknown, isWanted: (one: unknown) => boolean) =>
  isObject(value) && Object.values(value).every(isWanted)

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** One that can be written as a time. */
const isInstant = (value: unknown): value is number =>
  typeof value === 'number' && Math.abs(value) <= MAX_TIMESTAMP_MS
const isText = (value: unknown): value is string => typeof value === 'string'
const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText)
