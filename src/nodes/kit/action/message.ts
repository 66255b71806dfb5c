import type { Node, NodeAPI, NodeMessage } from 'node-red'
import type { Account } from '../../../lib/account'
import type { Collected } from '../../../lib/collect/fetch'
import { aboutMaker } from '../../../lib/output/about'
import type { Draft } from '../../../lib/output/elements'
import type { Plan } from '../../../lib/output/plan'
import { topicMaker } from '../../../lib/output/topic'
import type { ActionType } from '../../../shared/action'
import type { SettingsOf } from '../settings/action-settings'

/** What a node delivers: what was collected, and what only that node says of it. */
export interface Delivery extends Collected {
  range?: { from: string; to: string }
  overflow?: boolean
  receipt?: string
}

/** What messages are made of, beside what was collected. */
export interface MessagePorts<T extends ActionType> {
  RED: NodeAPI
  node: Node
  trigger: { msg: NodeMessage; send(msg: NodeMessage): void }
  settings: SettingsOf<T>
  account: Account
}

/** Makes the messages of one plan: clones of the trigger with what is added to them (docs/messages.md). */
export function createMessageBuilder<T extends ActionType>({
  RED,
  node,
  trigger,
  settings,
  account,
  delivery,
  plan,
}: MessagePorts<T> & { delivery: Delivery; plan: Plan }): (draft: Draft) => NodeMessage {
  // What is about to be replaced is not worth cloning.
  const { payload: _payload, envlog: _envlog, ...kept } = trigger.msg
  const isFlat = Object.values(kept).every((value) => typeof value !== 'object' || value === null)
  const name = node.type.replace('envlog-', '') as Parameters<typeof aboutMaker>[0]
  const tell = aboutMaker(name, account.name, delivery)
  const topicOf = topicMaker(settings.topic)
  const { range, overflow, receipt } = delivery
  const id = plan.sequence && RED.util.generateId()
  let index = 0

  const own = ['payload', 'envlog']
  if (plan.columns !== undefined) own.push('columns')
  if (plan.sequence) own.push('parts')
  const blanks = { plain: blankMessage(kept, own), topical: blankMessage(kept, ['topic', ...own]) }

  return ({ payload, subject, reading }) => {
    const topic = subject && topicOf({ account: account.name, ...subject })
    const blank = topic === undefined ? blanks.plain : blanks.topical
    const msg: NodeMessage = isFlat ? { ...blank } : RED.util.cloneMessage(blank as never)
    msg.payload = payload
    msg.envlog = tell({ subject, reading, range, overflow, receipt })
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

/**
 * A message with all its keys and nothing in those that are ours. Copying it and filling it in takes a hundredth
 * of the time that adding keys to a copy does: V8 makes a shape of its own for each key that is added.
 */
function blankMessage(kept: object, own: readonly string[]): NodeMessage {
  const blank: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(kept)) blank[key] = value
  for (const key of own) blank[key] ??= undefined
  return blank as NodeMessage
}
