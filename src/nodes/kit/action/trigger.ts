import type { NodeMessage } from 'node-red'

/** A message that triggers the node, and the function that sends the results. */
export interface Trigger {
  msg: NodeMessage
  send(msg: NodeMessage): void
  /** Whether the node has triggered itself (*Repeat*). */
  isOwn?: boolean
}
