import type { Cursor } from './states'

/** What a node's memory writes into a store. */
export interface Saved {
  version: 1
  /** Cursors by device. */
  cursors: Record<string, Cursor>
  /** Receipts up to here are void, by device: an old one must not bring back what was forgotten. */
  forgotten: Record<string, number>
  /** What was last sent of a device's current reading. */
  marks: Record<string, string>
  /** Devices, the one asked longest ago first. */
  round: string[]
}

/** What a store holds, as far as it is understood: others write into it too. */
export function readSaved(held: unknown): Saved {
  const saved = isObject(held) && held.version === 1 ? held : {}
  return {
    version: 1,
    cursors: only(saved.cursors, isCursor),
    forgotten: only(saved.forgotten, isInstant),
    marks: only(saved.marks, isText),
    round: Array.isArray(saved.round) ? saved.round.filter(isText) : [],
  }
}

function only<T>(held: unknown, isWanted: (value: unknown) => value is T): Record<string, T> {
  const entries = isObject(held) ? Object.entries(held) : []
  return Object.fromEntries(entries.filter((entry): entry is [string, T] => isWanted(entry[1])))
}

/** Of records or of alerts: a node has only one kind. */
function isCursor(value: unknown): value is Cursor {
  if (!isObject(value) || !isInstant(value.taken)) return false
  const { seen, time, at, beside, id, begins = [] } = value
  if (seen !== undefined) return isTexts(seen)
  return isNumberOrNull(time) && [at, beside, begins].every(isTexts) && isNumberOrNull(id)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const isInstant = (value: unknown): value is number => Number.isFinite(value)
const isText = (value: unknown): value is string => typeof value === 'string'
const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText)
const isNumberOrNull = (value: unknown) => value === null || isInstant(value)
