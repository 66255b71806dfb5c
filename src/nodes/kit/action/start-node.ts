import type { Node, NodeAPI, NodeDef, NodeMessage } from 'node-red'
import { EnvlogError } from '../../../lib/errors'
import { localizeError } from '../report/localize'
import { toNodeStatus } from '../report/status'
import { deleteStateOfRemovedNode } from '../state/removed-nodes'
import { findAccountNode } from './account-node'

export interface NodeConfig extends NodeDef {
  account: string
}

/** A message that triggers a node, and the function that sends the results. */
export interface Trigger {
  msg: NodeMessage
  send(msg: NodeMessage): void
  /** Whether the node has triggered itself (*Repeat*). */
  isOwn?: boolean
}

/** A deployed node whose account and settings are complete. */
export interface StartedNode {
  /** @throws EnvlogError if the message cannot be processed */
  receive(trigger: Trigger): Promise<void>
  /** Resolves when nothing is running and the node's state is saved. */
  close(): Promise<void>
}

/**
 * Registers a type of node that uses an account.
 * @param create throws EnvlogError `ENVLOG_CONFIG`; it loads the node's code with the first node instead of with the
 * palette, so that Node-RED starts fast
 */
export function registerNode(
  RED: NodeAPI,
  type: string,
  create: (node: Node, config: NodeConfig) => StartedNode,
): void {
  function NodeConstructor(this: Node, config: NodeConfig) {
    RED.nodes.createNode(this, config)
    startNode(RED, this, config, () => create(this, config))
  }
  RED.nodes.registerType(type, NodeConstructor as never)
}

/**
 * Starts a deployed node, or has it refuse messages until its account and settings are complete. Each message tries
 * again: Node-RED does not restart a node whose missing account is added by a deploy of modified nodes.
 */
function startNode(RED: NodeAPI, node: Node, config: NodeConfig, create: () => StartedNode): void {
  let started: StartedNode | undefined
  let isClosed = false
  const start = (): StartedNode => {
    if (isClosed && !started) throw new EnvlogError('closed')
    try {
      started ??= create()
      return started
    } catch (error) {
      // Sent for each message, because status nodes that were created later have not received it yet.
      node.status(toNodeStatus(RED, { kind: 'failed', error }))
      throw error
    }
  }
  const receive = async (trigger: Trigger) => start().receive(trigger)
  node.on('input', (msg, send, done) => {
    const fail = (error: unknown) => {
      const failure = localizeError(RED, error)
      try {
        done(failure as never)
      } catch {
        // Node-RED copies the message for Catch nodes, and cannot copy one that is nested thousands of levels deep. Here,
        // this would end the process.
        node.error(failure, { _msgid: msg._msgid })
      }
    }
    receive({ msg, send })
      .then(() => done())
      .catch(fail)
  })
  node.on('close', (removed: boolean, done: () => void) => {
    isClosed = true
    const close = async () => {
      delete findAccountNode(RED, config.account)?.users[node.id]
      await started?.close()
      if (removed) deleteStateOfRemovedNode(RED, node.id)
    }
    close().then(done, done)
  })
  try {
    start()
  } catch {
    // The node's status shows the reason.
  }
}
