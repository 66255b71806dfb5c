/** The saved state of a node. Its property names are a contract, because stores contain the state. */

import { type Fields, isObject } from '../decode/fields'
import { isTimestamp } from '../decode/time'
import { readState } from '../stored-state'
import { type Cursor, kindOf } from './cursor'
import type { SavedPages } from './hole-pages'
import { decodeRecords } from './known-records'

export interface SavedState {
  version: 1
  nextRound?: NextRound
  /** The devices by `base/serial`, least recently polled first. */
  devices: Record<string, SavedDevice>
}

/** The node's next trigger of its own, when it was closed. */
export interface NextRound {
  /** ms since 1970 UTC. */
  at: number
  /** Identifies the settings: with others, the node triggers itself soon after a deploy. */
  settings: string
}

export interface SavedDevice {
  cursor?: Cursor
  /** The delivery whose receipt is awaited: when it was issued, and the cursor after its receipt. */
  unacknowledged?: { sequence: number; cursor: Cursor }
  /** Until then, a device that was refused and never responded is skipped, ms since 1970 UTC. */
  refusedUntil?: number
  /** The last current reading that was sent, encoded by `toSentValue`. */
  lastSent?: string
  /** The pages of its holes, by the beginnings of these. */
  pages?: Record<string, SavedPages>
  /** The page that was being sent, or awaited its receipt. */
  sentPage?: SentPage
  /** How long the node has been running without selecting the device, ms. */
  unselectedMs?: number
}

/** A page that is delivered: the beginning of its hole, and number of its records. */
export interface SentPage {
  from: number
  records: number
}

/** @throws EnvlogError as `readState` */
export const readSavedState = (contents: unknown): SavedState | undefined =>
  readState(contents, 1, (found) => (isSavedState(found) ? found : undefined))

function isSavedState(value: unknown): value is SavedState {
  if (!isObject(value) || value.version !== 1) return false
  const { nextRound = { at: 0, settings: '' } } = value
  if (!isObject(nextRound) || !isTimestamp(nextRound.at) || typeof nextRound.settings !== 'string')
    return false
  return isObject(value.devices) && Object.values(value.devices).every(isSavedDevice)
}

function isSavedDevice(value: unknown): value is SavedDevice {
  if (!isObject(value)) return false
  const { cursor, unacknowledged, refusedUntil = 0, lastSent = '', unselectedMs = 0 } = value
  const { pages = {}, sentPage = { from: 0, records: 0 } } = value
  const isDelivery =
    unacknowledged === undefined ||
    (isObject(unacknowledged) && isTimestamp(unacknowledged.sequence) && isCursor(unacknowledged.cursor))
  return (
    (cursor === undefined || isCursor(cursor)) &&
    isDelivery &&
    isObject(pages) &&
    Object.values(pages).every(isSavedPages) &&
    hasNumbers(sentPage, ['from', 'records']) &&
    [refusedUntil, unselectedMs].every(isTimestamp) &&
    typeof lastSent === 'string'
  )
}

function isCursor(value: unknown): value is Cursor {
  if (!isObject(value)) return false
  const { seen, since, from, at, holes = [], unreported } = value
  if (kindOf(value as unknown as Cursor) === 'alerts') return isStringArray(seen)
  const areTimes = [since, from].every((time) => time === null || isTimestamp(time)) && isTimestamp(at)
  return isRecords(value) && areTimes && isArrayOf(holes, isHole) && isUnreported(unreported)
}

const isRecords = ({ held, hashes }: Fields): boolean =>
  typeof held === 'string' && decodeRecords(held) !== undefined && isStringArray(hashes)

function isHole(value: unknown): boolean {
  if (!isObject(value) || !isRecords(value)) return false
  const { from, to, begin } = value
  return isTimestamp(from) && isTimestamp(to) && (begin === null || isRecordKey(begin))
}

const isUnreported = (value: unknown): boolean =>
  value === undefined ||
  (isObject(value) && typeof value.overflow === 'boolean' && isArrayOf(value.gaps, isObject))

const isRecordKey = (value: unknown): boolean =>
  isObject(value) && [value.timestamp, value.dataId].every((part) => part === null || isTimestamp(part))

const isSavedPages = (value: unknown): boolean =>
  hasNumbers(value, PAGES_FIELDS) && isTimestamp((value as Fields).unconfirmed ?? 0)

const PAGES_FIELDS = [
  'number',
  'failures',
  'since',
  'contradictions',
  'failedAt',
  'pauseMs',
] satisfies (keyof SavedPages)[]

const hasNumbers = (value: unknown, names: readonly string[]): boolean =>
  isObject(value) && names.every((name) => isTimestamp(value[name]))

const isArrayOf = (value: unknown, isElement: (element: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(isElement)
const isStringArray = (value: unknown): value is string[] =>
  isArrayOf(value, (element) => typeof element === 'string')
