import type { Form } from './red'

/** The account for a node that has none, if there is exactly one account. */
export function findOnlyAccount({ z }: Form): string | undefined {
  const accounts = listAccounts().filter((node) => !node.d && (!node.z || node.z === z))
  return accounts.length === 1 ? accounts[0]?.id : undefined
}

/**
 * The label of an account. It is its name or its address, with a number if other unnamed accounts have the same
 * address.
 */
export function accountLabel(account: Form, fallback: string): string {
  if (account.name) return account.name
  const address = String(account.baseUrl || fallback)
  const same = listAccounts().filter(({ name, baseUrl }) => !name && (baseUrl || fallback) === address)
  const index = same.findIndex(({ id }) => id === account.id)
  return index > 0 ? `${address} (${index + 1})` : address
}

function listAccounts(): Form[] {
  const accounts: Form[] = []
  RED.nodes.eachConfig((node) => {
    if (node.type === 'envlog-account') accounts.push(node)
  })
  return accounts
}
