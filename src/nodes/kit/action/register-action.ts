import type { NodeAPI } from 'node-red'
import type { ActionType } from '../../../shared/action'
import { findAccountNode } from './account-node'
import type { ActionDefinition } from './action-definition'
import { type NodeConfig, registerNode } from './start-node'

const actions = new Map<unknown, ActionDefinition<ActionType>>()

/** The registered action node of this type; `undefined` if there is none. */
export function findAction(type: unknown): ActionDefinition<ActionType> | undefined {
  return actions.get(type)
}

/** Registers the type of an action node. */
export function registerAction<T extends ActionType>(RED: NodeAPI, action: ActionDefinition<T>): void {
  actions.set(action.type, action as unknown as ActionDefinition<ActionType>)
  registerNode<NodeConfig>(RED, action.type, {
    create: (node, config) => {
      const { ActionNode } = require('./action-node') as typeof import('./action-node')
      return new ActionNode(RED, node, config, action)
    },
    release: (node, { account }) => {
      delete findAccountNode(RED, account)?.users[node.id]
    },
  })
}
