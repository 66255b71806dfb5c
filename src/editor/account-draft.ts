import { type AccountDraft, STORED_SECRET, toAccountDraft } from '../shared/admin'

/** Node-RED's value of a field where no config node was ever chosen is not the id of one. */
const chosen = (value: unknown) => (value === '_ADD_' ? '' : value)

/** An account as its own form shows it now. */
export function readOpenAccount(id: string): AccountDraft {
  const field = (name: string) => chosen($(`#node-config-input-${name}`).val())
  return toAccountDraft(id, field, field)
}

/** The account that is chosen for a node, deployed or not; `undefined` where none is chosen, or it is disabled. */
export function readAccountNode(id: string): AccountDraft | undefined {
  const node = RED.nodes.node(id)
  if (!node || node.d) return undefined
  const { credentials = {} } = node
  // A secret that was not typed since the last deploy is only in the runtime.
  const secret = (name: string) =>
    credentials[name] ?? (credentials[`has_${name}`] === false ? '' : STORED_SECRET)
  return toAccountDraft(id, (name) => chosen(node[name]), secret)
}
