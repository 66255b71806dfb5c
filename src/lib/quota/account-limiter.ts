import type { EndpointCounts, RecordCounts } from '../../shared/admin'
import type { EndpointName } from '../api/endpoints'
import { type Bill, billOf, learn } from './attempt-cost'
import { countsOf, fewestLeft } from './counts'
import { type Budgets, createBudgets } from './device-limiters'
import { createTurns, type Turns } from './fair-queue'
import type { Ticket, Tried } from './job'
import { byEndpoint, endpointNames, type Rows, rowsWith } from './limits'
import { createProbe, type Probe } from './probe'
import { SILENT_MS, type Usage } from './shared/store'
import { usageOf } from './shared/usage'
import type { QueueKey } from './types'
import {
  type Allowance,
  createAllowance,
  heldMs,
  isSavedAllowance,
  type SavedAllowance,
} from './window-limiter'

/** When those that still have the ledger leave their share to who lost it; what they sent before has arrived. */
const ALONE_MS = SILENT_MS + 2000

/** What one request took: a place, and so many records of its device. */
export interface Grant {
  /** Unlike that of any other, in whatever process. */
  id: string
  endpoint: EndpointName
  requests: Allowance
  /** Records it may ask for. */
  number: number | undefined
  budget: { device: string; allowance: Allowance; enough: number; mark: number } | null
  /** By which its answer is read (`Allowance.take`). */
  mark: number
  /** When it was taken, monotonic. */
  since: number
}

/** What outlives the process. */
export interface SavedPlaces {
  version: 2
  endpoints: Partial<Record<EndpointName, SavedAllowance>>
  devices: Partial<Record<EndpointName, [string, SavedAllowance][]>>
}

/** When a ticket goes, monotonic, and whether its device's records are what it waits for. */
export interface Expected {
  at: number
  records: boolean
}

/**
 * Until an answer told where the account stands, a request holds back the next one for so long. Where the account is
 * shared it does until it is answered: one too many is all that may be lost with the ledger.
 */
const HOLDS_BACK_MS = 5000

interface Place {
  requests: Allowance
  budgets: Budgets | null
  turns: Turns<Ticket>
  /** False until an answer told where the account stands: till then one request at a time (`HOLDS_BACK_MS`). */
  known: boolean
  /** When a request went last. */
  wentAt: number
  /** Another process has what is free: not before this. */
  heldBackUntil: number
  probe: Probe
}

/**
 * The places of one account: each endpoint's requests, its devices' records, and who waits for them.
 * @param run names what this process spends
 * @param isShared true where several processes share the account
 */
export function createPlaces(share: (window: number) => number, run = '', isShared = () => false) {
  let grants = 0
  const described = rowsWith()
  const places = byEndpoint(
    (name): Place => ({
      requests: createAllowance(described[name].requests),
      budgets: described[name].records && createBudgets(described[name].records),
      turns: createTurns<Ticket>(),
      known: false,
      wentAt: Number.NEGATIVE_INFINITY,
      heldBackUntil: Number.NEGATIVE_INFINITY,
      probe: createProbe(),
    }),
  )
  /** Endpoints take turns for connections. */
  const order = [...endpointNames]

  /** Our part of a limit. */
  const shareOf = (allowance: Allowance) => share(allowance.row().window)

  /** With how few records a request goes: with what can be had at all, where that is less. */
  const enoughOf = ({ wanted, least }: { wanted: number; least: number }, allowance: Allowance) =>
    Math.min(wanted, least, allowance.most(shareOf(allowance)))

  /** One that hangs is none that others wait for. */
  function aloneUntil({ known, requests, wentAt }: Place): number {
    if (known || requests.inFlight() === 0) return Number.NEGATIVE_INFINITY
    return isShared() ? Number.POSITIVE_INFINITY : wentAt + HOLDS_BACK_MS
  }

  function free(name: EndpointName, now: number): number {
    const { requests, heldBackUntil, probe, known } = places[name]
    if (now < heldBackUntil || now < aloneUntil(places[name])) return 0
    const left = Math.min(requests.left(now, shareOf(requests)), probe.most(now))
    return known ? left : Math.min(left, 1)
  }

  function when(name: EndpointName, amount: number, now: number): number {
    const { requests, heldBackUntil, probe } = places[name]
    return Math.max(requests.when(now, amount, shareOf(requests)), heldBackUntil, probe.when(now, amount))
  }

  /**
   * When a ticket is expected to go that so many go before, now where only a connection is missing; and whether
   * its device's records are what it waits for. For many tickets.
   */
  function outlook(name: EndpointName, now: number): (ticket: Ticket, ahead: number) => Expected {
    const { requests, budgets, heldBackUntil, probe } = places[name]
    const forRequests = requests.outlook(now, shareOf(requests))
    const devices = new Map<string, (amount: number) => number>()
    return (ticket, ahead) => {
      const at = Math.max(forRequests(ahead + 1), heldBackUntil, probe.when(now, ahead + 1))
      const [waiter] = ticket.waiters
      const records = waiter?.request.records
      if (!records || !budgets) return { at, records: false }
      const allowance = budgets.of(records.device, now)
      const ofDevice = devices.get(records.device) ?? allowance.outlook(now, shareOf(allowance))
      devices.set(records.device, ofDevice)
      const then = Math.max(ofDevice(enoughOf(records, allowance)), ticket.othersUntil ?? now)
      return { at: Math.max(at, then), records: then > at }
    }
  }

  return {
    /** Whose turn it is among those that may go; it is out of its lines then. */
    next(now: number): Ticket | undefined {
      const ready = order.filter((name) => places[name].turns.size() > 0 && free(name, now) > 0)
      const name = ready.find((one) => places[one].turns.hasEditor()) ?? ready[0]
      if (name === undefined) return undefined
      order.splice(order.indexOf(name), 1)
      order.push(name)
      return places[name].turns.next()
    },

    /** Takes a place and the records; or tells when the device has records again. */
    take(
      endpoint: EndpointName,
      records: { device: string; wanted: number; least: number } | undefined,
      now: number,
    ): Grant | { parkedUntil: number } {
      const { requests, budgets, probe } = places[endpoint]
      const id = `${run}:${grants}`
      if (!records || !budgets) {
        grants++
        probe.send(id)
        places[endpoint].wentAt = now
        const mark = requests.take(id, 1, now)
        return { id, endpoint, requests, number: records?.wanted, budget: null, mark, since: now }
      }
      const { device, wanted } = records
      const allowance = budgets.of(device, now)
      const enough = enoughOf(records, allowance)
      const left = allowance.left(now, shareOf(allowance))
      if (left < enough) return { parkedUntil: allowance.when(now, enough, shareOf(allowance)) }
      grants++
      probe.send(id)
      places[endpoint].wentAt = now
      const number = Math.min(wanted, left)
      const budget = { device, allowance, enough, mark: allowance.take(id, number, now) }
      return { id, endpoint, requests, number, budget, mark: requests.take(id, 1, now), since: now }
    },

    /** It was not sent: another process was faster. */
    giveBack({ id, endpoint, requests, budget }: Grant, now: number): void {
      places[endpoint].probe.unsend(id)
      requests.settle(id, 0, now)
      budget?.allowance.settle(id, 0, now)
    },

    /**
     * Enters how a try ended, and tells what it cost.
     * @param shared a ledger of several processes knows better what others spent
     */
    settle(grant: Grant, tried: Tried<unknown>, now: number, shared: boolean): Bill {
      const bill = billOf(grant, tried)
      const { id, endpoint, requests, budget } = grant
      const { reading } = tried
      requests.settle(id, bill.used.requests, now)
      if (bill.used.requests === 0) places[endpoint].probe.unsend(id)
      if ((reading?.remaining ?? null) !== null) places[endpoint].probe.told(id)
      if (reading) {
        places[endpoint].known = true
        learn(requests, reading, now, shared ? null : grant.mark)
      }
      if (budget) {
        const told = reading?.recordsRemaining ?? null
        budget.allowance.settle(id, bill.used.records, now)
        if (told !== null && !shared) budget.allowance.remains(told, now, budget.mark)
      }
      if (bill.closed === 'endpoint') requests.refuse(now, bill.isPlain)
      if (bill.closed === 'device') budget?.allowance.refuse(now)
      return bill
    },

    rebase(rows: Rows): void {
      for (const name of endpointNames) {
        const { requests, records } = rows[name]
        places[name].requests.rebase(requests)
        if (records) places[name].budgets?.rebase(records)
      }
    },

    put: (ticket: Ticket, key: QueueKey) => places[ticket.endpoint].turns.put(key, ticket),
    putFirst: (ticket: Ticket, key: QueueKey) => places[ticket.endpoint].turns.putFirst(key, ticket),
    /** Who came forward last cannot go. */
    keepTurn: (endpoint: EndpointName) => places[endpoint].turns.keepTurn(),
    leave: (ticket: Ticket, key: QueueKey) => places[ticket.endpoint].turns.leave(key, ticket),
    remove: (ticket: Ticket) => places[ticket.endpoint].turns.remove(ticket),
    when,

    /** Nothing of an endpoint goes before: another process has what is free. */
    holdBack(endpoint: EndpointName, until: number): void {
      places[endpoint].heldBackUntil = until
    },

    outlook,
    expected(ticket: Ticket, now: number): Expected {
      const { turns } = places[ticket.endpoint]
      return outlook(ticket.endpoint, now)(ticket, turns.has(ticket) ? turns.ahead(ticket) : 0)
    },
    inOrder: (endpoint: EndpointName) => places[endpoint].turns.inOrder(),
    /** How often something took away what could be expected till then. */
    surprises: (endpoint: EndpointName) => places[endpoint].requests.surprises(),

    /**
     * The shared ledger was lost: what others spend can only be seen by the headers.
     * @param isMember others know of us, and will leave our share to us
     */
    loseLedger(now: number, isMember: boolean): void {
      const from = isMember ? now + ALONE_MS : now
      for (const { probe, requests } of Object.values(places))
        probe.begin(from, now + heldMs(requests.row().window))
    },

    /**
     * It is back, or is another one. It knows what its members spent; what others did, the next answer tells.
     * @param missed when one that has told nothing was heard of last: what that spent may still count
     */
    findLedger(missed: number): void {
      for (const place of Object.values(places)) {
        place.probe.begin(Number.NEGATIVE_INFINITY, missed + heldMs(place.requests.row().window))
        place.known = false
      }
    },

    /** Whether what was taken before the ledger was lost, or found, may go now. */
    fits({ id, endpoint, requests, budget }: Grant, now: number): boolean {
      const { probe } = places[endpoint]
      const limits = budget ? [requests, budget.allowance] : [requests]
      if (!probe.fits(id, now) || !limits.every((limit) => limit.fits(now, shareOf(limit)))) return false
      probe.send(id)
      return true
    },

    /** All that this process uses, by limit. */
    usage: (now: number): Usage[] =>
      endpointNames.flatMap((name) => {
        const { requests, budgets } = places[name]
        const devices = budgets?.entries() ?? []
        const ofDevices = devices.flatMap(([device, one]) => usageOf(`${name} ${device}`, one, now))
        return [...usageOf(name, requests, now), ...ofDevices]
      }),

    /** When to look again, if nothing happens before. */
    nextChange(now: number): number {
      let next = Number.POSITIVE_INFINITY
      for (const name of endpointNames) {
        if (places[name].turns.size() > 0 && free(name, now) <= 0) {
          const at = Math.max(when(name, 1, now), aloneUntil(places[name]))
          // A place that only an answer makes free: the answer will tell.
          if (at > now) next = Math.min(next, at)
        }
      }
      return next
    },

    /** Devices that have the least of their records left, of those whose records were asked for lately. */
    records: (now: number): RecordCounts[] =>
      fewestLeft(
        endpointNames.flatMap((endpoint) =>
          (places[endpoint].budgets?.entries() ?? []).map(([device, allowance]) => ({
            ...{ endpoint, device, limit: allowance.row().limit },
            left: allowance.left(now, shareOf(allowance)),
          })),
        ),
      ),

    counts: (now: number, toWall: number): Record<EndpointName, EndpointCounts> =>
      byEndpoint((name) => {
        const { requests, turns, heldBackUntil, probe } = places[name]
        const most =
          now < heldBackUntil ? 0 : Math.min(requests.left(now, shareOf(requests)), probe.most(now))
        return countsOf(requests, { most, freeAt: when(name, 1, now), waiting: turns.size() }, now, toWall)
      }),

    save(now: number, toWall: number): SavedPlaces {
      const saved: SavedPlaces = { version: 2, endpoints: {}, devices: {} }
      for (const name of endpointNames) {
        const { requests, budgets } = places[name]
        const state = requests.save(now, toWall)
        if (state) saved.endpoints[name] = state
        const devices = budgets?.save(now, toWall)
        if (devices && devices.length > 0) saved.devices[name] = devices
      }
      return saved
    },

    /** What of it cannot be understood is passed over. */
    load(saved: Partial<SavedPlaces>, now: number, toWall: number): void {
      for (const name of endpointNames) {
        const { requests, budgets } = places[name]
        const state = saved.endpoints?.[name]
        if (isSavedAllowance(state)) requests.load(state, now, toWall)
        budgets?.load(saved.devices?.[name], now, toWall)
      }
    },
  }
}

export type Places = ReturnType<typeof createPlaces>
