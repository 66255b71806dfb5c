import type { Node, NodeAPI, NodeMessage } from 'node-red'

/** A value that a typed input stands for: from message, context, environment or JSONata. Rejects as Node-RED does. */
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

/** Where a node looks for its devices, as users write it: `msg.devices`. */
export function formatTypedInput({
  property,
  propertyType,
}: {
  property: string
  propertyType: string
}): string {
  return `${propertyType}.${property}`
}
