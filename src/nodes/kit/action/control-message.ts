import type { NodeMessage } from 'node-red'
import type { NodeState } from '../../../lib/collect/node-state'
import { readReceipt } from '../../../lib/collect/receipt'
import { EnvlogError } from '../../../lib/errors'
import { isSerial, type Serials } from '../../../shared/action'

/**
 * Reads the command from a message that controls a node instead of triggering it: `msg.envlog.forget`,
 * `msg.envlog.skip` or `msg.envlog.receipt` (docs/collecting.md).
 * @returns a function that applies the command; `undefined` for a trigger
 * @throws EnvlogError `receipt-unreadable`, `serials-unreadable`
 */
export function readControlMessage(
  msg: NodeMessage,
  nodeId: string,
): ((state: NodeState) => void) | undefined {
  const { envlog } = msg as { envlog?: unknown }
  if (typeof envlog !== 'object' || envlog === null) return undefined
  const { receipt, ...commands } = envlog as { receipt?: unknown; forget?: unknown; skip?: unknown }
  for (const name of ['forget', 'skip'] as const) {
    if (commands[name] === undefined) continue
    const serials = readSerials(commands[name], `envlog.${name}`)
    return (state) => state[name](serials)
  }
  // A message with the receipt of another envlog node is a trigger.
  const confirmed = receipt === undefined ? undefined : readReceipt(nodeId, receipt)
  return confirmed && ((state) => state.acknowledge(confirmed.device, confirmed.issuedAt))
}

/** `all`, or serial numbers. @throws EnvlogError `serials-unreadable` */
export function readSerials(value: unknown, property: string): Serials {
  if (value === true) return 'all'
  const toText = (serial: unknown) =>
    typeof serial === 'string' || typeof serial === 'number' ? `${serial}`.trim() : ''
  const serials = Array.isArray(value) ? Array.from(value, toText) : []
  if (serials.length === 0 || !serials.every(isSerial))
    throw new EnvlogError('serials-unreadable', { property })
  return serials
}
