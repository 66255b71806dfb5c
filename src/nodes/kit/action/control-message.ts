import type { NodeMessage } from 'node-red'
import type { NodeState } from '../../../lib/collect/node-state'
import { isCursorOf } from '../../../lib/collect/persisted-state'
import { type Receipt, readReceipt, readReceiptNode } from '../../../lib/collect/receipt'
import { EnvlogError } from '../../../lib/errors'
import { isSerial } from '../../../shared/action'

/** A message that tells a node something and is no trigger. */
export type ControlMessage =
  | { kind: 'receipt'; receipt: unknown }
  | { kind: 'forget'; serials: readonly string[] | 'all' }

/**
 * What `msg.envlog` says to the node, if it says something.
 * @throws EnvlogError `receipt-unreadable`, `forget-unreadable`
 */
export function readControlMessage(msg: NodeMessage, id: string): ControlMessage | undefined {
  const { envlog } = msg as { envlog?: unknown }
  if (typeof envlog !== 'object' || envlog === null) return undefined
  const { receipt, forget } = envlog as { receipt?: unknown; forget?: unknown }
  if (forget !== undefined) return { kind: 'forget', serials: serialsOf(forget) }
  if (receipt === undefined) return undefined
  // Of another node: what that one sent is a trigger here.
  return readReceiptNode(receipt) === id ? { kind: 'receipt', receipt } : undefined
}

/** What a receipt is for that the node has made. @throws EnvlogError `receipt-unreadable` */
export function readOwnReceipt(told: unknown, { receiptKey }: NodeState, type: string): Receipt {
  const receipt = readReceipt(told, receiptKey())
  if (isCursorOf(receipt.cursor, type === 'envlog-alerts' ? 'alerts' : 'records')) return receipt
  throw new EnvlogError('receipt-unreadable')
}

function serialsOf(forget: unknown): readonly string[] | 'all' {
  if (forget === true) return 'all'
  const serials = Array.isArray(forget) ? forget.map((one) => String(one).trim()) : []
  if (serials.length === 0 || !serials.every(isSerial)) throw new EnvlogError('forget-unreadable')
  return serials
}
