import type { Node, NodeAPI } from 'node-red'
import type { Account } from '../../../lib/account'
import type { StateStore } from '../../../lib/stored-state'

/** The config node `envlog-account`, as seen by other nodes. */
export interface AccountNode extends Node {
  /** The account, opened on the first call. @throws EnvlogError `ENVLOG_CONFIG` */
  getAccount(): Account
  /**
   * Adds a node of a flow to its users. Reports why this fails, once for the account and not for each of its nodes.
   * @param owner the node whose state is kept, if it is not the user itself
   * @returns the account, and the store that keeps the state across restarts
   * @throws EnvlogError `ENVLOG_CONFIG`
   */
  acquire(user: Node, owner?: Node): { account: Account; store: StateStore }
  /** The deployed settings, with the values of environment variables. */
  deployed(): { config: Record<string, unknown>; credentials: Record<string, unknown> }
  /**
   * The nodes of flows that use it, by id. Node-RED passes the account's status and errors to the flows of these nodes. A
   * config node among them would be asked for its users, without end.
   */
  users: Record<string, Node>
}

/** The config node with this id; `undefined` if it is missing or disabled. */
export function findAccountNode(RED: NodeAPI, id: string): AccountNode | undefined {
  const node = RED.nodes.getNode(id)
  return node?.type === 'envlog-account' ? (node as unknown as AccountNode) : undefined
}
