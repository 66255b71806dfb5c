import type { Node, NodeAPI, NodeDef, NodeMessage } from 'node-red'
import { EnvlogError } from '../../../lib/errors'
import { localizeError } from '../report/localize'
import { toNodeStatus } from '../report/status'
import { deleteStateOfRemovedNode } from '../state/removed-nodes'

export interface NodeConfig extends NodeDef {
  account: string
}

/** How a type of node is created. */
interface NodeType<C> {
  /**
   * @throws EnvlogError `ENVLOG_CONFIG`; it loads the node's code with the first node instead of with the palette, so that
   * Node-RED starts fast
   */
  create(node: Node, config: NodeDef & C): StartedNode
  /** Called when the node closes: its config node no longer reports to its flow. */
  release(node: Node, config: NodeDef & C): void
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
  /** Resolves when nothing is running and the node's state is saved. @param removed whether it is not deployed again */
  close(removed: boolean): Promise<void>
}

/** Registers a type of node of the palette. */
export function registerNode<C>(RED: NodeAPI, type: string, { create, release }: NodeType<C>): void {
  function NodeConstructor(this: Node, config: NodeDef & C) {
    RED.nodes.createNode(this, config)
    startNode(RED, this, { create: () => create(this, config), release: () => release(this, config) })
  }
  RED.nodes.registerType(type, NodeConstructor as never)
}

/**
 * Starts a deployed node, or has it refuse messages until its config node and settings are complete. Each message tries
 * again: Node-RED does not restart a node whose missing config node is added by a deploy of modified nodes.
 */
function startNode(
  RED: NodeAPI,
  node: Node,
  { create, release }: { create(): StartedNode; release(): void },
): void {
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
      release()
      await started?.close(removed)
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
