import { promisify } from 'node:util'
import type { Node, NodeAPI, NodeMessage } from 'node-red'
import { systemClock } from '../../../lib/clock'
import { EnvlogError } from '../../../lib/errors'
import { toOneLine } from '../../../lib/redact'
import { orNoResponse, parseOrKeep } from '../../../lib/stored-state'

/**
 * Evaluates a typed input: message, context, environment or JSONata; `undefined` if the property does not exist.
 * @throws EnvlogError `expression-failed`
 */
export type Evaluate = (value: string, type: string) => Promise<unknown>

export const createEvaluator =
  ({ util }: NodeAPI, node: Node, msg: NodeMessage): Evaluate =>
  async (value, type) => {
    const evaluate = promisify<string, string, Node, NodeMessage, unknown>(util.evaluateNodeProperty)
    try {
      // A context store may never respond, and the node's other messages would wait.
      const found = await orNoResponse(evaluate(value, type, node, msg), systemClock)
      return type === 'env' && typeof found === 'string' ? parseList(found) : found
    } catch (error) {
      // Node-RED also throws if a parent object of the property is missing.
      if (type !== 'jsonata') return undefined
      throw new EnvlogError('expression-failed', { detail: detailOf(error) })
    }
  }

/** The list or object that an environment variable contains as JSON; any other text stays unchanged. */
const parseList = (text: string) => (/^\s*[[{]/.test(text) ? parseOrKeep(text) : text)

/** Maximum length of a sentence of Node-RED. */
const MAX_DETAIL = 200

/** The sentence about a failed expression, in one line. JSONata throws objects that are no errors. */
function detailOf(error: unknown): string {
  const { message } = (error ?? {}) as { message?: unknown }
  return toOneLine(String(message ?? error).slice(0, MAX_DETAIL))
}

/** A typed input in the users' notation, such as `msg.devices`. */
export function formatTypedInput(value: string, type: string): string {
  return `${type}.${value}`
}
