import type { Node, NodeAPI } from 'node-red'

/**
 * Shows in the status of the account's node that its shared quota store is not connected, and logs each disconnection
 * and reconnection once.
 * @returns called with a code that says why the store is not connected, such as `ECONNREFUSED` or `WRONGPASS`; while it
 * connects for the first time, there is no code
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
