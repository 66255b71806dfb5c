import type { NodeAPI } from 'node-red'
import { inBackground } from '../../../lib/background'
import { removeStateFile } from './file-store'
import { registry } from './process-registry'

/** Ids of nodes that Node-RED closed as removed, and whose state still exists. */
const closed = new Set<string>()
let isListening = false

/**
 * Deletes the state of a removed node as soon as the node is no longer in the flows. Node-RED also reports disabled
 * nodes as removed. Their state is kept, because they may be enabled again. Call this after the last write.
 */
export function deleteStateOfRemovedNode(RED: NodeAPI, nodeId: string): void {
  closed.add(nodeId)
  deleteStates(RED)
  // Node-RED does not notify us if a disabled node is deleted later.
  if (!isListening) RED.events.on('flows:started', () => deleteStates(RED))
  isListening = true
}

function deleteStates(RED: NodeAPI): void {
  const existing = new Set<string>()
  RED.nodes.eachNode(({ id }) => existing.add(id))
  for (const nodeId of closed) {
    if (existing.has(nodeId)) continue
    closed.delete(nodeId)
    registry.forget(nodeId)
    const { userDir } = RED.settings
    if (userDir) inBackground(removeStateFile(userDir, nodeId))
  }
}
