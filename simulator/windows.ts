/**
 * Counts the usage in a time window: requests to an endpoint, or records of a device. It is unknown whether the live
 * service's windows are fixed or sliding (docs/service.md, *Assumptions*). Both kinds are computed from one log of
 * usage, so the kind can be changed at run time. Fixed windows begin at multiples of their length.
 */
export type WindowKind = 'fixed' | 'sliding'

export class UsageLog {
  private entries: { time: number; amount: number }[] = []

  add(time: number, amount: number): void {
    this.entries.push({ time, amount })
  }

  /** @param window in seconds */
  used(now: number, window: number, kind: WindowKind): number {
    const length = window * 1000
    this.entries = this.entries.filter(({ time }) => time > now - length)
    const opened = kind === 'fixed' ? Math.floor(now / length) * length : Number.NEGATIVE_INFINITY
    return this.entries.reduce(
      (sum, { time, amount }) => (time >= opened && time <= now ? sum + amount : sum),
      0,
    )
  }
}
