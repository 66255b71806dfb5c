import type { EndpointCounts, QuotaCounts, RecordCounts } from '../../shared/admin'
import type { Caller, JoinedRequest } from '../api/joined-request'
import { inBackground } from '../background'
import { type Clock, createAlarm, nextTurn } from '../clock'
import type { EndpointName } from '../endpoints'
import { EnvlogError } from '../errors'
import { EDITOR, type QueueKey } from '../request'
import { Endpoint, type LimitScope, type Outcome, type Reservation, type StartEstimate } from './endpoint'
import { type AccountLimits, ENDPOINT_NAMES, limitsWith, mapEndpoints, strictestOf } from './limits'
import { type Denial, type Lease, type RedisPort, SharedQuota, type Usage } from './shared-quota'

/** Requests that may wait for one account. */
export const MAX_QUEUED = 10_000
/** Shorter waits, and smaller changes of an estimate, are not told. */
const MIN_TOLD_MS = 1000
/** How often estimates are looked at again while somebody waits. */
const REVIEW_MS = 1000
/** A person looks at the devices with the fewest records left. */
const MAX_REPORTED_DEVICES = 5

/** What an account node contributes to the quota of its account. */
export interface Participant {
  /** Requests that may run at the same time; the smallest number of all participants applies. */
  concurrency: number
  limits: AccountLimits
  /** The Redis that the quota is shared through; that of the first such participant is used. */
  redis?: RedisPort | undefined
  /** Called at the start and at each change, with a code that says why Redis is not connected. */
  onSharedChange?(isConnected: boolean, code?: string): void
}

/** Allows one attempt of a request. It has to be settled, whatever becomes of the attempt. */
export interface Permit {
  /** How many records the attempt may ask for; `undefined` if the request names no number. */
  records: number | undefined
  /** @returns which limit the service refused the request for, if it did */
  settle(outcome: Outcome): LimitScope | undefined
}

/** A request in the queue. */
interface Waiting {
  request: JoinedRequest
  resolve(permit: Permit): void
}

/**
 * The quota of one account (docs/quota.md): decides when each request is sent, so that the account's limits are never
 * exceeded and requests within them are sent immediately.
 */
export class Quota {
  /** Requests that wait or run, by what they ask for. */
  readonly requests = new Map<string, JoinedRequest>()
  readonly #clock: Clock
  readonly #participants = new Set<Participant>()
  readonly #endpoints: Record<EndpointName, Endpoint>
  /** In the order of their arrival. */
  #queue: Waiting[] = []
  /** When each key was served last, by a count: the one that was served longest ago is next. */
  readonly #turns = new Map<QueueKey, number>()
  #turn = 0
  #running = 0
  #shared: SharedQuota | undefined
  /** What this process has used, for Redis. */
  readonly #usage = new Set<Usage>()
  #isReviewDue = false
  readonly #wakeAt: (at: number) => void
  readonly #reviewAt: (at: number) => void

  constructor(clock: Clock) {
    const limits = limitsWith()
    this.#clock = clock
    this.#endpoints = mapEndpoints((name) => new Endpoint(limits[name]))
    this.#wakeAt = createAlarm(clock, () => this.#dispatch())
    this.#reviewAt = createAlarm(clock, () => this.#review())
  }

  /** Adds a participant; the returned function removes it. */
  join(participant: Participant): () => void {
    this.#participants.add(participant)
    this.#onParticipantsChange()
    return () => {
      this.#participants.delete(participant)
      this.#onParticipantsChange()
    }
  }

  /** True while it has participants. */
  isUsed(): boolean {
    return this.#participants.size > 0
  }

  /**
   * Waits until an attempt of the request may be sent. Callers for whom that takes too long are rejected with
   * `quota-wait`, `records-wait`, or what the last attempt failed with.
   * @throws EnvlogError `queue-full`; `closed` when the request has no callers any more
   */
  acquire(request: JoinedRequest): Promise<Permit> {
    return new Promise((resolve, reject) => {
      if (request.signal.aborted) throw new EnvlogError('closed')
      if (this.#queue.length >= MAX_QUEUED) throw new EnvlogError('queue-full', { most: MAX_QUEUED })
      const giveUp = () => {
        this.#queue = this.#queue.filter((one) => one !== waiting)
        reject(new EnvlogError('closed'))
        this.#dispatch()
      }
      const waiting: Waiting = {
        request,
        resolve: (permit) => {
          request.signal.removeEventListener('abort', giveUp)
          resolve(permit)
        },
      }
      request.signal.addEventListener('abort', giveUp, { once: true })
      this.#queue.push(waiting)
      this.#dispatch()
      this.reviewSoon()
    })
  }

  /** Looks at the waits of all callers, because one has joined or an estimate has changed: once for all of this turn. */
  reviewSoon(): void {
    if (this.#isReviewDue || this.#queue.length === 0) return
    this.#isReviewDue = true
    inBackground(nextTurn().then(() => this.#review()))
  }

  /** When a number of further requests will have been sent, ms since 1970 UTC, as far as can be foreseen. */
  roundEnds(endpoint: EndpointName, requests: number): number {
    const now = this.#clock.monotonic()
    return this.#endpoints[endpoint].estimate(undefined, Math.max(1, requests), now).at + this.#toWallMs()
  }

  /** What an error says about when a refused request can be sent again: ISO 8601. */
  retryAt({ endpoint, records }: JoinedRequest): string {
    const { at } = this.#endpoints[endpoint].estimate(records, 1, this.#clock.monotonic())
    return new Date(at + this.#toWallMs()).toISOString()
  }

  /** What the admin API reports (docs/quota.md, *Where to see it*). */
  counts(): QuotaCounts {
    return {
      running: this.#running,
      waiting: this.#queue.length,
      sharedConnected: this.#shared?.isConnected ?? null,
      endpoints: mapEndpoints((name) => this.#countsOf(name)),
      records: this.#fewestRecords(),
    }
  }

  /** Sends all requests that have permits, and sets the alarm for the next one. */
  #dispatch(): void {
    const concurrency = Math.min(...[...this.#participants].map((one) => one.concurrency))
    while (this.#queue.length > 0 && this.#running < concurrency) {
      const next = this.#findNext(this.#clock.monotonic())
      if (!next) break
      this.#queue.splice(this.#queue.indexOf(next), 1)
      inBackground(this.#grant(next))
    }
    if (this.#queue.length > 0) return
    if (this.#running === 0) this.#turns.clear()
    this.#wakeAt(Number.POSITIVE_INFINITY)
    this.#reviewAt(Number.POSITIVE_INFINITY)
  }

  /** The oldest request of the key that was served longest ago, of those that have a permit; the editor's come first. */
  #findNext(now: number): Waiting | undefined {
    const isAlone = this.#shared !== undefined && !this.#shared.isConnected
    const startsAt = mapEndpoints((name) => this.#endpoints[name].startsAt(now, isAlone))
    let next: Waiting | undefined
    let nextTurn = Number.POSITIVE_INFINITY
    let wakeAt = Number.POSITIVE_INFINITY
    for (const waiting of this.#queue) {
      const { endpoint, records } = waiting.request
      let at = startsAt[endpoint]
      if (at <= now && records) at = this.#endpoints[endpoint].recordsAt(records, now)
      if (at > now) {
        wakeAt = Math.min(wakeAt, at)
        continue
      }
      const turn = this.#turnOf(waiting.request)
      if (turn >= nextTurn) continue
      next = waiting
      nextTurn = turn
    }
    if (!next) this.#wakeAt(wakeAt)
    return next
  }

  /** When the caller whose turn is first was served last. */
  #turnOf({ callers }: JoinedRequest): number {
    let turn = Number.POSITIVE_INFINITY
    for (const { context } of callers) {
      const { queueKey } = context
      turn = Math.min(turn, queueKey === EDITOR ? -1 : (this.#turns.get(queueKey) ?? 0))
    }
    return turn
  }

  /** Reserves what a request needs, here and in the shared quota, and lets it be sent. */
  async #grant(waiting: Waiting): Promise<void> {
    const { request } = waiting
    const endpoint = this.#endpoints[request.endpoint]
    const now = this.#clock.monotonic()
    this.#running++
    this.#turn++
    for (const { context } of request.callers) this.#turns.set(context.queueKey, this.#turn)
    const reservation = endpoint.reserve(request.records, now)
    const needs = endpoint.needs(request.endpoint, request.records, reservation, now)
    const lease = await this.#shared?.reserve(needs)
    if (lease && 'waitMs' in lease) this.#wait(waiting, reservation, lease)
    else {
      if (lease?.isShared) endpoint.applyLease(reservation, lease, this.#clock.monotonic())
      const permit = this.#permitFor(request, reservation, lease)
      if (request.signal.aborted) permit.settle(UNSENT)
      else waiting.resolve(permit)
    }
  }

  /** Others were faster, or Redis was lost: the request waits again, before all others. */
  #wait(waiting: Waiting, reservation: Reservation, { waitMs, need }: Denial): void {
    const now = this.#clock.monotonic()
    this.#running--
    this.#endpoints[waiting.request.endpoint].postpone(reservation, need, now, now + waitMs)
    if (!waiting.request.signal.aborted) this.#queue.unshift(waiting)
    this.#dispatch()
    this.reviewSoon()
  }

  #permitFor(request: JoinedRequest, reservation: Reservation, lease: Lease | undefined): Permit {
    const endpoint = this.#endpoints[request.endpoint]
    request.tellStart()
    return {
      records: reservation.records,
      settle: (outcome) => {
        const now = this.#clock.monotonic()
        this.#running--
        const { refused, uses } = endpoint.settle(reservation, outcome, now, lease?.isShared ?? false)
        lease?.settle(uses)
        this.#dispatch()
        if (refused) this.reviewSoon()
        return refused
      },
    }
  }

  /** Tells all callers how long they will wait, and rejects those for whom it is too long. */
  #review(): void {
    const now = this.#clock.monotonic()
    const positions = mapEndpoints(() => 0)
    this.#isReviewDue = false
    for (const { request } of this.#inOrder()) {
      const { endpoint, records } = request
      const estimate = this.#endpoints[endpoint].estimate(records, positions[endpoint] + 1, now)
      for (const caller of request.callers) {
        if (isTooLong(caller, estimate, now)) request.leave(caller, this.#waitError(request, estimate))
        else this.#tell(request, caller, estimate, now)
      }
      if (!request.signal.aborted) positions[endpoint]++
    }
    if (this.#queue.length > 0) this.#reviewAt(now + REVIEW_MS)
  }

  #tell(request: JoinedRequest, caller: Caller, estimate: StartEstimate, now: number): void {
    const { told } = caller
    if (estimate.at - now < MIN_TOLD_MS) {
      if (told && told.at < now) request.tell(caller, undefined, 0)
      return
    }
    const isSame =
      told?.isForRecords === estimate.isForRecords && Math.abs(told.at - estimate.at) < MIN_TOLD_MS
    if (!isSame) request.tell(caller, estimate, this.#toWallMs())
  }

  /** The queue in the order in which it will be sent if nothing else comes. */
  #inOrder(): Waiting[] {
    const counts = new Map<QueueKey, number>()
    const places = this.#queue.map((waiting) => {
      let round = Number.POSITIVE_INFINITY
      for (const { context } of waiting.request.callers) {
        const count = counts.get(context.queueKey) ?? 0
        counts.set(context.queueKey, count + 1)
        round = Math.min(round, context.queueKey === EDITOR ? -1 : count)
      }
      return { waiting, round, turn: this.#turnOf(waiting.request) }
    })
    places.sort((a, b) => a.round - b.round || a.turn - b.turn)
    return places.map(({ waiting }) => waiting)
  }

  /** Why a request is not waited for: what its last attempt failed with, or else that it takes too long. */
  #waitError({ endpoint, lastError }: JoinedRequest, { at, isForRecords }: StartEstimate): EnvlogError {
    const retryAt = new Date(at + this.#toWallMs()).toISOString()
    if (lastError) return lastError
    return new EnvlogError(isForRecords ? 'records-wait' : 'quota-wait', { retryAt }, { endpoint, retryAt })
  }

  #onParticipantsChange(): void {
    const all = [...this.#participants]
    if (all.length > 0) {
      const limits = strictestOf(all.map((one) => one.limits))
      for (const name of ENDPOINT_NAMES) this.#endpoints[name].configure(limits[name])
    }
    const redis = all.find((one) => one.redis)?.redis
    if (!redis) {
      this.#shared?.close()
      this.#shared = undefined
    } else {
      const usage = this.#usage
      const onChange = () => this.#onSharedChange()
      this.#shared ??= new SharedQuota({ clock: this.#clock, redis, usage, onChange })
      this.#tellShared()
    }
    this.#dispatch()
  }

  /** While Redis is away, what others used is known only from what the service answers. */
  #onSharedChange(): void {
    if (!this.#shared?.isConnected) for (const name of ENDPOINT_NAMES) this.#endpoints[name].forget()
    this.#tellShared()
    this.#dispatch()
  }

  #tellShared(): void {
    const { isConnected = false, code } = this.#shared ?? {}
    for (const { redis, onSharedChange } of this.#participants) if (redis) onSharedChange?.(isConnected, code)
  }

  #countsOf(name: EndpointName): EndpointCounts {
    const { nextAt, ...counts } = this.#endpoints[name].counts(this.#clock.monotonic())
    return {
      ...counts,
      freeAt: counts.left > 0 ? null : Math.round(nextAt + this.#toWallMs()),
      waiting: this.#queue.filter(({ request }) => request.endpoint === name).length,
    }
  }

  /** The devices that have the smallest part of their records left. */
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

const UNSENT: Outcome = { isSent: false, headers: null, records: 0 }

/** Waiting only for a connection, with an estimate of now, is never too long. */
function isTooLong({ context, since }: Caller, { at, isForRecords }: StartEstimate, now: number): boolean {
  const { maxWaitMs, maxRecordsWaitMs = maxWaitMs } = context
  const limit = isForRecords ? maxRecordsWaitMs : maxWaitMs
  return limit !== null && at > Math.max(now, since + limit)
}
