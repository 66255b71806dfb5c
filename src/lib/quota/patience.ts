import type { Clock } from '../clock'
import { EnvlogError } from '../errors'
import type { Ticket, Waiter } from './ticket'

/** Waits shorter than this are not worth telling. */
const TOLD_FROM_MS = 1000
/** How often one looks whether a request that may go lacks a connection alone. */
const LOOK_AGAIN_MS = 1000

interface Desk {
  clock: Clock
  /** When a ticket is expected to go, monotonic, now where only a connection is missing; and what it waits for. */
  expected(ticket: Ticket): { at: number; records: boolean }
  /** Takes a waiter out, with the reason why. */
  leave(ticket: Ticket, waiter: Waiter, error: EnvlogError): void
}

/** How long those who ask are ready to wait, and what they are told meanwhile. */
export function createPatience({ clock, expected, leave }: Desk) {
  const now = () => clock.monotonic()
  const toWall = () => clock.now() - clock.monotonic()
  const isQueued = ({ state }: Ticket) => state === 'waiting' || state === 'parked'

  /** Why it is not waited for any longer: what the service said, or else that it would take too long. */
  function givenUp(ticket: Ticket): EnvlogError {
    const { endpoint, refusal } = ticket
    const { at, records } = expected(ticket)
    const retryAt = new Date(at + toWall()).toISOString()
    if (refusal) {
      const { error, of } = refusal
      const reason = of === 'device' ? 'records-refused' : error.reason
      return new EnvlogError(reason, { ...error.params, retryAt }, { ...error.cause, retryAt })
    }
    const reason = records ? 'records-wait' : 'quota-wait'
    return new EnvlogError(reason, { retryAt }, { endpoint, retryAt })
  }

  /** True where it was given up. */
  function giveUpWhereTooLong(ticket: Ticket, waiter: Waiter): boolean {
    const { wait, recordsWait } = waiter.asker
    if ((wait === null && recordsWait === undefined) || !isQueued(ticket)) return false
    const { at, records } = expected(ticket)
    const most = records ? (recordsWait ?? wait) : wait
    if (most === null || at <= Math.max(now(), waiter.since + most)) return false
    leave(ticket, waiter, givenUp(ticket))
    return true
  }

  return {
    givenUp,

    /** The wait of a ticket has changed: some cannot wait so long, the others are told. */
    reconsider(ticket: Ticket): void {
      for (const waiter of [...ticket.waiters]) giveUpWhereTooLong(ticket, waiter)
      const listening = [...ticket.waiters].filter(({ asker }) => asker.waiting)
      if (!isQueued(ticket) || listening.length === 0) return
      const { at, records } = expected(ticket)
      if (at - now() < TOLD_FROM_MS) return
      const wait = { endpoint: ticket.endpoint, until: at + toWall(), records }
      for (const { asker } of listening) asker.waiting?.(wait)
    },

    /** It goes now. */
    tellGoing({ endpoint, waiters }: Ticket): void {
      for (const { asker } of waiters) asker.waiting?.({ endpoint, until: null, records: false })
    },

    /** Listens to a waiter's signal, and to the clock where it does not wait for ever. */
    watch(ticket: Ticket, waiter: Waiter): void {
      const { signal, wait } = waiter.asker
      const stop = () => leave(ticket, waiter, new EnvlogError('closed'))
      let cancel = () => {}
      const look = (ms: number) => {
        cancel = clock.after(ms, () => {
          if (!giveUpWhereTooLong(ticket, waiter)) look(LOOK_AGAIN_MS)
        })
      }
      if (wait !== null) look(wait)
      signal.addEventListener('abort', stop, { once: true })
      waiter.release = () => {
        signal.removeEventListener('abort', stop)
        cancel()
      }
    },
  }
}
