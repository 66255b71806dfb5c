import type { Node, NodeAPI } from 'node-red'
import type { Account } from '../../../lib/account'
import { EnvlogError } from '../../../lib/errors'
import type { StateStore } from '../../../lib/state-store'

/** A config node that hands out its account. */
export interface AccountNode extends Node {
  /** The same account at each call. @throws EnvlogError `ENVLOG_CONFIG` */
  envlog(): Account
  /** Where an action node's state outlives the process. @throws EnvlogError `store-unknown` */
  storeFor(node: Node): StateStore
  /** Secrets, and what they are for. */
  stored(): { baseUrl: string; apiKey: string; loginId: string; loginPass: string }
  /** It was told that its context store does not write. */
  isStoreFailing?: boolean
  /** The action nodes that use it: Node-RED brings its states and errors to the flows of these. */
  users: Record<string, Node>
}

/**
 * The account of an action node, and where the node's state outlives the process.
 * @throws EnvlogError `no-account`, or what the account's settings say
 */
export function acquireAccount(
  RED: NodeAPI,
  id: string,
  user: Node,
): { account: Account; store: StateStore } {
  const node = RED.nodes.getNode(id) as unknown as Partial<AccountNode> | null
  if (!node?.users || !node.envlog || !node.storeFor) throw new EnvlogError('no-account')
  node.users[user.id] = user
  return { account: node.envlog(), store: node.storeFor(user) }
}

/** The node is closed: what happens to the account is none of its flow's business any more. */
export function releaseAccount(RED: NodeAPI, id: string, user: Node): void {
  const node = RED.nodes.getNode(id) as unknown as Partial<AccountNode> | null
  if (node?.users?.[user.id] === user) delete node.users[user.id]
}
