import type { NodeAPI } from 'node-red'
import type { ActionType } from '../../../shared/action'
import type { CountUnit } from '../report/status'
import type { Run } from './run'
import { type NodeConfig, registerNode } from './start-node'

/** The parts in which the types of action nodes differ. */
export interface ActionDefinition<T extends ActionType> {
  type: T
  /** The unit of the count in the status. */
  unit: CountUnit
  /** Whether *Repeat every* goes on after a deploy or restart where it was; otherwise, it begins at once. */
  resumesRepeat?: boolean
  /** Handles one trigger. @throws EnvlogError if the whole trigger fails */
  run(run: Run<T>): Promise<void>
}

const actions = new Map<unknown, ActionDefinition<ActionType>>()

/** The registered action node of this type; `undefined` if there is none. */
export function findAction(type: unknown): ActionDefinition<ActionType> | undefined {
  return actions.get(type)
}

/** Registers the type of an action node. */
export function registerAction<T extends ActionType>(RED: NodeAPI, action: ActionDefinition<T>): void {
  actions.set(action.type, action as unknown as ActionDefinition<ActionType>)
  registerNode(RED, action.type, (node, config: NodeConfig) => {
    const { ActionNode } = require('./action-node') as typeof import('./action-node')
    return new ActionNode(RED, node, config, action)
  })
}
