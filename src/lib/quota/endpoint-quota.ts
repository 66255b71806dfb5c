import type { EndpointCounts, RecordCounts } from '../../shared/admin'
import type { DeviceParams, EndpointName } from '../endpoints'
import type { EndpointLimits } from './account-limits'
import type { Denied, Ledger, Need, Usage } from './ledger'
import { findRefusal, type Outcome, useOfRecords, useOfRequests } from './outcome'
import { type Entry, type Use, Window } from './window'

/** The fewest records worth a request, which waits until the device's limit has this many left (docs/quota.md). */
export const MIN_RECORDS = 1000

/** The records that a request wants from a device. It is sent as soon as `minimum` of them are available. */
export interface RecordDemand {
  device: string
  wanted: number
  minimum: number
}

/** The records that a request wants. Raw and CSV output is not split, so it needs all of them. */
export function demandOf(params: Partial<DeviceParams>, isRaw: boolean): RecordDemand | undefined {
  const { number: wanted, 'base-serial': base = '', 'remote-serial': serial = '' } = params
  if (wanted === undefined) return undefined
  return { device: `${base}/${serial}`, wanted, minimum: isRaw ? wanted : Math.min(wanted, MIN_RECORDS) }
}

/** The reserved entry in a window of this process, and what to request from the ledger. */
interface Part {
  window: Window
  entry: Entry
  need: Need
}

/** The reservation for an attempt: a request and, if the request specifies their number, records of its device. */
export type Reservation = readonly [ofRequests: Part, ...ofRecords: Part[]]

/** The estimated start of a request, in monotonic ms, and whether it waits for records of its device. */
export interface StartEstimate {
  at: number
  isForRecords: boolean
}

/** Within this time, every process that can reach a recovered ledger has noticed that it is back. */
const RETURNING_MS = 2500

/**
 * The quota of one endpoint. It limits the requests, by the account's limit and the limit in the last response, and the
 * records of each device. Instants are monotonic ms.
 */
export class EndpointQuota {
  readonly #name: EndpointName
  #limits: EndpointLimits
  readonly #requests: Window
  readonly #devices = new Map<string, Window>()
  /** State of the ledger; `undefined` without one. */
  #sharing: Ledger['state'] | undefined
  /** Until then, other processes may not have reported their usage to a recovered ledger yet. */
  #carefulUntil = Number.NEGATIVE_INFINITY
  /** Set if the ledger has denied a permit: when to ask again, and when a permit is expected. */
  #denial = NO_DENIAL
  /** Whether the service has responded since the start. Before that, requests are sent one at a time. */
  #isKnown = false

  constructor(name: EndpointName, limits: EndpointLimits) {
    this.#name = name
    this.#limits = limits
    this.#requests = new Window(limits.requests, false)
  }

  configure(limits: EndpointLimits): void {
    this.#limits = limits
    this.#denial = NO_DENIAL
    const { requests, records } = limits
    this.#requests.configure(requests)
    if (records) for (const device of this.#devices.values()) device.configure(records)
  }

  /** @param sharing state of the ledger; `undefined` without one */
  setSharing(sharing: Ledger['state'] | undefined, now: number): void {
    if (this.#sharing === 'away' && sharing === 'connected') this.#carefulUntil = now + RETURNING_MS
    this.#sharing = sharing
    this.#denial = NO_DENIAL
    for (const window of [this.#requests, ...this.#devices.values()]) window.isShared = this.#isShared
  }

  /** When the next request can be sent; infinite if that depends on a response or on the ledger. */
  startsAt(now: number): number {
    // A stricter limit may still apply. The next response will show this.
    if (this.#requests.forgetReported(now)) this.#isKnown = false
    if (this.#sharing === 'opening') return Number.POSITIVE_INFINITY
    const isAlone = this.#sharing === 'away' || !this.#isKnown || now < this.#carefulUntil
    if (isAlone && this.#requests.inFlight > 0) return Number.POSITIVE_INFINITY
    return Math.max(this.#denial.retryAt, this.#requests.availableAt(1, now))
  }

  /** When enough records of the device are available; `now` if they are not counted. */
  recordsAt(demand: RecordDemand | undefined, now: number): number {
    const device = this.#deviceOf(demand, now)
    return demand && device ? device.availableAt(this.#leastOf(demand), now) : now
  }

  /**
   * When a request can be sent, assuming that all requests in flight are completed now.
   * @param position 1 for the next request
   */
  estimate(demand: RecordDemand | undefined, position: number, now: number): StartEstimate {
    const at = Math.max(this.#denial.freeAt, this.#requests.availableAt(position, now))
    const recordsAt = this.recordsAt(demand, now)
    return { at: Math.max(at, recordsAt), isForRecords: recordsAt > at }
  }

  /** Reserves a request, and as many of the wanted records as are available. */
  reserve(id: string, demand: RecordDemand | undefined, now: number): Reservation {
    const { requests, records: ofRecords } = this.#limits
    const reserve = (window: Window, need: Need): Part => {
      return { window, need, entry: window.reserve(id, need.wanted, now) }
    }
    const part = reserve(this.#requests, { name: this.#name, wanted: 1, minimum: 1, limits: requests })
    const window = this.#deviceOf(demand, now)
    if (!demand || !window || !ofRecords) return [part]
    const wanted = Math.min(demand.wanted, window.available(now))
    const minimum = Math.min(wanted, this.#leastOf(demand))
    const need = { name: this.#nameOf(demand.device), wanted, minimum, limits: ofRecords }
    return [part, reserve(window, need)]
  }

  /** Call this when the ledger has granted the reservation, possibly with fewer records. */
  grant(reservation: Reservation, granted: number[]): void {
    this.#denial = NO_DENIAL
    for (const [index, { entry, need }] of reservation.entries()) {
      entry.isAsked = false
      entry.amount = granted[index] ?? need.wanted
    }
  }

  /**
   * Call this when the ledger has denied the reservation, because other processes use the requests or the records.
   */
  deny(reservation: Reservation, { need, retryMs, estimateMs }: Denied, now: number): void {
    for (const { window, entry } of reservation) window.settle(entry, UNUSED, now)
    if (need === 0) this.#denial = { retryAt: now + retryMs, freeAt: now + estimateMs }
  }

  /**
   * Turns a reservation into usage.
   * @returns why the service has refused the request, if a limit was the cause, and the usage to report to the ledger
   */
  settle(reservation: Reservation, outcome: Outcome, now: number) {
    const { hasResponse, headers } = outcome
    const [ofRequests, ofRecords] = reservation
    const { requests, records } = this.#limits
    const wanted = ofRecords?.entry.amount ?? 0
    const use = useOfRequests(outcome, requests)
    if (use.reported) this.#requests.report(use.reported, now)
    const others = this.#requests.settle(ofRequests.entry, use, now)
    // What others use is known to the ledger, not to this process.
    const refusal = findRefusal(outcome, wanted, others > 0 && !this.#isShared)
    // After a refusal, a limit that is not known may apply. The next response shows this.
    this.#isKnown = refusal !== 'quota-refused' && (hasResponse || this.#isKnown)
    const end = ({ window, entry }: Part, use: Use, isClosed: boolean) => {
      if (isClosed) window.close(entry, now)
      else if (hasResponse) window.endRefusals(entry)
      return { ...use, hasResponse, isClosed }
    }
    const uses = [end(ofRequests, use, refusal === 'quota-refused')]
    if (ofRecords && records) {
      const use = useOfRecords(outcome, records, wanted)
      ofRecords.window.settle(ofRecords.entry, use, now)
      // If the device has records left, fewer can be requested immediately.
      const isUsedUp = refusal === 'records-refused' && headers?.recordsRemaining === 0
      uses.push(end(ofRecords, use, isUsedUp))
    }
    return { refusal, uses }
  }

  /** The usage that is regularly reported to the ledger. */
  usage(now: number): Usage[] {
    const { requests, records } = this.#limits
    const usage: Usage[] = [{ name: this.#name, limits: requests, entries: this.#requests.own(now) }]
    for (const [device, window] of this.#devices)
      if (records) usage.push({ name: this.#nameOf(device), limits: records, entries: window.own(now) })
    return usage
  }

  /** The figures for the admin API. */
  counts(now: number, toWallMs: number): Omit<EndpointCounts, 'waiting'> {
    const { left: counted, freeAt: countedAt, ...counts } = this.#requests.counts(now)
    const left = this.#denial.freeAt > now ? 0 : counted
    const freeAt = left > 0 ? null : Math.round(Math.max(this.#denial.freeAt, countedAt) + toWallMs)
    return { ...counts, left, freeAt }
  }

  /** Devices that have used some of their records. */
  recordCounts(now: number): RecordCounts[] {
    return [...this.#devices].flatMap(([device, window]) => {
      const { left, limit } = window.counts(now)
      return left < limit ? { endpoint: this.#name, device, limit, left } : []
    })
  }

  /** Whether the ledger counts the usage of other processes. */
  get #isShared(): boolean {
    return this.#sharing === 'connected'
  }

  #deviceOf(demand: RecordDemand | undefined, now: number): Window | undefined {
    const { records } = this.#limits
    if (!demand || !records) return undefined
    const known = this.#devices.get(demand.device)
    if (known) return known
    for (const [device, window] of this.#devices) if (window.isUnused(now)) this.#devices.delete(device)
    const created = new Window(records, true)
    created.isShared = this.#isShared
    this.#devices.set(demand.device, created)
    return created
  }

  /** The minimum number of records for which a request is sent, limited to what can be available at once. */
  #leastOf({ minimum }: RecordDemand): number {
    return Math.min(minimum, ...(this.#limits.records ?? []).map(({ limit }) => limit))
  }

  #nameOf(device: string): string {
    return `${this.#name} ${device}`
  }
}

const UNUSED: Use = { used: 0, reported: null, remaining: -1 }
const NO_DENIAL = { retryAt: Number.NEGATIVE_INFINITY, freeAt: Number.NEGATIVE_INFINITY }
