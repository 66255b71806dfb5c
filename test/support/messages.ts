import type { OutgoingMessage } from '../../src/lib/output/elements'
import type { Plan } from '../../src/lib/output/plan'

/** The messages of a plan. */
export async function messagesOf({ messages }: Plan): Promise<OutgoingMessage[]> {
  const all: OutgoingMessage[] = []
  for await (const message of messages) all.push(message)
  return all
}
