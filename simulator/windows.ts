/**
 * Counts the usage in a time window: requests of a user, or records of a device. It is unknown whether the live
 * service's windows are fixed or sliding (docs/service.md, *Assumptions*). Both kinds are computed from one log of
 * usage, so the kind can be changed at run time.
 */
export interface WindowRule {
  kind: 'fixed' | 'sliding'
  /** when fixed windows begin: this many seconds after a multiple of their length, or at the first use */
  phase: number | 'first'
}

interface UsageEntry {
  time: number
  amount: number
}

export class UsageLog {
  private entries: UsageEntry[] = []
  private opened: number | undefined

  add(now: number, amount: number, window: number): void {
    const length = window * 1000
    if (this.opened === undefined || now >= this.opened + length || now < this.opened) this.opened = now
    if (amount > 0) this.entries.push({ time: now, amount })
  }

  used(now: number, window: number, rule: WindowRule): number {
    const length = window * 1000
    const isFixed = rule.kind === 'fixed'
    const opened = isFixed ? this.start(now, length, rule.phase) : now - length
    this.dropBefore(Math.min(opened, now - length))
    let sum = 0
    for (const { time, amount } of this.entries) {
      if (time <= now && (isFixed ? time >= opened : time > opened)) sum += amount
    }
    return sum
  }

  private start(now: number, length: number, phase: number | 'first'): number {
    if (phase !== 'first') {
      const shift = phase * 1000
      return Math.floor((now - shift) / length) * length + shift
    }
    const opened = this.opened
    return opened === undefined || now >= opened + length ? now : opened
  }

  private dropBefore(before: number): void {
    let count = 0
    while (count < this.entries.length && (this.entries[count] as UsageEntry).time < before) count++
    if (count > 0) this.entries.splice(0, count)
  }
}
