import type { NodeAPI } from 'node-red'
import { inBackground } from '../../../lib/background'
import { removeStateFile } from './file-store'
import { registry } from './process-registry'

/** Nodes that Node-RED has closed as removed. */
const closed = new Set<string>()
let isListening = false

/**
 * Deletes the state of a node that was closed as removed, once it is no longer in the flows. Node-RED also reports
 * disabled nodes as removed: their state stays, because they may be enabled again. Call this after the last write.
 */
export function forgetRemovedNode(RED: NodeAPI, nodeId: string): void {
  closed.add(nodeId)
  forgetDeleted(RED)
  // Node-RED does not notify a disabled node that is deleted.
  if (!isListening) RED.events.on('flows:started', () => forgetDeleted(RED))
  isListening = true
}

function forgetDeleted(RED: NodeAPI): void {
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
