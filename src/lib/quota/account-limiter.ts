import type { EndpointCounts, RecordCounts } from '../../shared/admin'
import type { EndpointName } from '../api/endpoints'
import { type AttemptCost, costOf, learn } from './attempt-cost'
import { countsOf, fewestLeft } from './counts'
import { createDeviceLimiters, type DeviceLimiters } from './device-limiters'
import { createFairQueue, type FairQueue } from './fair-queue'
import type { AttemptResult, Job } from './job'
import { ENDPOINT_NAMES, limitsWith, mapEndpoints, type Rows } from './limits'
import { createProbe, type Probe } from './probe'
import { MEMBER_TIMEOUT_MS, type UsageReplay } from './shared/store'
import { usageOf } from './shared/usage'
import type { QueueKey } from './types'
import {
  createWindowLimiter,
  isPersistedLimiter,
  occupiedMs,
  type PersistedLimiter,
  type WindowLimiter,
} from './window-limiter'

/** When those that still have the ledger leave their share to who lost it; what they sent before has arrived. */
const ALONE_MS = MEMBER_TIMEOUT_MS + 2000

/** What one request took: a place, and so many records of its device. */
export interface Reservation {
  /** Unlike that of any other, in whatever process. */
  id: string
  endpoint: EndpointName
  requests: WindowLimiter
  /** Records it may ask for. */
  number: number | undefined
  budget: { device: string; limiter: WindowLimiter; enough: number; mark: number } | null
  /** By which its answer is read (`WindowLimiter.take`). */
  mark: number
  /** When it was taken, monotonic. */
  since: number
}

/** What outlives the process. */
export interface PersistedQuota {
  version: 2
  endpoints: Partial<Record<EndpointName, PersistedLimiter>>
  devices: Partial<Record<EndpointName, [string, PersistedLimiter][]>>
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
  requests: WindowLimiter
  deviceLimiters: DeviceLimiters | null
  turns: FairQueue<Job>
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
export function createAccountLimiter(share: (window: number) => number, run = '', isShared = () => false) {
  let grants = 0
  const described = limitsWith()
  const places = mapEndpoints(
    (name): Place => ({
      requests: createWindowLimiter(described[name].requests),
      deviceLimiters: described[name].records && createDeviceLimiters(described[name].records),
      turns: createFairQueue<Job>(),
      known: false,
      wentAt: Number.NEGATIVE_INFINITY,
      heldBackUntil: Number.NEGATIVE_INFINITY,
      probe: createProbe(),
    }),
  )
  /** Endpoints take turns for connections. */
  const order = [...ENDPOINT_NAMES]

  /** Our part of a limit. */
  const shareOf = (limiter: WindowLimiter) => share(limiter.row().window)

  /** With how few records a request goes: with what can be had at all, where that is less. */
  const enoughOf = ({ wanted, least }: { wanted: number; least: number }, limiter: WindowLimiter) =>
    Math.min(wanted, least, limiter.most(shareOf(limiter)))

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
  function outlook(name: EndpointName, now: number): (job: Job, ahead: number) => Expected {
    const { requests, deviceLimiters, heldBackUntil, probe } = places[name]
    const forRequests = requests.outlook(now, shareOf(requests))
    const devices = new Map<string, (amount: number) => number>()
    return (job, ahead) => {
      const at = Math.max(forRequests(ahead + 1), heldBackUntil, probe.when(now, ahead + 1))
      const [waiter] = job.waiters
      const records = waiter?.request.records
      if (!records || !deviceLimiters) return { at, records: false }
      const limiter = deviceLimiters.of(records.device, now)
      const ofDevice = devices.get(records.device) ?? limiter.outlook(now, shareOf(limiter))
      devices.set(records.device, ofDevice)
      const then = Math.max(ofDevice(enoughOf(records, limiter)), job.othersUntil ?? now)
      return { at: Math.max(at, then), records: then > at }
    }
  }

  return {
    /** Whose turn it is among those that may go; it is out of its lines then. */
    next(now: number): Job | undefined {
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
    ): Reservation | { parkedUntil: number } {
      const { requests, deviceLimiters, probe } = places[endpoint]
      const id = `${run}:${grants}`
      if (!records || !deviceLimiters) {
        grants++
        probe.send(id)
        places[endpoint].wentAt = now
        const mark = requests.take(id, 1, now)
        return { id, endpoint, requests, number: records?.wanted, budget: null, mark, since: now }
      }
      const { device, wanted } = records
      const limiter = deviceLimiters.of(device, now)
      const enough = enoughOf(records, limiter)
      const left = limiter.left(now, shareOf(limiter))
      if (left < enough) return { parkedUntil: limiter.when(now, enough, shareOf(limiter)) }
      grants++
      probe.send(id)
      places[endpoint].wentAt = now
      const number = Math.min(wanted, left)
      const budget = { device, limiter, enough, mark: limiter.take(id, number, now) }
      return { id, endpoint, requests, number, budget, mark: requests.take(id, 1, now), since: now }
    },

    /** It was not sent: another process was faster. */
    giveBack({ id, endpoint, requests, budget }: Reservation, now: number): void {
      places[endpoint].probe.unsend(id)
      requests.settle(id, 0, now)
      budget?.limiter.settle(id, 0, now)
    },

    /**
     * Enters how a try ended, and tells what it cost.
     * @param shared a ledger of several processes knows better what others spent
     */
    settle(
      reservation: Reservation,
      result: AttemptResult<unknown>,
      now: number,
      shared: boolean,
    ): AttemptCost {
      const cost = costOf(reservation, result)
      const { id, endpoint, requests, budget } = reservation
      const { reading } = result
      requests.settle(id, cost.used.requests, now)
      if (cost.used.requests === 0) places[endpoint].probe.unsend(id)
      if ((reading?.remaining ?? null) !== null) places[endpoint].probe.told(id)
      if (reading) {
        places[endpoint].known = true
        learn(requests, reading, now, shared ? null : reservation.mark)
      }
      if (budget) {
        const told = reading?.recordsRemaining ?? null
        budget.limiter.settle(id, cost.used.records, now)
        if (told !== null && !shared) budget.limiter.remains(told, now, budget.mark)
      }
      if (cost.closed === 'endpoint') requests.refuse(now, cost.isPlain)
      if (cost.closed === 'device') budget?.limiter.refuse(now)
      return cost
    },

    rebase(rows: Rows): void {
      for (const name of ENDPOINT_NAMES) {
        const { requests, records } = rows[name]
        places[name].requests.rebase(requests)
        if (records) places[name].deviceLimiters?.rebase(records)
      }
    },

    put: (job: Job, key: QueueKey) => places[job.endpoint].turns.put(key, job),
    putFirst: (job: Job, key: QueueKey) => places[job.endpoint].turns.putFirst(key, job),
    /** Who came forward last cannot go. */
    keepTurn: (endpoint: EndpointName) => places[endpoint].turns.keepTurn(),
    leave: (job: Job, key: QueueKey) => places[job.endpoint].turns.leave(key, job),
    remove: (job: Job) => places[job.endpoint].turns.remove(job),
    when,

    /** Nothing of an endpoint goes before: another process has what is free. */
    holdBack(endpoint: EndpointName, until: number): void {
      places[endpoint].heldBackUntil = until
    },

    outlook,
    expected(job: Job, now: number): Expected {
      const { turns } = places[job.endpoint]
      return outlook(job.endpoint, now)(job, turns.has(job) ? turns.ahead(job) : 0)
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
        probe.begin(from, now + occupiedMs(requests.row().window))
    },

    /**
     * It is back, or is another one. It knows what its members spent; what others did, the next answer tells.
     * @param missed when one that has told nothing was heard of last: what that spent may still count
     */
    findLedger(missed: number): void {
      for (const place of Object.values(places)) {
        place.probe.begin(Number.NEGATIVE_INFINITY, missed + occupiedMs(place.requests.row().window))
        place.known = false
      }
    },

    /** Whether what was taken before the ledger was lost, or found, may go now. */
    fits({ id, endpoint, requests, budget }: Reservation, now: number): boolean {
      const { probe } = places[endpoint]
      const limits = budget ? [requests, budget.limiter] : [requests]
      if (!probe.fits(id, now) || !limits.every((limit) => limit.fits(now, shareOf(limit)))) return false
      probe.send(id)
      return true
    },

    /** All that this process uses, by limit. */
    usage: (now: number): UsageReplay[] =>
      ENDPOINT_NAMES.flatMap((name) => {
        const { requests, deviceLimiters } = places[name]
        const devices = deviceLimiters?.entries() ?? []
        const ofDevices = devices.flatMap(([device, one]) => usageOf(`${name} ${device}`, one, now))
        return [...usageOf(name, requests, now), ...ofDevices]
      }),

    /** When to look again, if nothing happens before. */
    nextChange(now: number): number {
      let next = Number.POSITIVE_INFINITY
      for (const name of ENDPOINT_NAMES) {
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
        ENDPOINT_NAMES.flatMap((endpoint) =>
          (places[endpoint].deviceLimiters?.entries() ?? []).map(([device, limiter]) => ({
            ...{ endpoint, device, limit: limiter.row().limit },
            left: limiter.left(now, shareOf(limiter)),
          })),
        ),
      ),

    counts: (now: number, toWall: number): Record<EndpointName, EndpointCounts> =>
      mapEndpoints((name) => {
        const { requests, turns, heldBackUntil, probe } = places[name]
        const most =
          now < heldBackUntil ? 0 : Math.min(requests.left(now, shareOf(requests)), probe.most(now))
        return countsOf(requests, { most, freeAt: when(name, 1, now), waiting: turns.size() }, now, toWall)
      }),

    save(now: number, toWall: number): PersistedQuota {
      const saved: PersistedQuota = { version: 2, endpoints: {}, devices: {} }
      for (const name of ENDPOINT_NAMES) {
        const { requests, deviceLimiters } = places[name]
        const state = requests.save(now, toWall)
        if (state) saved.endpoints[name] = state
        const devices = deviceLimiters?.save(now, toWall)
        if (devices && devices.length > 0) saved.devices[name] = devices
      }
      return saved
    },

    /** What of it cannot be understood is passed over. */
    load(saved: Partial<PersistedQuota>, now: number, toWall: number): void {
      for (const name of ENDPOINT_NAMES) {
        const { requests, deviceLimiters } = places[name]
        const state = saved.endpoints?.[name]
        if (isPersistedLimiter(state)) requests.load(state, now, toWall)
        deviceLimiters?.load(saved.devices?.[name], now, toWall)
      }
    },
  }
}

export type AccountLimiter = ReturnType<typeof createAccountLimiter>
