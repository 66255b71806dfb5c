import { EnvlogError } from '../errors'
import { shorten } from './record-cursor'
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

/** @throws EnvlogError `receipt-unreadable` where it was changed on its way, or never was one */
export function readReceipt(receipt: unknown): Receipt {
  const [body = '', sum] = typeof receipt === 'string' ? receipt.trim().split('.') : []
  const text = Buffer.from(body, 'base64url').toString()
  if (sum === undefined || shorten(text) !== sum) throw new EnvlogError('receipt-unreadable')
  const [node, device, cursor] = JSON.parse(text) as [string, string, Cursor]
  return { node, device, cursor }
}
