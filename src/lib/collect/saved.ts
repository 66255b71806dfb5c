import { EnvlogError } from '../errors'
import { LATEST_MS } from '../readings/time'
import type { Cursor } from './delivery'

/** What a node's memory writes into a store. */
export interface Saved {
  version: 1
  /** What receipts are signed with. */
  key?: string
  /** Cursors by device. */
  cursors: Record<string, Cursor>
  /** Receipts up to here are void, by device: an old one must not bring back what was forgotten. */
  forgotten: Record<string, number>
  /** What was last sent of a device's current reading. */
  marks: Record<string, string>
  /** When the node was last about a device, ms. */
  selected?: Record<string, number>
  /** Devices, the one asked longest ago first. */
  round: string[]
}

/**
 * What a store holds. Taken for empty, what cannot be understood would be written over, and its records sent again.
 * @throws EnvlogError `store-newer`, `store-unreadable`
 */
export function readSaved(held: unknown): Saved {
  if (held === undefined || held === null) {
    return { version: 1, cursors: {}, forgotten: {}, marks: {}, round: [] }
  }
  if (isObject(held) && typeof held.version === 'number' && held.version > 1) {
    throw new EnvlogError('store-newer')
  }
  if (!isSaved(held)) throw new EnvlogError('store-unreadable')
  return held
}

function isSaved(held: unknown): held is Saved {
  if (!isObject(held) || held.version !== 1) return false
  const { cursors, forgotten, marks, round, selected = {}, key = '' } = held
  if (!areAll(selected, isInstant) || !isText(key)) return false
  return areAll(cursors, isCursor) && areAll(forgotten, isInstant) && areAll(marks, isText) && isTexts(round)
}

const areAll = (held: unknown, isWanted: (value: unknown) => boolean) =>
  isObject(held) && Object.values(held).every(isWanted)

/** A node has only one kind. */
export type CursorKind = 'records' | 'alerts'

/** Of the one kind or the other. */
export const isCursor = (value: unknown): value is Cursor =>
  isCursorOf(value, 'records') || isCursorOf(value, 'alerts')

export function isCursorOf(value: unknown, kind: CursorKind): value is Cursor {
  if (!isObject(value) || !isInstant(value.taken)) return false
  const { seen, time, at, beside, id, begins = [] } = value
  if (kind === 'alerts') return isTexts(seen)
  const isOfRecords = seen === undefined && (time === null || isInstant(time))
  return isOfRecords && (id === null || Number.isFinite(id)) && [at, beside, begins].every(isTexts)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** One that can be written as a time. */
const isInstant = (value: unknown): value is number =>
  typeof value === 'number' && Math.abs(value) <= LATEST_MS
const isText = (value: unknown): value is string => typeof value === 'string'
const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText)
