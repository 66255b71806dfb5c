import type { OutgoingMessage } from '../../src/lib/output/elements'
import type { Plan } from '../../src/lib/output/plan'

/** The messages of a plan, without the yields between them. */
export function* messagesOf({ messages }: Plan): Generator<OutgoingMessage> {
  for (const draft of messages) if (draft) yield draft
}
