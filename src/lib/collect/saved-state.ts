/**
 * The saved state of a node. Its property names are a contract, because stores contain the state, and receipts contain
 * its cursors.
 */

import { MAX_TIMESTAMP_MS } from '../decode/time'
import { EnvlogError } from '../errors'
import { type AlertCursor, type Cursor, kindOf, type RecordCursor } from './cursor'
import { decodeRecords } from './cursor-records'

export interface SavedState {
  version: 1
  /** The key that signs receipts. */
  receiptKey: string
  /** The devices by `base/serial`, least recently polled first. */
  devices: Record<string, SavedDevice>
}

export interface SavedDevice {
  cursor?: Cursor
  /** Receipts of cursors up to this sequence are void, because an old receipt must not restore what was forgotten. */
  voidUpTo?: number
  /** How often the same page of a backfill has failed, and the node's running time since the first failure, ms. */
  pageFailures?: { count: number; ms: number }
  hasGivenUp?: boolean
  /** The last current reading that was sent, encoded by `toSentValue`. */
  lastSent?: string
  /** How long the node has been running without selecting the device, ms. */
  unselectedMs?: number
}

/**
 * Reads the contents of a store; `undefined` if it is empty. Unknown contents are an error, because otherwise they
 * would be overwritten and records would be sent again.
 * @throws EnvlogError `store-newer`, `store-unreadable`
 */
export function readSavedState(value: unknown): SavedState | undefined {
  if (value === undefined || value === null) return undefined
  if (isObject(value) && typeof value.version === 'number' && value.version > 1) {
    throw new EnvlogError('store-newer')
  }
  if (!isSavedState(value)) throw new EnvlogError('store-unreadable')
  return value
}

function isSavedState(value: unknown): value is SavedState {
  if (!isObject(value) || value.version !== 1 || typeof value.receiptKey !== 'string') return false
  return isObject(value.devices) && Object.values(value.devices).every(isSavedDevice)
}

function isSavedDevice(value: unknown): value is SavedDevice {
  if (!isObject(value)) return false
  const { cursor, voidUpTo = 0, pageFailures, hasGivenUp = false, lastSent = '', unselectedMs = 0 } = value
  const areFailures =
    pageFailures === undefined ||
    (isObject(pageFailures) && [pageFailures.count, pageFailures.ms].every(isInstant))
  return (
    (cursor === undefined || isCursor(cursor)) &&
    [voidUpTo, unselectedMs].every(isInstant) &&
    areFailures &&
    typeof hasGivenUp === 'boolean' &&
    typeof lastSent === 'string'
  )
}

export function isCursor(value: unknown): value is RecordCursor | AlertCursor {
  if (!isObject(value) || !isInstant(value.sequence)) return false
  const { seen, held, hashes, since, from } = value
  if (kindOf(value as unknown as Cursor) === 'alerts') return isStringArray(seen)
  const isHeld = typeof held === 'string' && decodeRecords(held) !== undefined
  return isHeld && isStringArray(hashes) && [since, from].every((time) => time === null || isInstant(time))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A number that can be formatted as a time. */
const isInstant = (value: unknown): value is number =>
  typeof value === 'number' && Math.abs(value) <= MAX_TIMESTAMP_MS
const isStringArray = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((element) => typeof element === 'string')
