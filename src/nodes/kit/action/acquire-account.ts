import type { Node, NodeAPI } from 'node-red'
import type { Account } from '../../../lib/account'
import { EnvlogError } from '../../../lib/errors'
import type { StateStore } from '../../../lib/state-store'

/** The config node `envlog-account`, as other nodes see it. */
export interface AccountNode extends Node {
  /** The account, which is opened at the first call. @throws EnvlogError `ENVLOG_CONFIG` */
  getAccount(): Account
  /** Where the state of an action node outlives the process. @throws EnvlogError `store-unknown` */
  storeFor(node: Node): StateStore
  /** The deployed settings, with the values of environment variables. */
  deployed(): { config: Record<string, unknown>; credentials: Record<string, unknown> }
  /** The nodes that use it, by id: Node-RED routes its status and errors to the flows of these. */
  users: Record<string, Node>
}

/** The config node with that id; `undefined` where it is missing or disabled. */
export function findAccountNode(RED: NodeAPI, id: string): AccountNode | undefined {
  const node = RED.nodes.getNode(id)
  return node?.type === 'envlog-account' ? (node as unknown as AccountNode) : undefined
}

/**
 * Adds an action node to the users of its account.
 * @returns the account, and where the state of the node outlives the process
 * @throws EnvlogError `no-account`, or `ENVLOG_CONFIG` for the settings of the account
 */
export function acquireAccount(
  RED: NodeAPI,
  id: string,
  user: Node,
): { account: Account; store: StateStore } {
  const node = findAccountNode(RED, id)
  if (!node) throw new EnvlogError('no-account')
  node.users[user.id] = user
  return { account: node.getAccount(), store: node.storeFor(user) }
}

/** Removes a closed action node: its flow no longer gets the status and errors of the account. */
export function releaseAccount(RED: NodeAPI, id: string, user: Node): void {
  const node = findAccountNode(RED, id)
  if (node?.users[user.id] === user) delete node.users[user.id]
}
