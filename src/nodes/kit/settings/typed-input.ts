import type { Node, NodeAPI, NodeMessage } from 'node-red'

/** Evaluates a typed input: message, context, environment or JSONata. @throws any error of Node-RED */
export type Evaluate = (value: string, type: string) => Promise<unknown>

export function createEvaluator(RED: NodeAPI, node: Node, msg: NodeMessage): Evaluate {
  return (value, type) =>
    new Promise((resolve, reject) => {
      RED.util.evaluateNodeProperty(value, type, node as never, msg as never, (error, result) => {
        if (error) reject(error)
        else resolve(result)
      })
    })
}

/** A typed input in the users' notation, such as `msg.devices`. */
export function formatTypedInput(value: string, type: string): string {
  return `${type}.${value}`
}
