import type { Node, NodeAPI } from 'node-red'
import type { ReportLimits } from './limit-rows'
import type { PlantAlarms } from './plant-alarms'

/** The config node `envlog-limits`, as seen by other nodes. */
export interface LimitsNode extends Node {
  /**
   * The one list of alarms of all nodes that use these limits, opened on the first call. Errors and statuses of the
   * account reach the flow of `user` from now on.
   * @throws EnvlogError `ENVLOG_CONFIG`
   */
  acquire(user: Node): PlantAlarms
  /** Call this when a node that has called `acquire` closes. */
  release(user: Node): void
  /** @throws EnvlogError `ENVLOG_CONFIG`, `limits-unreadable` */
  read(): Promise<ReportLimits>
  /** The longest usual interval of the devices whose messages arrive, ms; 0 if none is known. */
  usualPause(): number
}

/** The config node with this id; `undefined` if it is missing or disabled. */
export function findLimitsNode(RED: NodeAPI, id: string): LimitsNode | undefined {
  const node = RED.nodes.getNode(id)
  return node?.type === 'envlog-limits' ? (node as unknown as LimitsNode) : undefined
}
