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

/**
 * From now on, nodes without an account get the only account: when they are dropped, pasted or imported, as the examples
 * are, and when the first account is added. Nodes that were loaded with the flows stay as they were deployed.
 */
export function assignOnlyAccount(): void {
  RED.events.on('flows:loaded', () => RED.events.on('nodes:add', onAdded))
}

function onAdded(added: Form): void {
  if (added.type === 'envlog-account') RED.nodes.eachNode(assign)
  else assign(added)
}

function assign(node: Form): void {
  const isOurs = node.type.startsWith('envlog-')
  const flow = RED.nodes.workspace(node.z as string) ?? RED.nodes.subflow(node.z as string)
  const only = isOurs && !node.account && !flow?.locked ? findOnlyAccount(node) : undefined
  if (!only) return
  node.account = only
  node.changed = true
  RED.nodes.updateConfigNodeUsers(node)
  RED.editor.validateNode(node)
}
