import type { Node, NodeAPI, NodeMessage } from 'node-red'
import type { Delivery } from '../../../lib/collect/fetch'
import type { OutgoingMessage } from '../../../lib/output/elements'
import { createMetadata } from '../../../lib/output/metadata'
import type { Plan } from '../../../lib/output/plan'
import { formatTopic } from '../../../lib/output/topic'
import { type ActionType, nameOfType } from '../../../shared/action'
import type { SettingsOf } from '../../../shared/action-schemas'
import type { Trigger } from './start-node'

/** The node and the trigger of the messages. */
interface MessageSource<T extends ActionType> {
  RED: NodeAPI
  node: Node
  trigger: Trigger
  settings: Pick<SettingsOf<T>, 'send' | 'topic'>
  account: { name: string }
}

/**
 * @returns a function that builds a message: a clone of the trigger's message with payload, `msg.envlog`, topic and
 * sequence parts (docs/messages.md)
 */
export function createMessageBuilder<T extends ActionType>(
  { RED, node, trigger, settings, account }: MessageSource<T>,
  delivery: Delivery,
  plan: Plan,
): (draft: OutgoingMessage) => NodeMessage {
  // Properties that are replaced need not be cloned.
  const { payload: _payload, envlog: _envlog, ...kept } = trigger.msg
  const { response, range, overflow, backfill, receipt } = delivery
  const id = plan.sequence && RED.util.generateId()
  // Several messages must not claim to be the same part of the incoming sequence.
  const isOnly = settings.send === 'all' || (node.type === 'envlog-current' && !plan.sequence)
  let index = 0

  return ({ payload, subject, reading }) => {
    const details = { subject, reading, range, overflow, backfill, receipt }
    const envlog = createMetadata(nameOfType(node.type as T), account.name, response, details)
    const { parts: outer, ...others } = RED.util.cloneMessage(kept as NodeMessage)
    const msg: NodeMessage = Object.assign(others, { payload, envlog })
    const topic = subject && formatTopic(settings.topic, { account: account.name, ...subject })
    if (topic !== undefined) msg.topic = topic
    if (plan.columns !== undefined) msg.columns = plan.columns
    if (plan.sequence) {
      const { count, length } = plan.sequence
      const part = { id, type: 'array', index: index++, count, len: length }
      msg.parts = outer === undefined ? part : { ...part, parts: outer }
    } else if (isOnly && outer !== undefined) msg.parts = outer
    return msg
  }
}
