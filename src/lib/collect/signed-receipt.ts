import { createHmac, timingSafeEqual } from 'node:crypto'
import { parseJson } from '../decode/json'
import { EnvlogError } from '../errors'
import type { Cursor } from './cursor'
import { isCursor } from './saved-state'

/**
 * The contents of a receipt: the position up to which the records or alerts of a device are stored. It is sent with
 * them as opaque text, and returned once they are stored.
 */
export interface Receipt {
  /** The id of the node that sent them. */
  node: string
  /** `base/serial`. */
  device: string
  cursor: Cursor
}

/** @param key the key in the node's state, so that only the node can create receipts */
export function writeReceipt({ node, device, cursor }: Receipt, key: string): string {
  const text = JSON.stringify([node, device, cursor])
  return `${Buffer.from(text).toString('base64url')}.${sign(text, key)}`
}

function sign(text: string, key: string): string {
  return createHmac('sha256', key).update(text).digest('base64url')
}

/** Maximum length of a receipt in characters. A receipt with 3000 hashes has about 100,000. */
const MAX_LENGTH = 1_000_000

const unreadable = () => new EnvlogError('receipt-unreadable')

function parse(receipt: unknown): { text: string; signature: string; parts: unknown[] } {
  if (typeof receipt !== 'string' || receipt.length > MAX_LENGTH) throw unreadable()
  const [body = '', signature = ''] = receipt.trim().split('.')
  const text = Buffer.from(body, 'base64url').toString()
  const parts = parseJson(text)
  if (!Array.isArray(parts) || parts.length !== 3) throw unreadable()
  return { text, signature, parts }
}

/**
 * The id of the node that a receipt claims to come from. Only that node has the key to verify this.
 * @throws EnvlogError `receipt-unreadable`
 */
export function readReceiptNode(receipt: unknown): unknown {
  return parse(receipt).parts[0]
}

/** @throws EnvlogError `receipt-unreadable` if it was modified, or was not created by this node */
export function readReceipt(receipt: unknown, key: string): Receipt {
  const { text, signature, parts } = parse(receipt)
  const [found, expected] = [Buffer.from(signature), Buffer.from(sign(text, key))]
  if (found.length !== expected.length || !timingSafeEqual(found, expected)) throw unreadable()
  const [node, device, cursor] = parts
  if (typeof node !== 'string' || typeof device !== 'string' || !isCursor(cursor)) throw unreadable()
  return { node, device, cursor }
}
