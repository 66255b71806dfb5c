import type { Node, NodeAPI } from 'node-red'
import type { ActionType } from '../../../shared/action'
import type { CountUnit } from '../report/status'
import type { ActionConfig } from './action-node'
import type { Run } from './run'

/** The parts in which the types of action nodes differ. */
export interface ActionDefinition<T extends ActionType> {
  type: T
  /** The unit of the count in the status. */
  unit: CountUnit
  /** Handles one trigger. @throws EnvlogError if the whole trigger fails */
  run(run: Run<T>): Promise<void>
}

/** Registers a node type. */
export function registerAction<T extends ActionType>(RED: NodeAPI, action: ActionDefinition<T>): void {
  function ActionNodeConstructor(this: Node, config: ActionConfig) {
    RED.nodes.createNode(this, config)
    // Loaded with the first node instead of with the palette, so that Node-RED starts fast.
    const { startActionNode } = require('./action-node') as typeof import('./action-node')
    startActionNode(RED, this, config, action)
  }
  RED.nodes.registerType(action.type, ActionNodeConstructor as never)
}
