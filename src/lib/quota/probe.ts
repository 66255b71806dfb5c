/**
 * What may go of an endpoint after the shared ledger was lost, when others may have spent what nobody knows of: one
 * request, until an answer's headers tell, or a window is over. Instants are monotonic ms.
 */
export function createProbe() {
  let until = Number.NEGATIVE_INFINITY
  let sent: string | undefined

  /** How many may go now. */
  function most(now: number): number {
    if (now >= until) return Number.POSITIVE_INFINITY
    return sent === undefined ? 1 : 0
  }

  return {
    most,
    begin(end: number): void {
      until = end
      sent = undefined
    },
    end(): void {
      until = Number.NEGATIVE_INFINITY
    },
    /** When so many may go. */
    when: (now: number, amount: number) => (amount > most(now) ? until : Number.NEGATIVE_INFINITY),
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
