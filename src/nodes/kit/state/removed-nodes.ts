import type { NodeAPI } from 'node-red'
import { registry } from './registry'

/** Closed as removed. */
const closed = new Set<string>()
let isListening = false

/**
 * A node was closed as removed: what it knows is forgotten when it is gone from the flows. Node-RED calls nodes
 * removed too that are disabled, and these may come back.
 */
export function forgetRemovedNode(RED: NodeAPI, node: string): void {
  closed.add(node)
  sweep(RED)
  // A node that is disabled is not told when it is deleted.
  if (!isListening) RED.events.on('flows:started', () => sweep(RED))
  isListening = true
}

function sweep(RED: NodeAPI): void {
  const there = new Set<string>()
  RED.nodes.eachNode(({ id }) => there.add(id))
  for (const node of closed) {
    if (there.has(node)) continue
    closed.delete(node)
    registry.forget(node)
  }
}
