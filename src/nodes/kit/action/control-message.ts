import type { NodeMessage } from 'node-red'
import { kindOf } from '../../../lib/collect/cursor'
import type { NodeState } from '../../../lib/collect/node-state'
import { type Receipt, readReceipt, readReceiptNode } from '../../../lib/collect/signed-receipt'
import { EnvlogError } from '../../../lib/errors'
import { isSerial } from '../../../shared/action'

/** A message that controls a node instead of triggering it (docs/collecting.md, *Delivered when*). */
export type ControlMessage =
  | { kind: 'receipt'; receipt: unknown }
  | { kind: 'forget'; serials: readonly string[] | 'all' }
  | { kind: 'skip'; serials: readonly string[] | 'all' }

/**
 * Reads `msg.envlog.receipt`, `msg.envlog.forget` and `msg.envlog.skip`; `undefined` for a message that triggers the node.
 * @throws EnvlogError `receipt-unreadable`, `forget-unreadable`
 */
export function readControlMessage(msg: NodeMessage, nodeId: string): ControlMessage | undefined {
  const { envlog } = msg as { envlog?: unknown }
  if (typeof envlog !== 'object' || envlog === null) return undefined
  const { receipt, forget, skip } = envlog as { receipt?: unknown; forget?: unknown; skip?: unknown }
  if (forget !== undefined) return { kind: 'forget', serials: readSerials(forget) }
  if (skip !== undefined) return { kind: 'skip', serials: readSerials(skip) }
  if (receipt === undefined) return undefined
  // Messages from another envlog node contain that node's receipts: here they are triggers.
  return readReceiptNode(receipt) === nodeId ? { kind: 'receipt', receipt } : undefined
}

/** The device and cursor of a receipt issued by this node. @throws EnvlogError `receipt-unreadable` */
export function readOwnReceipt(input: unknown, { receiptKey }: NodeState, type: string): Receipt {
  const receipt = readReceipt(input, receiptKey)
  if (kindOf(receipt.cursor) === (type === 'envlog-alerts' ? 'alerts' : 'records')) return receipt
  throw new EnvlogError('receipt-unreadable')
}

function readSerials(value: unknown): readonly string[] | 'all' {
  if (value === true) return 'all'
  const serials = Array.isArray(value) ? value.map((one) => String(one).trim()) : []
  if (serials.length === 0 || !serials.every(isSerial)) throw new EnvlogError('forget-unreadable')
  return serials
}
