import { nextTurn } from '../../../lib/clock'

/** Number of messages to send before yielding to the event loop, because Node-RED delivers messages only then. */
const MESSAGES_PER_TURN = 64

/** Sends messages in order, some in each turn of the event loop. */
export async function sendInTurns<M>(
  messages: Iterable<M> | AsyncIterable<M>,
  send: (message: M) => void,
): Promise<void> {
  let sent = 0
  for await (const message of messages) {
    send(message)
    if (++sent % MESSAGES_PER_TURN === 0) await nextTurn()
  }
}
