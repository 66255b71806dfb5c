/**
 * What may go of an endpoint after the shared ledger was lost, when others may have spent what nobody knows of: one
 * request, until an answer's headers tell, or a window is over. It waits till those that have the ledger leave our share
 * to us: before, they may take at any moment what its headers say is left. Instants are monotonic ms.
 */
export function createProbe() {
  let from = Number.NEGATIVE_INFINITY
  let until = Number.NEGATIVE_INFINITY
  let sent: string | undefined

  /** How many may go now. */
  function most(now: number): number {
    if (now >= until) return Number.POSITIVE_INFINITY
    return sent === undefined && now >= from ? 1 : 0
  }

  return {
    most,
    begin(start: number, end: number): void {
      from = start
      until = end
      sent = undefined
    },
    /** Headers came with the answer to a request: those of one that was sent before tell too little. */
    told(id: string): void {
      if (id === sent) until = Number.NEGATIVE_INFINITY
    },
    /** When so many may go. */
    when(now: number, amount: number): number {
      if (amount <= most(now)) return Number.NEGATIVE_INFINITY
      return sent === undefined && amount === 1 ? Math.min(from, until) : until
    },
    /** True where it is the one, or needs not be. */
    fits: (id: string, now: number) => sent === id || most(now) > 0,
    send(id: string): void {
      sent ??= id
    },
    /** It was not sent after all. */
    unsend(id: string): void {
      if (sent === id) sent = undefined
    },
  }
}

export type Probe = ReturnType<typeof createProbe>
