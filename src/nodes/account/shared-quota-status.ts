import type { Node, NodeAPI } from 'node-red'

/**
 * Shows whether the shared quota of an account can be reached: in the status of its node, and once in the log each time
 * that it cannot. `reason` is a code without secrets, such as `ECONNREFUSED` or `WRONGPASS`.
 */
export function createSharedQuotaStatus(RED: NodeAPI, node: Node): (here: boolean, reason?: string) => void {
  let isWarned = false
  return (here, reason) => {
    const about = { reason } as never
    const text = reason ? `${RED._('status.ledger-away')}: ${reason}` : 'status.ledger-away'
    node.status(here ? {} : { fill: 'yellow', shape: 'ring', text })
    if (here && isWarned) node.log(RED._('warnings.ledger-back'))
    if (!here && reason !== undefined && !isWarned) node.warn(RED._('warnings.ledger-away', about))
    isWarned = !here && (isWarned || reason !== undefined)
  }
}
