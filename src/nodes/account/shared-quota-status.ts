import type { Node, NodeAPI } from 'node-red'
import { translate } from '../kit/report/translate'

/**
 * Shows in the account node's status that its shared quota store is not connected, and logs each disconnection and
 * reconnection once.
 * @returns a function to call when the connection changes; `code` says why the store is not connected, for example
 * `ECONNREFUSED` or `WRONGPASS`, and is absent while it connects for the first time
 */
export function createSharedQuotaStatus(
  RED: NodeAPI,
  node: Node,
): (isConnected: boolean, code?: string) => void {
  let hasWarned = false
  return (isConnected, code) => {
    const text = code ? `${translate(RED, 'status.redis-away')}: ${code}` : 'status.redis-away'
    node.status(isConnected ? {} : { fill: 'yellow', shape: 'ring', text })
    if (isConnected && hasWarned) node.log(translate(RED, 'warnings.redis-back'))
    if (!isConnected && code !== undefined && !hasWarned) {
      node.warn(translate(RED, 'warnings.redis-away', { reason: code }))
    }
    hasWarned = !isConnected && (hasWarned || code !== undefined)
  }
}
