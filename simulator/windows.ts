/**
 * Counting what was used in a window of time: requests of a user, records of a device. Whether the live service's
 * windows are fixed or sliding is not known (docs/service.md, *What is certain*), so both are here, over one log of
 * uses: changing the kind at run time loses nothing.
 */
export interface WindowRule {
  kind: 'fixed' | 'sliding'
  /** where fixed windows begin: seconds after a multiple of the window's length, or at the first use */
  phase: number | 'first'
}

interface Use {
  time: number
  amount: number
}

export class UseLog {
  private uses: Use[] = []
  private opened: number | undefined

  add(now: number, amount: number, window: number): void {
    const length = window * 1000
    if (this.opened === undefined || now >= this.opened + length || now < this.opened) this.opened = now
    if (amount > 0) this.uses.push({ time: now, amount })
  }

  used(now: number, window: number, rule: WindowRule): number {
    const length = window * 1000
    const fixed = rule.kind === 'fixed'
    const opened = fixed ? this.start(now, length, rule.phase) : now - length
    this.forget(Math.min(opened, now - length))
    let sum = 0
    for (const { time, amount } of this.uses) {
      if (time <= now && (fixed ? time >= opened : time > opened)) sum += amount
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

  private forget(before: number): void {
    let stale = 0
    while (stale < this.uses.length && (this.uses[stale] as Use).time < before) stale++
    if (stale > 0) this.uses.splice(0, stale)
  }
}
