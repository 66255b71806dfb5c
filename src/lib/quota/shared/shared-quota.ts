import type { QuotaHeaders } from '../../api/quota-headers'
import { occupiedMs } from '../limits'
import type { AttemptCost, LimitScope, Reservation } from '../types'
import { createStaleError, createStoreClient, MAX_STALE_RETRIES, type StoreClientPorts } from './client'
import { commitRequestsOf, reserveRequestsOf } from './messages'
import type { CommitRequest, ReserveResult } from './store'

/** Requests in a row that are denied must not become a storm. */
const MIN_WAIT_MS = 20

const NO_COST: AttemptCost = {
  used: { requests: 0, records: 0 },
  refusedBy: undefined,
  closes: undefined,
  is429: false,
}

export type Admission =
  | 'admitted'
  /** Other members have what is free: when to ask again, and whether it is only reserved, for requests in flight. */
  | { waitMs: number; scope: LimitScope; isInFlight: boolean }
  /** The store was lost meanwhile, and more than this process's share is in use. */
  | 'over-share'

/**
 * The quota that several processes share (docs/quota.md, *Several Node-REDs on one account*). While it is connected the
 * store admits each request; without it, each process keeps to its share of every limit.
 */
export function createSharedQuota(ports: StoreClientPorts) {
  const { store, clock, limiter, membership } = ports
  const client = createStoreClient(ports)
  const { outbox } = membership
  const now = () => clock.monotonic()
  /** Reserved here and not committed yet: left behind, a reservation would occupy its permits for minutes. */
  let open = 0

  const canSend = (reservation: Reservation) =>
    limiter.endpoints[reservation.endpoint].canSend(reservation, now())

  async function requestAdmission(reservation: Reservation): Promise<Admission> {
    for (let tries = 0; tries < MAX_STALE_RETRIES; tries++) {
      try {
        const instanceId = await client.ready()
        if (instanceId === undefined) break
        // The store may have been lost and found since the permits were reserved here.
        if (!canSend(reservation)) return 'over-share'
        const result = await reserveInStore(reservation, instanceId)
        if (result !== 'stale') return applyResult(reservation, result)
        await client.synchronize()
      } catch (error) {
        client.toDisconnected(error)
      }
    }
    // A deploy has opened another connection, which decides.
    if (client.isClosed()) return 'over-share'
    if (client.isConnected()) client.toDisconnected(createStaleError())
    return canSend(reservation) ? 'admitted' : 'over-share'
  }

  function reserveInStore(reservation: Reservation, instanceId: string): Promise<ReserveResult | 'stale'> {
    const requests = reserveRequestsOf(reservation)
    outbox.set(
      reservation.id,
      requests.map(({ name }) => name),
    )
    return client.withTimeout(store.reserve(instanceId, membership.memberId, reservation.id, requests))
  }

  /** Notes what all members use, and how many records were granted. */
  function applyResult(reservation: Reservation, result: ReserveResult): Admission {
    const { id, requests, records, maxRecords = 0 } = reservation
    if ('waitMs' in result) {
      outbox.delete(id)
      const { total, inFlight, waitMs } = result
      const scope: LimitScope = result.shortIndex === 0 ? 'endpoint' : 'device'
      // What is reserved here will be cancelled, and the store has not counted it.
      if (scope === 'endpoint') requests.updateSharedUsage(total + 1, now())
      else records?.limiter.updateSharedUsage(total + maxRecords, now())
      // Reserved records are usually given back in part; requests in flight matter only if nothing else can help.
      const occupied = occupiedMs(requests.rateLimit().windowSeconds)
      const isInFlight = inFlight && (scope === 'device' || waitMs >= occupied)
      return { waitMs: Math.max(MIN_WAIT_MS, waitMs), scope, isInFlight }
    }
    const [totalRequests = 0, totalRecords = 0] = result.totals
    const granted = result.granted[1]
    requests.updateSharedUsage(totalRequests, now())
    if (records && granted !== undefined) {
      records.limiter.updateSharedUsage(totalRecords, now())
      // Fewer than wanted if others use records of the device as well.
      records.limiter.resize(id, granted)
      reservation.maxRecords = granted
    }
    return 'admitted'
  }

  /** Never rejects. */
  async function sendCommit(id: string, commits: CommitRequest[]): Promise<void> {
    try {
      const sync = client.sync()
      if (sync) {
        // A replay may have reported it as in flight just now.
        await sync.catch(() => {})
        for (const one of commits) one.remaining = null
      }
      const instanceId = client.instanceId()
      if (instanceId === undefined) return
      if ((await client.withTimeout(store.commit(instanceId, id, commits))) === 'stale')
        await client.synchronize()
      outbox.delete(id)
    } catch (error) {
      client.toDisconnected(error)
    }
  }

  async function onOver(): Promise<void> {
    open--
    if (client.isClosed() && open === 0) await client.leave()
  }

  return {
    isConnected: client.isConnected,
    /** A code that says why it is not connected, if that is known. */
    disconnectCode: client.code,
    share: client.share,
    /** Connects for the first time. Never rejects. */
    start: client.start,

    /** Reports usage that was not known before. Never rejects. */
    async reportUsage(): Promise<void> {
      await client.sync()?.catch(() => {})
      if (client.isConnected()) await client.synchronize().catch(client.toDisconnected)
    },

    /** Asks whether a request may be sent. What is admitted has to be committed, whatever becomes of the request. */
    async reserve(reservation: Reservation): Promise<Admission> {
      open++
      client.reserving.add(reservation.id)
      const admission = await requestAdmission(reservation).finally(() =>
        client.reserving.delete(reservation.id),
      )
      if (admission !== 'admitted') await onOver()
      return admission
    },

    /** The request is not sent: what the store may hold for it is free. Never rejects. */
    async cancel(reservation: Reservation): Promise<void> {
      const { id } = reservation
      if (outbox.has(id)) await sendCommit(id, commitRequestsOf(reservation, null, NO_COST, now()))
    },

    /**
     * Reports what an attempt cost. Never rejects.
     * @param isOwn it was reserved here, and not before a deploy
     */
    async commit(
      reservation: Reservation,
      headers: QuotaHeaders | null,
      cost: AttemptCost,
      isOwn: boolean,
    ): Promise<void> {
      await sendCommit(reservation.id, commitRequestsOf(reservation, headers, cost, now()))
      if (isOwn) await onOver()
    },

    /** What is in flight is committed before the connection ends. Never rejects. */
    async close(): Promise<void> {
      client.close()
      if (open === 0) await client.leave()
    },
  }
}

export type SharedQuota = ReturnType<typeof createSharedQuota>
