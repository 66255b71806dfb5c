import {
  type Allowance,
  createAllowance,
  isSavedAllowance,
  type Row,
  type SavedAllowance,
} from './window-limiter'

/** Devices whose records were asked for lately; more are looked through for those that are free again. */
const TIDY_ABOVE = 64

/** The records of each device of one endpoint (*Limits*: records per hour and device). */
export function createBudgets(described: Row) {
  let row = described
  let tidyAt = TIDY_ABOVE
  const devices = new Map<string, Allowance>()

  function tidy(now: number): void {
    if (devices.size <= tidyAt) return
    for (const [device, allowance] of devices) {
      const { own, foreign } = allowance.spent(now)
      if (own + foreign === 0 && allowance.when(now, 1) <= now) devices.delete(device)
    }
    tidyAt = Math.max(TIDY_ABOVE, devices.size * 2)
  }

  function of(device: string, now: number): Allowance {
    let allowance = devices.get(device)
    if (!allowance) {
      tidy(now)
      allowance = createAllowance(row)
      devices.set(device, allowance)
    }
    return allowance
  }

  return {
    of,
    rebase(changed: Row): void {
      row = changed
      for (const allowance of devices.values()) allowance.rebase(row)
    },
    entries: () => [...devices],
    save(now: number, toWall: number): [string, SavedAllowance][] {
      return [...devices].flatMap(([device, allowance]) => {
        const saved = allowance.save(now, toWall)
        return saved ? [[device, saved] as [string, SavedAllowance]] : []
      })
    },
    load(saved: unknown, now: number, toWall: number): void {
      if (!Array.isArray(saved)) return
      for (const entry of saved) {
        const [device, state] = Array.isArray(entry) ? entry : []
        if (typeof device === 'string' && isSavedAllowance(state)) of(device, now).load(state, now, toWall)
      }
    },
  }
}

export type Budgets = ReturnType<typeof createBudgets>
