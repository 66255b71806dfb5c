import type { Clock } from '../clock'
import { heldMs } from './allowance'
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
  | { waitMs: number; short: Refused }
  /** The ledger went away meanwhile, and more than our share is taken. */
  | 'over-share'

/**
 * Several processes on one account (nodes.md, `sharedQuota`). While the ledger is there it decides; without it
 * each keeps to half of every limit, and for a window after its return too: what was spent meanwhile may not
 * all be written yet.
 */
export function createSharing(ledger: SharedLedger, clock: Clock, places: Places, changed: () => void) {
  let here = false
  let closed = false
  /** Claimed and not settled yet: a lease that is left behind would hold its place for minutes. */
  let open = 0
  /** A look that is due, or on its way. */
  let looking = false
  let cancelLook = () => {}
  /** It came back without what it held, and was not told all of it yet. */
  let lost = false
  /** When it came back; at the start nothing was spent without it. */
  let backAt = Number.NEGATIVE_INFINITY
  /** Settled while it was away. */
  let unsettled: { id: string; settled: Settled[]; at: number }[] = []

  const now = () => clock.monotonic()

  function within<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const cancel = clock.after(ANSWER_MS, () => reject(new Error('silent')))
      work.then(resolve, reject).finally(cancel)
    })
  }

  function away(): void {
    if (closed) return
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
      if (!(await within(ledger.kept()))) lost = true
      // Everything: what is told twice only holds its place longer.
      if (lost) {
        await within(ledger.catchUp(places.spent(now())))
        // They are among all that was spent.
        unsettled = []
      }
      lost = false
      while (unsettled.length > 0) {
        const [{ id, settled, at }] = unsettled as [(typeof unsettled)[0]]
        await within(ledger.settle(id, settled, now() - at))
        unsettled.shift()
      }
    } catch {
      looking = false
      away()
      return
    }
    looking = false
    if (closed || here) return
    here = true
    backAt = now()
    changed()
  }

  return {
    here: () => here,
    /** The first look. Nothing was spent without it before, so the whole may be used at once. */
    async start(): Promise<void> {
      await look()
      if (here) backAt = Number.NEGATIVE_INFINITY
    },

    /** Our part of a limit whose window is so long, in seconds. */
    share: (window: number) => (here && now() >= backAt + heldMs(window) ? 1 : SHARE_ALONE),

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
        unsettled.push({ id, settled, at })
        const oldest = Math.max(...settled.map(({ heldMs: held }) => held))
        unsettled = unsettled.filter((one) => at - one.at < oldest)
        away()
      }
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
    try {
      const answer = await within(ledger.claim(id, claimsOf(grant)))
      if ('waitMs' in answer) {
        const short = answer.short === 0 ? 'endpoint' : 'device'
        return { waitMs: Math.max(LEAST_WAIT_MS, answer.waitMs), short }
      }
      grant.requests.noteAll(answer.spent[0] ?? 0, now())
      grant.budget?.allowance.noteAll(answer.spent[1] ?? 0, now())
      shorten(grant, answer.taken[1])
      return 'go'
    } catch {
      away()
      return fitsShare(grant) ? 'go' : 'over-share'
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
