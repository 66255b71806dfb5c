import { type AccountDraft, STORED_SECRET, toAccountDraft } from '../shared/admin'

/** Replaces Node-RED's value for a field in which no config node was ever chosen, which is not an id. */
export const chosen = (value: unknown) => (value === '_ADD_' ? '' : value)

/** An account as its own form currently shows it. */
export function readOpenAccount(id: string): AccountDraft {
  const field = (name: string) => chosen($(`#node-config-input-${name}`).val())
  return toAccountDraft(id, field, field)
}

/** The account chosen for a node, deployed or not; `undefined` if none is chosen or it is disabled. */
export function readAccountNode(id: string): AccountDraft | undefined {
  const node = RED.nodes.node(id)
  if (!node || node.d) return undefined
  const { credentials = {} } = node
  // A secret that has not been typed since the last deploy exists only in the runtime.
  const secret = (name: string) =>
    credentials[name] ?? (credentials[`has_${name}`] === false ? '' : STORED_SECRET)
  return toAccountDraft(id, (name) => chosen(node[name]), secret)
}
