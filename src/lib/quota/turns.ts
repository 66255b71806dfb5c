import { EDITOR, type QueueKey } from '../request'
import type { JoinedRequest } from './joined-request'

/** The order in which waiting requests are sent: those of the editor first, and after that the keys take turns. */
export class Turns {
  /** The turn in which a request of each key was last sent. The key with the lowest turn is next. */
  readonly #turns = new Map<QueueKey, number>()
  #turn = 0

  /** Call this when a request is sent. @returns the number of its turn, which is unique */
  take(request: JoinedRequest): number {
    this.#turn++
    for (const { queueKey } of request.contexts) this.#turns.set(queueKey, this.#turn)
    return this.#turn
  }

  /** Call this when no request waits or is in flight. */
  clear(): void {
    this.#turns.clear()
  }

  /** Sorts requests by the order in which they will be sent if no others arrive. */
  sort<W extends { request: JoinedRequest }>(requests: readonly W[]): W[] {
    const counts = new Map<QueueKey, number>()
    const places = requests.map((waiting) => {
      let round = Number.POSITIVE_INFINITY
      let turn = Number.POSITIVE_INFINITY
      for (const { queueKey } of waiting.request.contexts) {
        const count = counts.get(queueKey) ?? 0
        counts.set(queueKey, count + 1)
        round = Math.min(round, queueKey === EDITOR ? -1 : count)
        turn = Math.min(turn, this.#turns.get(queueKey) ?? 0)
      }
      return { waiting, round, turn }
    })
    places.sort((a, b) => a.round - b.round || a.turn - b.turn)
    return places.map(({ waiting }) => waiting)
  }
}
