import type { Node, NodeAPI, NodeMessage } from 'node-red'
import type { Account } from '../../../lib/account'
import type { Collected } from '../../../lib/collect/fetch'
import type { OutgoingMessage } from '../../../lib/output/elements'
import { createMetadata } from '../../../lib/output/metadata'
import type { Plan } from '../../../lib/output/plan'
import { formatTopic } from '../../../lib/output/topic'
import { type ActionType, nameOfType } from '../../../shared/action'
import type { SettingsOf } from '../../../shared/action-schemas'

/** What a node delivers: the collected data, and additions to `msg.envlog` by some nodes. */
export interface Delivery extends Collected {
  range?: { from: string; to: string }
  overflow?: boolean
  receipt?: string
}

/** What messages are built from, in addition to the collected data. */
export interface MessagePorts<T extends ActionType> {
  RED: NodeAPI
  node: Node
  trigger: { msg: NodeMessage; send(msg: NodeMessage): void }
  settings: SettingsOf<T>
  account: Account
}

/**
 * Builds the messages of a plan: each is a clone of the trigger's message with payload, `msg.envlog`, topic, and
 * sequence parts (docs/messages.md).
 */
export function createMessageBuilder<T extends ActionType>({
  RED,
  node,
  trigger,
  settings,
  account,
  delivery,
  plan,
}: MessagePorts<T> & { delivery: Delivery; plan: Plan }): (draft: OutgoingMessage) => NodeMessage {
  // Properties that are replaced need not be cloned.
  const { payload: _payload, envlog: _envlog, ...kept } = trigger.msg
  const isFlat = Object.values(kept).every((value) => typeof value !== 'object' || value === null)
  const { answer, range, overflow, receipt } = delivery
  const id = plan.sequence && RED.util.generateId()
  let index = 0

  return ({ payload, subject, reading }) => {
    const details = { subject, reading, range, overflow, receipt }
    const envlog = createMetadata(nameOfType(node.type as T), account.name, answer, details)
    const msg: NodeMessage = { ...(isFlat ? kept : RED.util.cloneMessage(kept as never)), payload, envlog }
    const topic = subject && formatTopic(settings.topic, { account: account.name, ...subject })
    if (topic !== undefined) msg.topic = topic
    if (plan.columns !== undefined) msg.columns = plan.columns
    if (plan.sequence) {
      const { count, length } = plan.sequence
      const outer = msg.parts
      const part = { id, type: 'array', index: index++, count, len: length }
      msg.parts = outer === undefined ? part : { ...part, parts: outer }
    }
    return msg
  }
}
