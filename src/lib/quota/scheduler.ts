/**
 * The words of the quota, as a request meets them:
 *
 * - `Request`, `RequestContext`: what is to be sent, and for whom; `Waiter`: the two while they wait
 * - `Ticket`: identical requests on their way together, through all their tries
 * - `Grant`: what a try took in this process: a place, and so many records of its device
 * - `Claim`, `Claimed`: the same asked of a shared ledger, and what the ledger said; `Verdict`: so may it go?
 * - `Tried`: how sending ended; `Bill`: what that cost, and whose limit it met
 * - `Settled`: the bill as the ledger is told
 * - `Usage`: all that this process uses of a limit, for a ledger that may not know
 */
import { inBackground } from '../background'
import type { Clock } from '../clock'
import { EnvlogError } from '../errors'
import type { Grant, Places } from './account-limiter'
import {
  createTicket,
  fail,
  type Refused,
  type Request,
  requestOf,
  succeed,
  type Ticket,
  type Tried,
  type Waiter,
  withSafeListener,
} from './job'
import { endpointNames } from './limits'
import type { Sharing, Verdict } from './shared/client'
import type { RequestContext } from './types'
import { createPatience } from './wait-monitor'

/** Requests that may wait for one account: one more is refused. */
export const MOST_QUEUED = 10_000
/** A request that was refused so often is given up. */
const MOST_REFUSALS = 3
/** When to ask again for what others have only reserved: soon, then after twice as long each time. */
const FIRST_TRY_MS = 250
const LONGEST_TRY_MS = 15_000

export interface DispatcherPorts {
  clock: Clock
  places: Places
  /** Requests at the same time; 0 while nothing may go. */
  lanes(): number
  /** Where several processes share the account: asked of each request that goes. */
  sharing(): Sharing | undefined
  /** Something was spent. */
  spent(): void
}

/** Sends requests one by one as their turns come: from the queue to the answer, whatever happens between. */
export function createDispatcher({ clock, places, lanes, sharing, spent }: DispatcherPorts) {
  const tickets = new Map<string, Ticket>()
  const running = new Set<Ticket>()
  let waiting = 0
  let wakeAt = Number.POSITIVE_INFINITY
  let cancelWake = () => {}
  let isPumping = false
  let isWanted = false

  const now = () => clock.monotonic()
  /** Those whose devices have no records left. */
  const parked = new Set<Ticket>()
  const patience = createPatience({ clock, places, parked, leave })

  /** What it lets go of may call it again: then it goes round once more, instead of deeper and deeper. */
  function pump(): void {
    isWanted = true
    if (isPumping) return
    isPumping = true
    try {
      while (isWanted) {
        isWanted = false
        sendReady()
      }
    } finally {
      isPumping = false
    }
  }

  function sendReady(): void {
    const most = lanes()
    if (most === 0) return
    // What is free and when more will be is asked of one instant, or what comes free between would be overlooked.
    let instant = now()
    while (running.size < most) {
      instant = now()
      const ticket = places.next(instant)
      if (!ticket) break
      const { endpoint, records } = requestOf(ticket)
      const grant = places.take(endpoint, records, instant)
      if ('parkedUntil' in grant) {
        places.keepTurn(endpoint)
        park(ticket, grant.parkedUntil)
      } else inBackground(go(ticket, grant))
    }
    wakeFor(places.nextChange(instant))
  }

  /** One timer for whatever comes free first. */
  function wakeFor(at: number): void {
    if (at === wakeAt) return
    cancelWake()
    wakeAt = at
    if (at === Number.POSITIVE_INFINITY) return
    cancelWake = clock.after(Math.max(0, Math.ceil(at - now())), () => {
      wakeAt = Number.POSITIVE_INFINITY
      pump()
    })
  }

  /** Its device has no records left: others go on meanwhile. */
  function park(ticket: Ticket, until: number): void {
    ticket.state = 'parked'
    parked.add(ticket)
    rest(ticket, until - now())
    patience.reconsider(ticket)
  }

  function rest(ticket: Ticket, ms: number): void {
    const cancel = clock.after(Math.max(0, Math.ceil(ms)), () => {
      back(ticket)
      pump()
      patience.reconsider(ticket)
    })
    ticket.wake = () => {
      cancel()
      parked.delete(ticket)
      ticket.wake = () => {}
    }
  }

  /** Back to the head of its lines. */
  function back(ticket: Ticket): void {
    ticket.wake()
    ticket.state = 'waiting'
    ticket.othersUntil = undefined
    for (const { context } of ticket.waiters) places.putFirst(ticket, context.queueKey)
  }

  async function go(ticket: Ticket, grant: Grant): Promise<void> {
    ticket.state = 'running'
    running.add(ticket)
    waiting--
    spent()
    try {
      const shared = sharing()
      const verdict = shared ? await shared.claim(grant) : 'go'
      if (verdict === 'go') await exchange(ticket, grant, shared)
      else notSent(ticket, grant, verdict)
    } catch (error) {
      // A slip of ours: whoever asked is told, and nobody else suffers.
      running.delete(ticket)
      tickets.delete(ticket.key)
      fail(ticket, error)
    }
    pump()
    patience.moved(ticket.endpoint)
  }

  /** One try; one that fails as none should may have reached the service all the same. */
  async function send(ticket: Ticket, grant: Grant): Promise<Tried<unknown>> {
    try {
      return await requestOf(ticket).send(grant.number, ticket.abort.signal, ticket.retries)
    } catch (error) {
      return { reading: null, error: error as EnvlogError }
    }
  }

  /** @param claimed where it was claimed: a deploy may have opened another one when the answer comes */
  async function exchange(ticket: Ticket, grant: Grant, claimed: Sharing | undefined): Promise<void> {
    ticket.misses = 0
    patience.tellGoing(ticket)
    // While others were asked whether it may go, all who wanted it may have left.
    const tried: Tried<unknown> =
      ticket.waiters.size > 0
        ? await send(ticket, grant)
        : { reading: null, unsent: true, error: new EnvlogError('closed') }
    running.delete(ticket)
    const shared = sharing()
    const bill = places.settle(grant, tried, now(), shared?.here() ?? false)
    for (const one of new Set([claimed, shared])) {
      if (one) inBackground(one.settle(grant, tried, bill, one === claimed))
    }
    spent()
    if (grant.budget) wakeParked(grant)
    if (ticket.waiters.size > 0) decide(ticket, tried, bill.refused)
  }

  /** What was reserved and did not come is there for others of the same device. */
  function wakeParked({ endpoint, budget }: Grant): void {
    for (const ticket of [...parked]) {
      if (ticket.endpoint === endpoint && requestOf(ticket).records?.device === budget?.device) back(ticket)
    }
  }

  /** Others were faster, or the ledger went away. */
  function notSent(ticket: Ticket, grant: Grant, verdict: Exclude<Verdict, 'go'>): void {
    running.delete(ticket)
    places.giveBack(grant, now())
    inBackground(sharing()?.giveBack(grant) ?? Promise.resolve())
    if (ticket.waiters.size === 0) return
    waiting++
    if (verdict !== 'over-share') {
      const { waitMs, short, inFlight } = verdict
      const soon = Math.min(LONGEST_TRY_MS, FIRST_TRY_MS * 2 ** ticket.misses++)
      const until = now() + (inFlight ? Math.min(waitMs, soon) : waitMs)
      if (short === 'device') {
        ticket.othersUntil = until
        park(ticket, until)
        return
      }
      places.holdBack(grant.endpoint, until)
    }
    back(ticket)
    patience.reconsider(ticket)
  }

  function decide(ticket: Ticket, tried: Tried<unknown>, refused: Refused | undefined): void {
    if (!('error' in tried)) {
      tickets.delete(ticket.key)
      succeed(ticket, tried.value)
    } else if (refused && ++ticket.refusals < MOST_REFUSALS) {
      ticket.refusal = { error: tried.error, of: refused }
      ticket.failure = undefined
      waiting++
      back(ticket)
    } else if (!refused && tried.againAfter !== undefined) {
      waiting++
      ticket.failure = tried.error
      ticket.retries++
      ticket.state = 'resting'
      rest(ticket, tried.againAfter)
    } else {
      if (refused) ticket.refusal = { error: tried.error, of: refused }
      tickets.delete(ticket.key)
      fail(ticket, refused ? patience.giveUp(ticket) : tried.error)
    }
  }

  function leave(ticket: Ticket, waiter: Waiter, error: unknown): void {
    waiter.release()
    ticket.waiters.delete(waiter)
    patience.tellGone(ticket, waiter)
    waiter.reject(error)
    if (ticket.waiters.size > 0) {
      const { queueKey } = waiter.context
      if (![...ticket.waiters].some(({ context }) => context.queueKey === queueKey))
        places.leave(ticket, queueKey)
      return
    }
    tickets.delete(ticket.key)
    places.remove(ticket)
    ticket.wake()
    if (ticket.state !== 'running') waiting--
    ticket.state = 'over'
    ticket.abort.abort()
    pump()
  }

  function enqueue({ key, endpoint }: Request<unknown>): Ticket {
    const known = tickets.get(key)
    if (known) return known
    if (waiting >= MOST_QUEUED) throw new EnvlogError('queue-full', { most: MOST_QUEUED })
    const ticket = createTicket(key, endpoint)
    tickets.set(key, ticket)
    waiting++
    return ticket
  }

  return {
    /** What may go has changed from outside. */
    pump(): void {
      pump()
      for (const name of endpointNames) patience.moved(name)
    },
    counts: () => ({ running: running.size, waiting }),

    ask(request: Request<unknown>, context: RequestContext): Promise<unknown> {
      return new Promise((resolve, reject) => {
        if (context.signal.aborted) throw new EnvlogError('closed')
        const ticket = enqueue(request)
        const failed = (error: unknown) => leave(ticket, waiter, error)
        const waiter: Waiter = {
          context: withSafeListener(context, failed),
          request,
          since: now(),
          resolve,
          reject,
          release: () => {},
        }
        ticket.waiters.add(waiter)
        patience.watch(ticket, waiter)
        if (ticket.state === 'waiting') {
          places.put(ticket, context.queueKey)
          pump()
        }
        patience.reconsider(ticket)
        // Those of other nodes may have one more before them.
        patience.moved(ticket.endpoint)
      })
    },
  }
}
