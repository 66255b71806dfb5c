import type { Node, NodeAPI } from 'node-red'

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
    const text = code ? `${RED._('status.redis-away')}: ${code}` : 'status.redis-away'
    node.status(isConnected ? {} : { fill: 'yellow', shape: 'ring', text })
    if (isConnected && hasWarned) node.log(RED._('warnings.redis-back'))
    if (!isConnected && code !== undefined && !hasWarned) {
      node.warn(RED._('warnings.redis-away', { reason: code } as never))
    }
    hasWarned = !isConnected && (hasWarned || code !== undefined)
  }
}
