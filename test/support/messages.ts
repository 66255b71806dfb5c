import type { OutgoingMessage } from '../../src/lib/output/elements'
import type { Plan } from '../../src/lib/output/plan'

/** Messages of a plan as they are made, without the rests between. */
export function* messagesOf({ messages }: Plan): Generator<OutgoingMessage> {
  for (const draft of messages) if (draft) yield draft
}
