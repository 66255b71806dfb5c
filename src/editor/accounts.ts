import type { Form } from './red'

/** The account for a node that has none, if there is exactly one account that it can use. */
export function findOnlyAccount({ z }: Form): string | undefined {
  const accounts: string[] = []
  RED.nodes.eachConfig((node) => {
    const isUsable = node.type === 'envlog-account' && !node.d && (!node.z || node.z === z)
    if (isUsable) accounts.push(node.id)
  })
  return accounts.length === 1 ? accounts[0] : undefined
}
