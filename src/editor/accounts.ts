import { isEnvVariable } from '../shared/schema'
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

/** Nodes that were added, until the import or paste with them is complete. */
const added = new Set<Form>()

/**
 * From now on, nodes without an account get the only account: when they are dropped, pasted or imported, as the examples
 * are, and when the first account is added. Nodes that are loaded with the flows stay as they were deployed.
 */
export function assignOnlyAccount(): void {
  RED.events.on('flows:loaded', () => added.clear())
  RED.events.on('nodes:add', (node) => {
    if (!node.type.startsWith('envlog-')) return
    if (added.size === 0) window.setTimeout(assignAdded)
    added.add(node)
  })
}

function assignAdded(): void {
  const hasAccount = [...added].some(({ type }) => type === 'envlog-account')
  if (hasAccount) RED.nodes.eachNode(assign)
  else for (const node of added) assign(node)
  added.clear()
}

function assign(node: Form): void {
  const isOurs = node.type.startsWith('envlog-')
  const flow = RED.nodes.workspace(node.z as string) ?? RED.nodes.subflow(node.z as string)
  const { account } = node
  // The account may have been removed, as by undoing its creation.
  const hasAccount = isEnvVariable(account) || (account && RED.nodes.node(account as string))
  const only = isOurs && !hasAccount && !flow?.locked ? findOnlyAccount(node) : undefined
  if (!only) return
  node.account = only
  node.changed = true
  RED.nodes.updateConfigNodeUsers(node)
  RED.editor.validateNode(node)
}
