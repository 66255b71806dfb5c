import { randomUUID } from 'node:crypto'
import type { EndpointCounts } from '../../shared/admin'
import type { EndpointName } from '../endpoints'
import type { QuotaHeaders } from './headers'
import { type EndpointLimits, heldMs, type RateLimit } from './limits'
import type { Denied, Need, Usage, Use } from './shared-quota'
import { type Entry, Window, type WindowLimit } from './window'

/** Records that a request wants of a device, and with how few it is sent rather than wait for more. */
export interface RecordDemand {
  device: string
  wanted: number
  minimum: number
}

/** What one attempt has reserved: one request and, where they are counted, records of its device. */
export interface Reservation {
  id: string
  /** How many records the attempt may ask for; `undefined` if the request names no number. */
  records: number | undefined
  request: Entry
  ofDevice: { window: Window; entry: Entry; name: string; minimum: number } | undefined
}

/** How an attempt ended, as far as the quota needs to know. */
export interface Outcome {
  /** False if not a byte of the request can have reached the service: nothing is used. */
  isSent: boolean
  /** True if the service itself has answered: not a gateway, and no response that broke off. */
  isAnswered: boolean
  /** Of the response; `null` if there was none, or only the page of a gateway. */
  headers: QuotaHeaders | null
  /** Status of an error response. */
  errorStatus?: number | undefined
  /** Records received; `null` if that is not known. */
  records: number | null
}

/** Which limit the service refused a request for: that of the endpoint's requests, or that of a device's records. */
export type LimitScope = 'endpoint' | 'device'

/** When a request can be sent, in monotonic ms, and whether it waits for records of its device. */
export interface StartEstimate {
  at: number
  isForRecords: boolean
}

/** Whether a quota is shared through Redis, and whether that can be asked. */
export type Sharing = 'none' | 'opening' | 'connected' | 'away'

/** Statuses that say nothing about the quota, whatever their headers report. */
const NOT_ABOUT_QUOTA = new Set([401, 403])

/**
 * The quota of one endpoint: its requests, with the account's limit and the one that the last response reported, and the
 * records of each device. Instants are monotonic ms.
 */
export class Endpoint {
  readonly #name: EndpointName
  #limits: EndpointLimits
  readonly #requests: Window
  #reported: WindowLimit | undefined
  readonly #devices = new Map<string, Window>()
  #sharing: Sharing = 'none'
  /** The service has answered since the start: until then, requests are sent one at a time. */
  #isKnown = false

  constructor(name: EndpointName, limits: EndpointLimits) {
    this.#name = name
    this.#limits = limits
    this.#requests = new Window(ownLimit(limits.requests, false))
  }

  configure(limits: EndpointLimits): void {
    this.#limits = limits
    this.#setLimits()
    const { records } = limits
    if (records) for (const device of this.#devices.values()) device.setLimits(ownLimit(records, true))
  }

  setSharing(sharing: Sharing): void {
    this.#sharing = sharing
  }

  /** When the next request can be sent; infinite if only a response, or Redis, can allow it. */
  startsAt(now: number): number {
    if (this.#reported && now >= this.#reported.until) {
      // A stricter limit may still be in force: the next response says it.
      if (isStricter(this.#reported, this.#limits.requests)) this.#isKnown = false
      this.#reported = undefined
      this.#setLimits()
    }
    if (this.#sharing === 'opening') return Number.POSITIVE_INFINITY
    const isAlone = this.#sharing === 'away' || !this.#isKnown
    if (isAlone && this.#requests.inFlight > 0) return Number.POSITIVE_INFINITY
    return this.#requests.startsAt(1, now, this.#withOthers)
  }

  /** When there are enough records of the device; now where they are not counted. */
  recordsAt(demand: RecordDemand | undefined, now: number): number {
    const device = this.#deviceOf(demand, now)
    return demand && device ? device.startsAt(this.#leastOf(demand), now, this.#withOthers) : now
  }

  /**
   * When a request can be sent if all that are in flight are answered now.
   * @param position 1 if it is the next one
   */
  estimate(demand: RecordDemand | undefined, position: number, now: number): StartEstimate {
    const at = this.#requests.estimate(position, now, this.#withOthers)
    const device = this.#deviceOf(demand, now)
    const recordsAt = demand && device ? device.estimate(this.#leastOf(demand), now, this.#withOthers) : now
    return { at: Math.max(at, recordsAt), isForRecords: recordsAt > at }
  }

  /** Reserves a request, and as many of the wanted records as there are. */
  reserve(demand: RecordDemand | undefined, now: number): Reservation {
    const id = randomUUID()
    const request = this.#requests.reserve(id, 1, now)
    const window = this.#deviceOf(demand, now)
    if (!demand || !window) return { id, request, records: demand?.wanted, ofDevice: undefined }
    const records = Math.min(demand.wanted, window.available(now, this.#withOthers))
    const entry = window.reserve(id, records, now)
    const minimum = Math.min(records, this.#leastOf(demand))
    return { id, request, records, ofDevice: { window, entry, name: this.#nameOf(demand.device), minimum } }
  }

  /** What a shared quota is asked for. */
  needs({ records = 0, ofDevice }: Reservation): Need[] {
    const needOf = (name: string, wanted: number, minimum: number, { limit, windowSeconds }: RateLimit) => ({
      ...{ name, wanted, minimum, limit, heldMs: heldMs(windowSeconds) },
    })
    const request = { ...needOf(this.#name, 1, 1, this.#limits.requests), countsOthers: false }
    if (!ofDevice || !this.#limits.records) return [request]
    const device = needOf(ofDevice.name, records, ofDevice.minimum, this.#limits.records)
    return [request, { ...device, countsOthers: true }]
  }

  /** A shared quota has granted the reservation: maybe fewer records. */
  grant(reservation: Reservation, [, records]: number[]): void {
    const { ofDevice } = reservation
    if (records === undefined || !ofDevice) return
    ofDevice.entry.amount = records
    reservation.records = records
  }

  /** A shared quota has not granted it: others have the requests, or the records. */
  deny({ request, ofDevice }: Reservation, { need, retryMs, estimateMs }: Denied, now: number): void {
    const denial = { retryAt: now + retryMs, freeAt: now + estimateMs }
    this.#requests.deny(request, need === 0 ? denial : undefined)
    ofDevice?.window.deny(ofDevice.entry, need === 1 ? denial : undefined)
  }

  /**
   * Turns a reservation into usage.
   * @returns which limit the service refused the request for, if it did, and what a shared quota is told
   */
  settle(
    { request, records = 0, ofDevice }: Reservation,
    outcome: Outcome,
    now: number,
  ): { refused: LimitScope | undefined; uses: Use[] } {
    const { headers, isSent, isAnswered } = outcome
    const { requests: own, records: ownRecords } = this.#limits
    const isShared = this.#sharing !== 'none'
    const device = ofDevice && ownRecords ? { ...ofDevice, limit: ownRecords } : undefined
    const used = device ? recordsUsed(records, device.limit.limit, outcome) : 0
    this.#requests.settle(request, isSent ? 1 : 0, now, isShared)
    ofDevice?.window.settle(ofDevice.entry, used, now, isShared)
    if (isAnswered) this.#isKnown = true

    const { remaining = null, recordsRemaining = null } = headers ?? {}
    const reported = reportedLimit(headers, own)
    if (reported) {
      // It holds until the next response, and never longer than the account's own window.
      this.#reported = { ...reported, countsOthers: true, until: now + heldMs(own.windowSeconds) }
      this.#setLimits()
      if (remaining !== null) this.#requests.noticeOthers(reported, remaining, request.sentAt, now)
    }
    if (device && recordsRemaining !== null)
      device.window.noticeOthers(device.limit, recordsRemaining, request.sentAt, now)

    const refused = findRefusal(outcome, device !== undefined)
    // Of a device that has records left, fewer are asked for immediately.
    const canAskForFewer = recordsRemaining !== null && recordsRemaining > 0 && recordsRemaining < records
    const closesDevice = refused === 'device' && !canAskForFewer
    if (refused === 'endpoint') this.#requests.close(now)
    if (closesDevice) device?.window.close(now)

    const useOf = (
      used: number,
      limit: RateLimit | undefined,
      remaining: number | null,
      isClosed: boolean,
    ) => ({
      ...{ used, remaining: remaining ?? -1, isClosed },
      ...(limit && { limit: limit.limit, heldMs: heldMs(limit.windowSeconds) }),
    })
    const uses = [useOf(isSent ? 1 : 0, reported, remaining, refused === 'endpoint')]
    if (device) uses.push(useOf(used, device.limit, recordsRemaining, closesDevice))
    return { refused, uses }
  }

  /** What a shared quota is told again and again. */
  usage(): Usage[] {
    const usageOf = (name: string, window: Window, { windowSeconds }: RateLimit) => ({
      ...{ name, heldMs: heldMs(windowSeconds), entries: window.own() },
    })
    const { requests, records } = this.#limits
    const ofDevices = [...this.#devices].map(([device, window]) =>
      usageOf(this.#nameOf(device), window, records ?? requests),
    )
    return [usageOf(this.#name, this.#requests, requests), ...ofDevices]
  }

  /** What the admin API reports, with the instant of the next permit in monotonic ms. */
  counts(now: number): Omit<EndpointCounts, 'freeAt' | 'waiting'> & { nextAt: number } {
    const limits = this.#requests.limitsAt(now)
    const leftOf = (limit: WindowLimit) => limit.limit - this.#requests.used(limit, now, true)
    const [first] = limits.toSorted((a, b) => leftOf(a) - leftOf(b))
    const { limit, windowSeconds } = first as WindowLimit
    const used = (withOthers: boolean) => this.#requests.used(limits.at(-1) as WindowLimit, now, withOthers)
    const left = this.#requests.available(now, true)
    const own = this.#requests.used(ownLimit(this.#limits.requests, false), now, false)
    const nextAt = this.#requests.estimate(1, now, true)
    return { limit, windowSeconds, own, foreign: used(true) - used(false), left, nextAt }
  }

  /** The devices whose records were requested lately, and what is left of them. */
  recordsLeft(now: number): { device: string; limit: number; left: number }[] {
    const limit = this.#limits.records?.limit ?? 0
    return [...this.#devices].map(([device, window]) => ({
      ...{ device, limit, left: window.available(now, true) },
    }))
  }

  /** While Redis is connected, it counts what others use. */
  get #withOthers(): boolean {
    return this.#sharing !== 'connected'
  }

  #setLimits(): void {
    this.#requests.setLimits(
      ownLimit(this.#limits.requests, false),
      ...(this.#reported ? [this.#reported] : []),
    )
  }

  #deviceOf(demand: RecordDemand | undefined, now: number): Window | undefined {
    const { records } = this.#limits
    if (!demand || !records) return undefined
    const known = this.#devices.get(demand.device)
    if (known) return known
    for (const [device, window] of this.#devices) if (window.isUnused(now)) this.#devices.delete(device)
    const created = new Window(ownLimit(records, true))
    this.#devices.set(demand.device, created)
    return created
  }

  /** With how few records a request is sent: with all that can be available at once, if that is less. */
  #leastOf({ wanted, minimum }: RecordDemand): number {
    return Math.min(wanted, minimum, this.#limits.records?.limit ?? wanted)
  }

  #nameOf(device: string): string {
    return `${this.#name} ${device}`
  }
}

const ownLimit = (rate: RateLimit, countsOthers: boolean): WindowLimit => {
  return { ...rate, countsOthers, until: Number.POSITIVE_INFINITY }
}

/** True if it allows less, at once or over time. */
const isStricter = (one: RateLimit, other: RateLimit) =>
  one.limit < other.limit || one.limit / one.windowSeconds < other.limit / other.windowSeconds

/** The limit that headers report; without one, what remains is that of the account's. */
function reportedLimit(headers: QuotaHeaders | null, own: RateLimit): RateLimit | undefined {
  const { limit = null, windowSeconds = null, remaining = null } = headers ?? {}
  if (limit !== null && limit >= 1 && windowSeconds !== null) return { limit, windowSeconds }
  return remaining === null ? undefined : own
}

/** Records received; if the response broke off the header decides, and without one the reservation stays. */
function recordsUsed(reserved: number, limit: number, { isSent, headers, records }: Outcome): number {
  if (!isSent) return 0
  const remaining = headers?.recordsRemaining ?? null
  const byHeader = remaining === null ? reserved : limit - remaining
  return Math.min(reserved, Math.max(0, records ?? byHeader))
}

/** Which limit a response refused the request for, if it did (docs/quota.md). */
function findRefusal({ headers, errorStatus = 0 }: Outcome, hasRecords: boolean): LimitScope | undefined {
  const { remaining = null, recordsRemaining = null } = headers ?? {}
  if (errorStatus === 429)
    return hasRecords && ((remaining ?? 0) > 0 || recordsRemaining === 0) ? 'device' : 'endpoint'
  const isOtherRefusal = errorStatus >= 400 && errorStatus < 500 && !NOT_ABOUT_QUOTA.has(errorStatus)
  return isOtherRefusal && remaining === 0 ? 'endpoint' : undefined
}
