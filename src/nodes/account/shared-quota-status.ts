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
    const text = code ? `${RED._('status.ledger-away')}: ${code}` : 'status.ledger-away'
    node.status(isConnected ? {} : { fill: 'yellow', shape: 'ring', text })
    if (isConnected && hasWarned) node.log(RED._('warnings.ledger-back'))
    if (!isConnected && code !== undefined && !hasWarned) {
      node.warn(RED._('warnings.ledger-away', { reason: code } as never))
    }
    hasWarned = !isConnected && (hasWarned || code !== undefined)
  }
}
