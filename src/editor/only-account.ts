import type { Form } from './red'

/** The account that a node dropped into a flow uses: the only one there is, if any. */
export function findOnlyAccount({ z }: Form): string | undefined {
  const accounts: string[] = []
  RED.nodes.eachConfig((node) => {
    const isUsable = !node.d && (!node.z || node.z === z)
    if (node.type === 'envlog-account' && isUsable) accounts.push(node.id)
  })
  return accounts.length === 1 ? accounts[0] : undefined
}
