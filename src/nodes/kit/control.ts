import type { NodeMessage } from 'node-red'
import { type Receipt, readReceipt } from '../../lib/collect/receipt'
import { EnvlogError } from '../../lib/errors'
import { isSerial } from '../../shared/action'

/** A message that tells a node something and is no trigger. */
export type Control =
  | { kind: 'receipt'; receipt: Receipt }
  | { kind: 'forget'; serials: readonly string[] | 'all' }

/**
 * What `msg.envlog` says to the node, if it says something.
 * @throws EnvlogError `receipt-unreadable`, `forget-unreadable`
 */
export function controlOf(msg: NodeMessage, node: string): Control | undefined {
  const { envlog } = msg as { envlog?: unknown }
  if (typeof envlog !== 'object' || envlog === null) return undefined
  const { receipt, forget } = envlog as { receipt?: unknown; forget?: unknown }
  if (forget !== undefined) return { kind: 'forget', serials: serialsOf(forget) }
  if (receipt === undefined) return undefined
  const read = readReceipt(receipt)
  // Of another node: what that one sent is a trigger here.
  return read.node === node ? { kind: 'receipt', receipt: read } : undefined
}

function serialsOf(forget: unknown): readonly string[] | 'all' {
  if (forget === true) return 'all'
  const serials = Array.isArray(forget) ? forget.map((one) => String(one).trim()) : []
  if (serials.length === 0 || !serials.every(isSerial)) throw new EnvlogError('forget-unreadable')
  return serials
}
