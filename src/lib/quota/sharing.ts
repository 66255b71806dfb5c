import type { Clock } from '../clock'
import { heldMs } from './allowance'
import type { Arrears } from './arrears'
import type { QuotaReading } from './headers'
import type { Grant, Places } from './places'
import type { Bill } from './settling'
import type { Claim, Settled, SharedLedger } from './shared'
import type { Refused, Tried } from './ticket'

/** A ledger that is slower than this is away. */
const ANSWER_MS = 1000
/** How often one looks whether it is back. */
const LOOK_MS = 1000
/** Two that lose the ledger at the same time must not take more than the whole between them. */
const SHARE_ALONE = 0.5
/** Claims in a row that found nothing free must not become a storm. */
const LEAST_WAIT_MS = 20

export type Verdict =
  | 'go'
  /** Others have what is free of the endpoint, or of the device's records. */
  | { waitMs: number; short: Refused; flying: boolean }
  /** The ledger went away meanwhile, and more than our share is taken. */
  | 'over-share'

export interface SharingPorts {
  ledger: SharedLedger
  clock: Clock
  places: Places
  /** Of the account, whatever ledger it had. */
  arrears: Arrears
  /** It went away, or came back. */
  changed(): void
}

/**
 * Several processes on one account (nodes.md, `sharedQuota`). While the ledger is there it decides; without it
 * each keeps to half of every limit, and for a window after its return too: what was spent meanwhile may not
 * all be written yet.
 */
export function createSharing({ ledger, clock, places, arrears, changed }: SharingPorts) {
  let here = false
  let closed = false
  /** Claimed and not settled yet: a lease that is left behind would hold its place for minutes. */
  let open = 0
  /** Of those, what the ledger was asked for. */
  const asked = new Set<string>()
  /** A look that is due, or on its way. */
  let looking = false
  let cancelLook = () => {}

  const now = () => clock.monotonic()

  function within<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const cancel = clock.after(ANSWER_MS, () => reject(new Error('silent')))
      work.then(resolve, reject).finally(cancel)
    })
  }

  function away(): void {
    if (closed) return
    arrears.away = true
    if (here) {
      here = false
      changed()
    }
    if (looking) return
    looking = true
    cancelLook = clock.after(LOOK_MS, () => void look())
  }

  async function look(): Promise<void> {
    looking = true
    try {
      await catchUp()
    } catch {
      looking = false
      // Also for the way to it that a deploy has opened meanwhile.
      arrears.away = true
      away()
      return
    }
    looking = false
    if (closed) return
    if (arrears.away) arrears.backAt = now()
    arrears.away = false
    if (here) return
    here = true
    changed()
  }

  /** Tells the ledger what it does not know: all, where it is another one or holds nothing any more. */
  async function catchUp(): Promise<void> {
    const epoch = await within(ledger.epoch())
    const isOther = arrears.epoch !== undefined && arrears.epoch !== epoch
    if (isOther || arrears.untold) {
      // They are among all that was spent. What is told twice only holds its place longer.
      const owed = [...arrears.owed]
      arrears.away = true
      await within(ledger.catchUp(places.spent(now())))
      for (const one of owed) arrears.owed.delete(one)
      arrears.untold = false
    }
    arrears.epoch = epoch
    for (const one of arrears.owed) {
      await within(ledger.settle(one.id, one.settled, now() - one.at))
      arrears.owed.delete(one)
    }
  }

  // What a deploy left on its way is told by the way that is open now.
  arrears.whenOwed(() => {
    if (here && !looking && !closed) void look()
  })

  return {
    here: () => here,
    /** The first look. */
    start: look,

    /** Our part of a limit whose window is so long, in seconds. */
    share: (window: number) => (here && now() >= arrears.backAt + heldMs(window) ? 1 : SHARE_ALONE),

    /** With `go` it is to be settled, whatever becomes of the request. */
    async claim(id: string, grant: Grant): Promise<Verdict> {
      open++
      const verdict = await claimed(id, grant)
      if (verdict !== 'go') await over()
      return verdict
    },

    async settle(id: string, grant: Grant, { reading }: Tried<unknown>, bill: Bill) {
      const settled = settledOf(grant, reading, bill)
      const at = now()
      try {
        if (!here) throw new Error('away')
        await within(ledger.settle(id, settled, 0))
      } catch {
        arrears.owe({ id, settled, at, claimed: asked.has(id) })
        away()
      }
      asked.delete(id)
      await over()
    },

    /** What is still on its way is settled first. */
    async close(): Promise<void> {
      closed = true
      cancelLook()
      if (open === 0) await ledger.close()
    },
  }

  async function claimed(id: string, grant: Grant): Promise<Verdict> {
    if (!here) return 'go'
    asked.add(id)
    try {
      const answer = await within(ledger.claim(id, claimsOf(grant)))
      if ('waitMs' in answer) {
        asked.delete(id)
        const { spent, flying } = answer
        const [short, allowance, taken] =
          answer.short === 0
            ? (['endpoint', grant.requests, 1] as const)
            : (['device', grant.budget?.allowance, grant.number ?? 0] as const)
        // What is taken here is given back, and the ledger has not counted it.
        allowance?.noteAll(spent + taken, now())
        return { waitMs: Math.max(LEAST_WAIT_MS, answer.waitMs), short, flying }
      }
      grant.requests.noteAll(answer.spent[0] ?? 0, now())
      grant.budget?.allowance.noteAll(answer.spent[1] ?? 0, now())
      shorten(grant, answer.taken[1])
      return 'go'
    } catch {
      away()
      if (fitsShare(grant)) return 'go'
      // It may have been written all the same.
      const nothing = { used: { requests: 0, records: 0 }, refused: undefined, closed: undefined }
      arrears.owe({ id, settled: settledOf(grant, null, nothing), at: now(), claimed: asked.delete(id) })
      return 'over-share'
    }
  }

  async function over(): Promise<void> {
    open--
    if (closed && open === 0) await ledger.close()
  }

  /** Somebody else needs records of the device as well. */
  function shorten(grant: Grant, taken: number | undefined): void {
    const { budget, number = 0 } = grant
    if (!budget || taken === undefined) return
    budget.allowance.giveBack(number - taken)
    grant.number = taken
  }

  function fitsShare({ requests, budget }: Grant): boolean {
    return requests.fits(now(), SHARE_ALONE) && (budget?.allowance.fits(now(), SHARE_ALONE) ?? true)
  }

  function claimsOf(grant: Grant): Claim[] {
    const { number = 0, budget, endpoint, requests } = grant
    const { limit, window } = requests.row()
    const claims = [{ name: endpoint as string, wanted: 1, least: 1, limit, heldMs: heldMs(window) }]
    if (budget) {
      const row = budget.allowance.row()
      claims.push({
        name: `${endpoint} ${budget.device}`,
        wanted: number,
        least: Math.min(number, budget.enough),
        limit: row.limit,
        heldMs: heldMs(row.window),
      })
    }
    return claims
  }

  function settledOf(grant: Grant, reading: QuotaReading | null, { used, closed }: Bill): Settled[] {
    const { endpoint, requests, budget, number = 0, since } = grant
    const flight = now() - since
    /** What was released since then; within the margin the service cannot have counted it. */
    const flightMs = (window: number) => Math.round(Math.max(0, flight - (heldMs(window) - window * 1000)))
    const { limit, window } = requests.row()
    const settled: Settled[] = [
      {
        name: endpoint,
        taken: 1,
        used: used.requests,
        limit,
        heldMs: heldMs(window),
        remaining: reading?.remaining ?? null,
        flightMs: flightMs(window),
        refused: closed === 'endpoint',
      },
    ]
    if (budget) {
      const row = budget.allowance.row()
      settled.push({
        name: `${endpoint} ${budget.device}`,
        taken: number,
        used: used.records,
        limit: row.limit,
        heldMs: heldMs(row.window),
        remaining: reading?.recordsRemaining ?? null,
        flightMs: flightMs(row.window),
        refused: closed === 'device',
      })
    }
    return settled
  }
}

export type Sharing = ReturnType<typeof createSharing>
