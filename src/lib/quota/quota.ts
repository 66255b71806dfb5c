import { randomUUID } from 'node:crypto'
import type { EndpointCounts, QuotaCounts, RecordCounts } from '../../shared/admin'
import type { Caller, JoinedRequest } from '../api/joined-request'
import { inBackground } from '../background'
import { type Clock, createAlarm } from '../clock'
import type { EndpointName } from '../endpoints'
import { EnvlogError } from '../errors'
import { EDITOR, type QueueKey } from '../request'
import { Endpoint, type LimitScope, type Outcome, type Reservation, type StartEstimate } from './endpoint'
import { type AccountLimits, ENDPOINT_NAMES, limitsWith, mapEndpoints, strictestOf } from './limits'
import { type Denied, type RedisPort, SharedQuota } from './shared-quota'

/** Maximum number of waiting requests per account. */
export const MAX_QUEUED = 10_000
/** Shorter waits and smaller changes of an estimate are not reported. */
const MIN_REPORTED_MS = 1000
/** Interval at which waiting times are recalculated. */
const REVIEW_MS = 1000
/**
 * Maximum number of devices in the report, which contains those with the smallest share of records left. It is small
 * because the report is shown in a form.
 */
const MAX_REPORTED_DEVICES = 5

/** An account node that uses the quota. */
export interface Participant {
  /** Maximum number of concurrent requests; the smallest value of all participants applies. */
  concurrency: number
  limits: AccountLimits
  /** The Redis through which the quota is shared. If several participants have one, the first is used. */
  redis?: RedisPort | undefined
  /** Called after joining and after each change of the connection; `code` is the reason if Redis is not connected. */
  onSharedChange?(isConnected: boolean, code?: string): void
}

/** Permission for one attempt to send a request. It must be settled after every outcome. */
export interface Permit {
  /** Maximum number of records that the attempt may request; `undefined` if the request does not specify a number. */
  records: number | undefined
  /** @returns the limit that caused a refusal, if any */
  settle(outcome: Outcome): LimitScope | undefined
}

/** A request in the queue. */
interface Waiting {
  request: JoinedRequest
  arrival: number
  /**
   * Set if Redis has denied records of the device: when to ask again, and when records are expected to be available.
   */
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
  readonly #endpoints: Record<EndpointName, Endpoint>
  /** In order of arrival. */
  #queue = new Set<Waiting>()
  /** The turn in which a request of each key was last sent. The key with the lowest turn is next. */
  readonly #turns = new Map<QueueKey, number>()
  #turn = 0
  #arrivals = 0
  #running = 0
  /** Identifies this process in Redis. */
  readonly #process = randomUUID()
  #shared: SharedQuota | undefined
  #isScheduled = false
  readonly #wakeAt: (at: number) => void

  constructor(clock: Clock) {
    const limits = limitsWith()
    this.#clock = clock
    this.#endpoints = mapEndpoints((name) => new Endpoint(name, limits[name]))
    this.#wakeAt = createAlarm(clock, () => this.#proceed())
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
    return new Promise((resolve, reject) => {
      if (request.signal.aborted) throw new EnvlogError('closed')
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
        arrival: this.#arrivals++,
        resolve: (permit) => {
          request.signal.removeEventListener('abort', giveUp)
          resolve(permit)
        },
      }
      request.signal.addEventListener('abort', giveUp, { once: true })
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
    return this.#endpoints[endpoint].estimate(undefined, Math.max(1, requests), now).at + this.#toWallMs()
  }

  /** The time at which a refused request can be sent again, as ISO 8601 text for its error. */
  retryAt({ endpoint, records }: JoinedRequest): string {
    const { at } = this.#endpoints[endpoint].estimate(records, 1, this.#clock.monotonic())
    return new Date(at + this.#toWallMs()).toISOString()
  }

  /** The figures for the admin API (docs/quota.md, *Monitoring*). */
  counts(): QuotaCounts {
    return {
      running: this.#running,
      waiting: this.#queue.size,
      sharedConnected: this.#shared ? this.#shared.state === 'connected' : null,
      endpoints: mapEndpoints((name) => this.#countsOf(name)),
      records: this.#fewestRecords(),
    }
  }

  /**
   * Sends all requests that have permits, reports the waiting time to the others, and sets the alarm for the next one.
   */
  #proceed(): void {
    this.#isScheduled = false
    const now = this.#clock.monotonic()
    const concurrency = Math.min(...[...this.#participants].map((participant) => participant.concurrency))
    while (this.#running < concurrency) {
      const sendable = this.#starts(now).filter(({ at }) => at <= now)
      const [next] = this.#inOrder(sendable.map(({ waiting }) => waiting))
      if (!next) break
      inBackground(this.#grant(next, now))
    }
    this.#review(now)
    if (this.#queue.size === 0 && this.#running === 0) this.#turns.clear()
    const later = this.#starts(now).filter(({ at }) => at > now)
    const firstAt = later.reduce((first, { at }) => Math.min(first, at), Number.POSITIVE_INFINITY)
    this.#wakeAt(this.#queue.size > 0 ? Math.min(firstAt, now + REVIEW_MS) : firstAt)
  }

  /** When each request in the queue can be sent. */
  #starts(now: number): { waiting: Waiting; at: number }[] {
    const ofEndpoints = mapEndpoints((name) => this.#endpoints[name].startsAt(now))
    return [...this.#queue].map((waiting) => {
      const { request, denial } = waiting
      const { endpoint, records } = request
      const at = ofEndpoints[endpoint]
      if (at > now || !records) return { waiting, at }
      const recordsAt = this.#endpoints[endpoint].recordsAt(records, now)
      return { waiting, at: Math.max(recordsAt, denial?.retryAt ?? now) }
    })
  }

  /**
   * Sorts requests by the order in which they will be sent if no others arrive. Requests of the editor come first.
   * After that, keys take turns.
   */
  #inOrder(requests: Waiting[]): Waiting[] {
    const counts = new Map<QueueKey, number>()
    const places = requests.map((waiting) => {
      let round = Number.POSITIVE_INFINITY
      let turn = Number.POSITIVE_INFINITY
      for (const { context } of waiting.request.callers) {
        const { queueKey } = context
        const count = counts.get(queueKey) ?? 0
        counts.set(queueKey, count + 1)
        round = Math.min(round, queueKey === EDITOR ? -1 : count)
        turn = Math.min(turn, this.#turns.get(queueKey) ?? 0)
      }
      return { waiting, round, turn }
    })
    places.sort((a, b) => a.round - b.round || a.turn - b.turn)
    return places.map(({ waiting }) => waiting)
  }

  /** Reserves the request and the records that it needs, locally and in Redis, and then releases it for sending. */
  async #grant(waiting: Waiting, now: number): Promise<void> {
    const { request } = waiting
    const endpoint = this.#endpoints[request.endpoint]
    const shared = this.#shared?.state === 'connected' ? this.#shared : undefined
    this.#queue.delete(waiting)
    this.#running++
    this.#turn++
    for (const { context } of request.callers) this.#turns.set(context.queueKey, this.#turn)
    const reservation = endpoint.reserve(`${this.#process}:${this.#turn}`, request.records, now)
    const needs = endpoint.needs(reservation)
    const reply = shared && (await shared.reserve(reservation.id, needs))
    const settle = (outcome: Outcome): LimitScope | undefined => {
      const now = this.#clock.monotonic()
      const { id, request: entry } = reservation
      this.#running--
      const { refused, uses } = endpoint.settle(reservation, outcome, now)
      // Redis may have reconnected, or have been replaced, in the meantime. Settle with the one that is connected.
      const connected = [this.#shared, shared].find((quota) => quota?.state === 'connected')
      if (connected) inBackground(connected.settle(id, needs, uses, now - entry.sentAt))
      this.proceedSoon()
      return refused
    }
    if (reply && 'need' in reply) this.#deny(waiting, reservation, reply)
    else if (shared && !reply) {
      // The connection to Redis was lost. The request goes back to the queue, and is then sent without Redis.
      settle(UNSENT)
      this.#putBack(waiting)
    } else {
      if (reply) endpoint.grant(reservation, reply)
      request.reportStart()
      if (request.signal.aborted) settle(UNSENT)
      else waiting.resolve({ records: reservation.records, settle })
    }
  }

  /** Puts a request back into the queue, because other processes use what it needs. */
  #deny(waiting: Waiting, reservation: Reservation, denied: Denied): void {
    const now = this.#clock.monotonic()
    this.#running--
    this.#endpoints[waiting.request.endpoint].deny(reservation, denied, now)
    if (denied.need === 1) waiting.denial = { retryAt: now + denied.retryMs, freeAt: now + denied.estimateMs }
    this.#putBack(waiting)
    this.proceedSoon()
  }

  #putBack(waiting: Waiting): void {
    if (waiting.request.signal.aborted) return
    this.#queue = new Set([waiting, ...this.#queue].sort((a, b) => a.arrival - b.arrival))
  }

  /** Reports the estimated waiting time to all callers, and rejects those who would wait too long. */
  #review(now: number): void {
    const positions = mapEndpoints(() => 0)
    for (const { request, denial } of this.#inOrder([...this.#queue])) {
      const { endpoint, records } = request
      let estimate = this.#endpoints[endpoint].estimate(records, positions[endpoint] + 1, now)
      if (denial && denial.freeAt > estimate.at) estimate = { at: denial.freeAt, isForRecords: true }
      for (const caller of request.callers) {
        if (isTooLong(caller, estimate, now)) request.leave(caller, this.#waitError(request, estimate))
        else this.#report(request, caller, estimate, now)
      }
      if (!request.signal.aborted) positions[endpoint]++
    }
  }

  #report(request: JoinedRequest, caller: Caller, estimate: StartEstimate, now: number): void {
    const { lastEstimate } = caller
    if (estimate.at - now < MIN_REPORTED_MS) {
      if (lastEstimate && lastEstimate.at < now) request.report(caller, undefined, 0)
      return
    }
    const isSame =
      lastEstimate?.isForRecords === estimate.isForRecords &&
      Math.abs(lastEstimate.at - estimate.at) < MIN_REPORTED_MS
    if (!isSame) request.report(caller, estimate, this.#toWallMs())
  }

  /**
   * The error for a caller who does not wait any longer: that of the last attempt or, if there was none, `quota-wait`
   * or `records-wait`.
   */
  #waitError({ endpoint, lastError }: JoinedRequest, { at, isForRecords }: StartEstimate): EnvlogError {
    const retryAt = new Date(at + this.#toWallMs()).toISOString()
    if (lastError) return lastError
    return new EnvlogError(isForRecords ? 'records-wait' : 'quota-wait', { retryAt }, { endpoint, retryAt })
  }

  #onParticipantsChange(): void {
    const all = [...this.#participants]
    if (all.length > 0) {
      const limits = strictestOf(all.map(({ limits }) => limits))
      for (const name of ENDPOINT_NAMES) this.#endpoints[name].configure(limits[name])
    }
    const redis = all.find(({ redis }) => redis)?.redis
    if (this.#shared?.redis !== redis) {
      this.#shared?.close()
      this.#shared = redis && this.#share(redis)
    }
    this.#onSharedChange()
  }

  #share(redis: RedisPort): SharedQuota {
    const usage = () => ENDPOINT_NAMES.flatMap((name) => this.#endpoints[name].usage())
    const ports = { clock: this.#clock, redis, process: this.#process, usage }
    return new SharedQuota({ ...ports, onChange: () => this.#onSharedChange() })
  }

  #onSharedChange(): void {
    const { state = 'none', code } = this.#shared ?? {}
    for (const name of ENDPOINT_NAMES) this.#endpoints[name].setSharing(state, this.#clock.monotonic())
    // Callbacks run separately, because one that throws here would stop the processing of all requests.
    for (const { redis, onSharedChange } of this.#participants)
      if (redis) inBackground(Promise.resolve().then(() => onSharedChange?.(state === 'connected', code)))
    this.proceedSoon()
  }

  #countsOf(name: EndpointName): EndpointCounts {
    const { nextAt, ...counts } = this.#endpoints[name].counts(this.#clock.monotonic())
    return {
      ...counts,
      freeAt: counts.left > 0 ? null : Math.round(nextAt + this.#toWallMs()),
      waiting: [...this.#queue].filter(({ request }) => request.endpoint === name).length,
    }
  }

  /** The devices with the smallest share of their records left. */
  #fewestRecords(): RecordCounts[] {
    const now = this.#clock.monotonic()
    const all = ENDPOINT_NAMES.flatMap((endpoint) =>
      this.#endpoints[endpoint].recordsLeft(now).map((device) => ({ endpoint, ...device })),
    )
    const used = all.filter(({ left, limit }) => left < limit)
    return used.sort((a, b) => a.left / a.limit - b.left / b.limit).slice(0, MAX_REPORTED_DEVICES)
  }

  #toWallMs(): number {
    return this.#clock.now() - this.#clock.monotonic()
  }
}

const UNSENT: Outcome = { isSent: false, hasResponse: false, headers: null, records: 0 }

/**
 * Whether a caller would wait too long. If the estimate is not in the future, the request waits only for a free
 * connection, which does not count toward the limit.
 */
function isTooLong({ context, since }: Caller, { at, isForRecords }: StartEstimate, now: number): boolean {
  const { maxWaitMs, maxRecordsWaitMs = maxWaitMs } = context
  const limit = isForRecords ? maxRecordsWaitMs : maxWaitMs
  return limit !== null && at > Math.max(now, since + limit)
}
