import type { Node, NodeAPI } from 'node-red'
import type { Account } from '../../../lib/account'
import { EnvlogError } from '../../../lib/errors'
import type { StateStore } from '../../../lib/state-writer'

/** The config node `envlog-account`, as seen by other nodes. */
export interface AccountNode extends Node {
  /** The account, opened on the first call. @throws EnvlogError `ENVLOG_CONFIG` */
  getAccount(): Account
  /** Reports why the account cannot be opened, once for the account and not for each of its nodes. */
  reportOnce(error: unknown): void
  /** The store that keeps an action node's state across restarts. @throws EnvlogError `store-unknown` */
  storeFor(node: Node): StateStore
  /** The deployed settings, with the values of environment variables. */
  deployed(): { config: Record<string, unknown>; credentials: Record<string, unknown> }
  /** The nodes that use it, by id. Node-RED passes the account's status and errors to the flows of these nodes. */
  users: Record<string, Node>
}

/** The config node with this id; `undefined` if it is missing or disabled. */
export function findAccountNode(RED: NodeAPI, id: string): AccountNode | undefined {
  const node = RED.nodes.getNode(id)
  return node?.type === 'envlog-account' ? (node as unknown as AccountNode) : undefined
}

/**
 * Adds an action node to the users of its account.
 * @returns the account, and the store that keeps the node's state across restarts
 * @throws EnvlogError `no-account`, or `ENVLOG_CONFIG` because of the account's settings
 */
export function acquireAccount(
  RED: NodeAPI,
  id: string,
  user: Node,
): { account: Account; store: StateStore } {
  const node = findAccountNode(RED, id)
  if (!node) throw new EnvlogError('no-account')
  node.users[user.id] = user
  return { account: open(node), store: node.storeFor(user) }
}

function open(node: AccountNode): Account {
  try {
    return node.getAccount()
  } catch (error) {
    node.reportOnce(error)
    throw error
  }
}

/** Removes a closed action node, whose flow no longer gets the account's status and errors. */
export function releaseAccount(RED: NodeAPI, id: string, user: Node): void {
  const node = findAccountNode(RED, id)
  if (node?.users[user.id] === user) delete node.users[user.id]
}
