import type { EndpointName } from '../api/endpoints'
import type { Clock } from '../clock'
import { EnvlogError } from '../errors'
import type { Expected, Places } from './places'
import { byEndpoint } from './rows'
import type { Ticket, Waiter } from './ticket'

/** Waits shorter than this, and changes of less, are not worth telling. */
const TOLD_FROM_MS = 1000
/** How soon one looks at estimates that may have moved, and whether a request that may go still cannot. */
const LOOK_AGAIN_MS = 1000
/** Many whose waits end one after another are looked at together. */
const LEAST_LOOK_MS = 100

interface Desk {
  clock: Clock
  places: Places
  /** Whose devices have no records left: they are in no line. */
  parked: ReadonlySet<Ticket>
  /** Takes a waiter out, with the reason why. */
  leave(ticket: Ticket, waiter: Waiter, error: EnvlogError): void
}

interface Watch {
  /** Those who listen, or do not wait for ever. */
  attentive: number
  /** `Places.surprises` when it was looked at last. */
  surprises: number
  /** The next look. */
  at: number
  cancel(): void
}

/**
 * How long those who ask are ready to wait, and what they are told meanwhile. All of an endpoint are looked at
 * together, or thousands who wait would each count those before them: at once where places were taken away
 * that nobody could know of, else within a second.
 */
export function createPatience({ clock, places, parked, leave }: Desk) {
  const now = () => clock.monotonic()
  const toWall = () => clock.now() - clock.monotonic()
  const isQueued = ({ state }: Ticket) => state === 'waiting' || state === 'parked'
  const watches = byEndpoint((): Watch => {
    return { attentive: 0, surprises: 0, at: Number.POSITIVE_INFINITY, cancel: () => {} }
  })

  /** Why it is not waited for any longer: what the service said, or else that it would take too long. */
  function givenUp(ticket: Ticket, { at, records }: Expected): EnvlogError {
    const { endpoint, refusal } = ticket
    const retryAt = new Date(at + toWall()).toISOString()
    if (refusal) {
      const { error, of } = refusal
      const reason = of === 'device' ? 'records-refused' : error.reason
      return new EnvlogError(reason, { ...error.params, retryAt }, { ...error.cause, retryAt })
    }
    const reason = records ? 'records-wait' : 'quota-wait'
    return new EnvlogError(reason, { retryAt }, { endpoint, retryAt })
  }

  function isTooLong({ asker, since }: Waiter, { at, records }: Expected): boolean {
    const most = records ? (asker.recordsWait ?? asker.wait) : asker.wait
    return most !== null && at > Math.max(now(), since + most)
  }

  /** Those who cannot wait so long give up, the others are told what has changed. */
  function consider(ticket: Ticket, expected: Expected): void {
    for (const waiter of [...ticket.waiters]) {
      if (isTooLong(waiter, expected)) leave(ticket, waiter, givenUp(ticket, expected))
    }
    if (!isQueued(ticket)) return
    for (const waiter of ticket.waiters) {
      tell(ticket.endpoint, waiter, expected)
      lookBy(ticket.endpoint, nextLook(waiter))
    }
  }

  function tell(endpoint: EndpointName, waiter: Waiter, { at, records }: Expected): void {
    const { asker, told } = waiter
    if (!asker.waiting) return
    const isLong = at - now() >= TOLD_FROM_MS
    if (isLong && (told?.records !== records || Math.abs(told.at - at) >= TOLD_FROM_MS)) {
      waiter.told = { at, records }
      asker.waiting({ endpoint, until: at + toWall(), records })
    } else if (!isLong && told && told.at < now()) {
      waiter.told = undefined
      asker.waiting({ endpoint, until: null, records: false })
    }
  }

  /** When a waiter is to be looked at again, if nothing happens before. */
  function nextLook({ asker: { wait, recordsWait }, since, told }: Waiter): number {
    const ends = [wait, recordsWait ?? null].map((most) => (most === null ? Infinity : since + most))
    const ending = ends.map((end) => (end > now() ? end : now() + LOOK_AGAIN_MS))
    return Math.min(...ending, told ? Math.max(told.at, now()) + LOOK_AGAIN_MS : Infinity)
  }

  function lookBy(endpoint: EndpointName, at: number): void {
    const watch = watches[endpoint]
    if (at >= watch.at) return
    watch.cancel()
    watch.at = at
    watch.cancel = clock.after(Math.max(LEAST_LOOK_MS, Math.ceil(at - now())), () => look(endpoint))
  }

  /** Looks at all who wait for an endpoint. */
  function look(endpoint: EndpointName): void {
    const watch = watches[endpoint]
    stopLooking(watch)
    watch.surprises = places.surprises(endpoint)
    if (watch.attentive === 0) return
    const expect = places.outlook(endpoint, now())
    let ahead = 0
    for (const ticket of places.inOrder(endpoint)) {
      // Who gave up before it may have let it go.
      if (ticket.state !== 'waiting') continue
      consider(ticket, expect(ticket, ahead))
      if (isQueued(ticket)) ahead++
    }
    for (const ticket of parked) if (ticket.endpoint === endpoint) consider(ticket, expect(ticket, 0))
  }

  return {
    giveUp: (ticket: Ticket) => givenUp(ticket, places.expected(ticket, now())),

    /** The wait of one ticket has begun, or changed. */
    reconsider(ticket: Ticket): void {
      if (isQueued(ticket) && [...ticket.waiters].some(isAttentive)) {
        consider(ticket, places.expected(ticket, now()))
      }
    },

    /** What waits for an endpoint may have to wait longer, or less long. */
    moved(endpoint: EndpointName): void {
      const { attentive, surprises } = watches[endpoint]
      if (attentive === 0) return
      if (places.surprises(endpoint) !== surprises) look(endpoint)
      else lookBy(endpoint, now() + LOOK_AGAIN_MS)
    },

    /** It goes now. */
    tellGoing({ endpoint, waiters }: Ticket): void {
      for (const waiter of waiters) {
        waiter.told = undefined
        waiter.asker.waiting?.({ endpoint, until: null, records: false })
      }
    },

    /** Listens to a waiter's signal, and to its endpoint where it is not content with waiting in silence. */
    watch(ticket: Ticket, waiter: Waiter): void {
      const { signal } = waiter.asker
      const stop = () => leave(ticket, waiter, new EnvlogError('closed'))
      const watch = watches[ticket.endpoint]
      const counts = isAttentive(waiter) ? 1 : 0
      watch.attentive += counts
      signal.addEventListener('abort', stop, { once: true })
      waiter.release = () => {
        signal.removeEventListener('abort', stop)
        watch.attentive -= counts
        if (watch.attentive === 0) stopLooking(watch)
      }
    },
  }
}

function stopLooking(watch: Watch): void {
  watch.cancel()
  watch.at = Number.POSITIVE_INFINITY
}

function isAttentive({ asker: { waiting, wait, recordsWait } }: Waiter): boolean {
  return waiting !== undefined || wait !== null || recordsWait !== undefined
}
