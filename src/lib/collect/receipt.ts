import { parsedJson } from '../api/json'
import { EnvlogError } from '../errors'
import { shorten } from './record-cursor'
import { isCursor } from './saved'
import type { Cursor } from './states'

/** What a receipt is for: travels with the records, opaque, and comes back when they are safe. */
export interface Receipt {
  /** Of which node. */
  node: string
  /** `base/serial`. */
  device: string
  cursor: Cursor
}

export function writeReceipt({ node, device, cursor }: Receipt): string {
  const text = JSON.stringify([node, device, cursor])
  return `${Buffer.from(text).toString('base64url')}.${shorten(text)}`
}

/** Of so many bytes none is: a cursor has a few hashes. */
const MAX_LENGTH = 1_000_000
/** How far a clock that was set back may have been ahead when it was made, ms. */
const MAX_AHEAD_MS = 86_400_000

/**
 * @param now ms since 1970
 * @throws EnvlogError `receipt-unreadable` where it was changed on its way, or never was one
 */
export function readReceipt(receipt: unknown, now: number): Receipt {
  const unreadable = () => new EnvlogError('receipt-unreadable')
  if (typeof receipt !== 'string' || receipt.length > MAX_LENGTH) throw unreadable()
  const [body = '', sum] = receipt.trim().split('.')
  const text = Buffer.from(body, 'base64url').toString()
  if (sum === undefined || shorten(text) !== sum) throw unreadable()
  const parts = parsedJson(text)
  if (!Array.isArray(parts) || parts.length !== 3) throw unreadable()
  const [node, device, cursor] = parts
  if (typeof node !== 'string' || typeof device !== 'string' || !isCursor(cursor)) throw unreadable()
  if (cursor.taken > now + MAX_AHEAD_MS) throw unreadable()
  return { node, device, cursor }
}
