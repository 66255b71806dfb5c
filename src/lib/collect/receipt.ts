import { EnvlogError } from '../errors'

/** What a receipt confirms. */
export interface Receipt {
  /** `base/serial`. */
  device: string
  /** When the delivery was issued, which identifies it. */
  issuedAt: number
}

/** The receipt for a delivery: receivers return it once they have stored the data. */
export const writeReceipt = (node: string, { device, issuedAt }: Receipt): string =>
  `${node}/${device}/${issuedAt}`

/**
 * Reads a receipt of this node; `undefined` for the receipt of another node.
 * @throws EnvlogError `receipt-unreadable`
 */
export function readReceipt(node: string, receipt: unknown): Receipt | undefined {
  if (typeof receipt !== 'string') throw new EnvlogError('receipt-unreadable')
  const text = receipt.trim()
  if (!text.startsWith(`${node}/`)) return undefined
  const [, device, issuedAt] = /^(.+)\/(\d{1,16})$/.exec(text.slice(node.length + 1)) ?? []
  if (device === undefined) throw new EnvlogError('receipt-unreadable')
  return { device, issuedAt: Number(issuedAt) }
}
