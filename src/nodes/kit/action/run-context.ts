import type { Node, NodeAPI, NodeMessage } from 'node-red'
import type { Account } from '../../../lib/account'
import type { NodeState } from '../../../lib/collect/node-state'
import type { ActionType } from '../../../shared/action'
import type { SettingsOf } from '../../../shared/action-schemas'
import type { RunStatus } from '../report/status'

/** The context of one trigger of a node. */
export interface RunContext<T extends ActionType> {
  RED: NodeAPI
  node: Node
  trigger: Trigger
  settings: SettingsOf<T>
  account: Account
  nodeState: NodeState
  /** Aborts when the node closes. */
  signal: AbortSignal
  setStatus(status: RunStatus): void
}

/** A message that makes the node send requests, and the way to send the results. */
export interface Trigger {
  msg: NodeMessage
  send(msg: NodeMessage): void
}
