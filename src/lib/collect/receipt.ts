import { createHmac, timingSafeEqual } from 'node:crypto'
import { parsedJson } from '../api/json'
import { EnvlogError } from '../errors'
import type { Cursor } from './delivery'
import { isCursor } from './persisted-state'

/** What a receipt is for: travels with the records, opaque, and comes back when they are safe. */
export interface Receipt {
  /** Of which node. */
  node: string
  /** `base/serial`. */
  device: string
  cursor: Cursor
}

/** @param key of the node's memory: nobody else can make one */
export function writeReceipt({ node, device, cursor }: Receipt, key: string): string {
  const text = JSON.stringify([node, device, cursor])
  return `${Buffer.from(text).toString('base64url')}.${sign(text, key)}`
}

function sign(text: string, key: string): string {
  return createHmac('sha256', key).update(text).digest('base64url')
}

/** Of so many bytes none is: a cursor has a few hashes. */
const MAX_LENGTH = 1_000_000

const unreadable = () => new EnvlogError('receipt-unreadable')

function parse(receipt: unknown): { text: string; sum: string; parts: unknown[] } {
  if (typeof receipt !== 'string' || receipt.length > MAX_LENGTH) throw unreadable()
  const [body = '', sum = ''] = receipt.trim().split('.')
  const text = Buffer.from(body, 'base64url').toString()
  const parts = parsedJson(text)
  if (!Array.isArray(parts) || parts.length !== 3) throw unreadable()
  return { text, sum, parts }
}

/** The node that it says it is of: only that one can tell whether it is true. @throws EnvlogError `receipt-unreadable` */
export function nodeOf(receipt: unknown): unknown {
  return parse(receipt).parts[0]
}

/** @throws EnvlogError `receipt-unreadable` where it was changed on its way, or made by somebody else */
export function readReceipt(receipt: unknown, key: string): Receipt {
  const { text, sum, parts } = parse(receipt)
  const [found, made] = [Buffer.from(sum), Buffer.from(sign(text, key))]
  if (found.length !== made.length || !timingSafeEqual(found, made)) throw unreadable()
  const [node, device, cursor] = parts
  if (typeof node !== 'string' || typeof device !== 'string' || !isCursor(cursor)) throw unreadable()
  return { node, device, cursor }
}
