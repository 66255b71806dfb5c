import { promisify } from 'node:util'
import type { Node, NodeAPI, NodeMessage } from 'node-red'

/** Evaluates a typed input: message, context, environment or JSONata. @throws any error of Node-RED */
export type Evaluate = (value: string, type: string) => Promise<unknown>

export const createEvaluator =
  ({ util }: NodeAPI, node: Node, msg: NodeMessage): Evaluate =>
  (value, type) =>
    promisify<string, string, Node, NodeMessage, unknown>(util.evaluateNodeProperty)(value, type, node, msg)

/** A typed input in the users' notation, such as `msg.devices`. */
export function formatTypedInput(value: string, type: string): string {
  return `${type}.${value}`
}
