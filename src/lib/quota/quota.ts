import { randomUUID } from 'node:crypto'
import type { QuotaCounts } from '../../shared/admin'
import { inBackground } from '../background'
import type { Clock } from '../clock'
import { ENDPOINT_NAMES, type EndpointName, mapEndpoints } from '../endpoints'
import { EnvlogError } from '../errors'
import { type AccountLimits, allOf, limitsWith } from './account-limits'
import { EndpointQuota } from './endpoint-quota'
import type { JoinedRequest } from './joined-request'
import type { Ledger, OpenLedger } from './ledger'
import type { LimitReason, Outcome } from './outcome'
import { Turns } from './turns'

/** Maximum number of waiting requests per account. */
export const MAX_QUEUED = 10_000
/** Interval at which waiting times are recalculated. */
const REVIEW_MS = 1000
/** Number of devices in the report: those with the smallest share of records left. A form shows them. */
const MAX_REPORTED_DEVICES = 5

/** An account node that uses the quota. */
export interface Participant {
  /** Maximum number of concurrent requests; the smallest value of all participants applies. */
  concurrency: number
  limits: AccountLimits
  /** Opens the ledger through which the quota is shared. If several participants have one, the first is used. */
  openLedger?: OpenLedger | undefined
  /** Called after joining and after each change of its connection; `code` is the reason if there is none. */
  onSharedChange?(isConnected: boolean, code?: string): void
}

/** A refusal because of a limit, and when the request can be sent again (ISO 8601). */
export interface QuotaRefusal {
  reason: LimitReason
  retryAt: string
}

/** Permission for one attempt to send a request. It must be settled after every outcome. */
export interface Permit {
  /** Maximum number of records that the attempt may request; `undefined` if they are not counted. */
  records: number | undefined
  /** @returns the refusal because of a limit, if it was one */
  settle(outcome: Outcome): QuotaRefusal | undefined
}

/**
 * Whether a request is for records of a period, whose response may take long. There is one at a time, so that the last
 * free connection is for new data.
 */
const isPage = ({ endpoint }: JoinedRequest) => endpoint === 'data' || endpoint === 'data-relay'

/** A request in the queue. */
interface Waiting {
  request: JoinedRequest
  /** Whether the reply of the ledger to its reservation is awaited. */
  isAsked: boolean
  /** Set if the ledger has denied records of the device: when to ask again, and when records are expected. */
  denial?: { retryAt: number; freeAt: number }
  resolve(permit: Permit): void
}

/**
 * The quota of one account (docs/quota.md): decides when each request is sent, so that the account's limits are never
 * exceeded and requests within the limits are sent immediately.
 */
export class Quota {
  readonly #clock: Clock
  readonly #participants = new Set<Participant>()
  readonly #endpoints: Record<EndpointName, EndpointQuota>
  /** In order of arrival. */
  readonly #queue = new Set<Waiting>()
  readonly #turns = new Turns()
  /** The requests with a permit. */
  readonly #running = new Set<JoinedRequest>()
  /** Identifies this process in the ledger. */
  readonly #process = randomUUID()
  #ledger: { open: OpenLedger; opened: Ledger } | undefined
  #isScheduled = false
  #cancelWake = () => {}

  constructor(clock: Clock) {
    const limits = limitsWith()
    this.#clock = clock
    this.#endpoints = mapEndpoints((name) => new EndpointQuota(name, limits[name]))
  }

  /** Adds a participant. @returns a function that removes it */
  join(participant: Participant): () => void {
    this.#participants.add(participant)
    this.#onParticipantsChange()
    return () => {
      this.#participants.delete(participant)
      this.#onParticipantsChange()
    }
  }

  /** Whether any account node uses this quota. */
  isUsed(): boolean {
    return this.#participants.size > 0
  }

  /**
   * Waits until an attempt of the request may be sent. Callers whose wait would exceed their limit are rejected with
   * `quota-wait`, `records-wait` or, for a retry, the error of the last attempt.
   * @throws EnvlogError `queue-full`; `closed` if all callers have left
   */
  acquire(request: JoinedRequest): Promise<Permit> {
    const { signal } = request
    return new Promise((resolve, reject) => {
      if (signal.aborted) throw new EnvlogError('closed')
      // The maximum does not apply to a retry, because the request was already admitted.
      const isFull = this.#queue.size >= MAX_QUEUED && !request.lastError
      if (isFull) throw new EnvlogError('queue-full', { most: MAX_QUEUED })
      const giveUp = () => {
        this.#queue.delete(waiting)
        this.proceedSoon()
        reject(new EnvlogError('closed'))
      }
      const waiting: Waiting = {
        request,
        isAsked: false,
        resolve(permit) {
          signal.removeEventListener('abort', giveUp)
          resolve(permit)
        },
      }
      signal.addEventListener('abort', giveUp)
      this.#queue.add(waiting)
      this.proceedSoon()
    })
  }

  /** Schedules a single run of `#proceed` for all changes in the current task. */
  proceedSoon(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    queueMicrotask(() => this.#proceed())
  }

  /** Estimates when the given number of further requests will have been sent, in ms since 1970 UTC. */
  estimateRoundEnd(endpoint: EndpointName, requests: number): number {
    const now = this.#clock.monotonic()
    return this.#endpoints[endpoint].estimate(undefined, requests, now).at + this.#toWallMs()
  }

  /** The figures for the admin API (docs/quota.md, *Monitoring*). */
  counts(): QuotaCounts {
    const now = this.#clock.monotonic()
    const waiting = [...this.#queue].map(({ request }) => request.endpoint)
    const records = ENDPOINT_NAMES.flatMap((name) => this.#endpoints[name].recordCounts(now))
    return {
      running: this.#running.size,
      waiting: waiting.length,
      sharedConnected: this.#ledger ? this.#ledger.opened.state === 'connected' : null,
      endpoints: mapEndpoints((name) => ({
        ...this.#endpoints[name].counts(now, this.#toWallMs()),
        waiting: waiting.filter((endpoint) => endpoint === name).length,
      })),
      records: records.sort((a, b) => a.left / a.limit - b.left / b.limit).slice(0, MAX_REPORTED_DEVICES),
    }
  }

  /** Sends all requests that have permits, tells the others how long they wait, and sets the alarm for the next one. */
  #proceed(): void {
    this.#isScheduled = false
    const now = this.#clock.monotonic()
    const concurrency = Math.min(...[...this.#participants].map((participant) => participant.concurrency))
    while (this.#running.size < concurrency) {
      const sendable = this.#starts(now).filter(({ at }) => at <= now)
      const [next] = this.#turns.sort(sendable.map(({ waiting }) => waiting))
      if (!next) break
      inBackground(this.#grant(next, now))
    }
    this.#cancelWake()
    if (this.#queue.size === 0 && this.#running.size === 0) this.#turns.clear()
    if (this.#queue.size === 0) return
    this.#review(now)
    const later = this.#starts(now).flatMap(({ at }) => (at > now ? at : []))
    const wakeAt = Math.min(now + REVIEW_MS, ...later)
    this.#cancelWake = this.#clock.after(Math.ceil(wakeAt - now), () => this.#proceed())
  }

  /** When each request in the queue can be sent. */
  #starts(now: number): { waiting: Waiting; at: number }[] {
    const ofEndpoints = new Map<EndpointName, number>()
    const isPageRunning = [...this.#running].some(isPage)
    return [...this.#queue].map((waiting) => {
      const { request, isAsked, denial } = waiting
      const { endpoint, records } = request
      const startsAt = ofEndpoints.get(endpoint) ?? this.#endpoints[endpoint].startsAt(now)
      ofEndpoints.set(endpoint, startsAt)
      const at = isAsked || (isPageRunning && isPage(request)) ? Number.POSITIVE_INFINITY : startsAt
      if (at > now || !records) return { waiting, at }
      const recordsAt = this.#endpoints[endpoint].recordsAt(records, now)
      return { waiting, at: Math.max(recordsAt, denial?.retryAt ?? now) }
    })
  }

  /** Reserves the request and the records that it needs, here and in the ledger, and then releases it for sending. */
  async #grant(waiting: Waiting, now: number): Promise<void> {
    const { request } = waiting
    const endpoint = this.#endpoints[request.endpoint]
    const opened = this.#ledger?.opened
    const ledger = opened?.state === 'connected' ? opened : undefined
    this.#running.add(request)
    const id = `${this.#process}:${this.#turns.take(request)}`
    const reservation = endpoint.reserve(id, request.records, now)
    const [{ entry }] = reservation
    const needs = reservation.map(({ need }) => need)
    waiting.isAsked = true
    const reply = ledger && (await ledger.reserve(id, needs))
    waiting.isAsked = false
    const settle = (outcome: Outcome) => {
      const now = this.#clock.monotonic()
      this.#running.delete(request)
      const { refusal, uses } = endpoint.settle(reservation, outcome, now)
      // It may have reconnected, or have been replaced, in the meantime. Settle with the one that is connected.
      const connected = [this.#ledger?.opened, ledger].find((one) => one?.state === 'connected')
      if (connected) inBackground(connected.settle(id, needs, uses, now - entry.sentAt))
      this.proceedSoon()
      if (!refusal) return undefined
      const { at } = endpoint.estimate(request.records, 1, now)
      return { reason: refusal, retryAt: new Date(at + this.#toWallMs()).toISOString() }
    }
    if (reply && 'need' in reply) {
      // Other processes use the quota that the request needs.
      const now = this.#clock.monotonic()
      this.#running.delete(request)
      endpoint.deny(reservation, reply, now)
      if (reply.need === 1) waiting.denial = { retryAt: now + reply.retryMs, freeAt: now + reply.estimateMs }
      this.proceedSoon()
    } else if (ledger && !reply) {
      // Its connection was lost. The request stays in the queue, and is then sent without it.
      settle(UNSENT)
    } else {
      if (reply) endpoint.grant(reservation, reply)
      this.#queue.delete(waiting)
      if (request.signal.aborted) {
        settle(UNSENT)
        return
      }
      request.reportStart()
      waiting.resolve({ records: reservation[1]?.entry.amount, settle })
    }
  }

  /** Reports the estimated waiting time to all callers. */
  #review(now: number): void {
    const positions = mapEndpoints(() => 0)
    const toWallMs = this.#toWallMs()
    for (const { request, denial } of this.#turns.sort([...this.#queue].filter(({ isAsked }) => !isAsked))) {
      const { endpoint, records } = request
      let estimate = this.#endpoints[endpoint].estimate(records, positions[endpoint] + 1, now)
      if (denial && denial.freeAt > estimate.at) estimate = { at: denial.freeAt, isForRecords: true }
      request.reportWait(estimate, now, toWallMs)
      // Others do not wait for a request that waits for records.
      if (!request.signal.aborted && !estimate.isForRecords) positions[endpoint]++
    }
  }

  #onParticipantsChange(): void {
    const all = [...this.#participants]
    if (all.length > 0) {
      const limits = allOf(all.map(({ limits }) => limits))
      for (const name of ENDPOINT_NAMES) this.#endpoints[name].configure(limits[name])
    }
    const open = all.find(({ openLedger }) => openLedger)?.openLedger
    if (this.#ledger?.open !== open) {
      this.#ledger?.opened.close()
      this.#ledger = open && { open, opened: this.#open(open) }
    }
    this.#onSharedChange()
  }

  #open(open: OpenLedger): Ledger {
    const usage = () => ENDPOINT_NAMES.flatMap((name) => this.#endpoints[name].usage(this.#clock.monotonic()))
    return open({ id: this.#process, usage, onChange: () => this.#onSharedChange() })
  }

  #onSharedChange(): void {
    const { state, code } = this.#ledger?.opened ?? {}
    for (const name of ENDPOINT_NAMES) this.#endpoints[name].setSharing(state, this.#clock.monotonic())
    // Callbacks run separately, because one that throws here would stop the processing of all requests.
    for (const { openLedger, onSharedChange } of this.#participants)
      if (openLedger)
        inBackground(Promise.resolve().then(() => onSharedChange?.(state === 'connected', code)))
    this.proceedSoon()
  }

  #toWallMs(): number {
    return this.#clock.now() - this.#clock.monotonic()
  }
}

const UNSENT: Outcome = { isSent: false, hasResponse: false, headers: null, records: 0 }
