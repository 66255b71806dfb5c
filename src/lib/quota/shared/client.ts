import { inBackground } from '../../background'
import type { Clock } from '../../clock'
import type { AccountLimiter } from '../account-limiter'
import { occupiedMs } from '../limits'
import { limitsByReservation, replaysOf } from './messages'
import {
  type HeartbeatReply,
  MAX_REPLAY_BATCH,
  MEMBER_TIMEOUT_MS,
  type Member,
  type Membership,
  REPLAY_PERIOD_MS,
  type SharedQuotaStore,
} from './store'

/** A store that is slower than this counts as disconnected. */
const CALL_TIMEOUT_MS = 1000
/** How often a disconnected client tries to connect. */
const RETRY_MS = 1000
const HEARTBEAT_MS = MEMBER_TIMEOUT_MS / 3
/** Failed attempts to connect before another connection is opened. */
const MAX_FAILURES = 2
/** How often in a row the store may have lost its data before it counts as disconnected. */
export const MAX_STALE_RETRIES = 3
/** By then connected members leave its share to a member that is not, and what they sent before has arrived. */
const SHARE_LEFT_AFTER_MS = MEMBER_TIMEOUT_MS + 2000

/**
 * disconnected → connected: the store answers, and all usage of this process has been reported to it.
 * connected → connected: a heartbeat, or a stale call, shows another instance, to which the same is reported.
 * connected → disconnected: a call fails. disconnected → disconnected: an attempt to connect fails.
 * any → closed: a deploy; requests in flight are still committed to the instance that it was connected to.
 */
type ConnectionState =
  | { name: 'disconnected'; code?: string | undefined }
  | { name: 'connected'; instanceId: string }
  | { name: 'closed'; instanceId: string | undefined }

/** All usage is being reported. From the first answer on (`isReplaying`), reservations wait until that is over. */
interface Sync {
  promise: Promise<void>
  isReplaying: boolean
}

/** The error of a store that lost its data each time while usage was reported to it. */
export const createStaleError = () => Object.assign(new Error('stale'), { code: 'DATA_LOST' })

export interface StoreClientPorts {
  store: SharedQuotaStore
  clock: Clock
  limiter: AccountLimiter
  membership: Membership
  /** Called when the connection is lost or back, or is lost for another reason. */
  onChange(): void
}

/** The connection of one member to the shared store: heartbeats, replays of all usage, and what to do without it. */
export function createStoreClient({ store, clock, limiter, membership, onChange }: StoreClientPorts) {
  let state: ConnectionState = { name: 'disconnected' }
  let sync: Sync | undefined
  /** The store may list this process as connected, and leave nothing to it. */
  let isListed = false
  /** Predecessors whose usage has been reported as well. */
  let reportedPredecessors: readonly string[] = []
  /** Reservations that are being requested, or will be once the store is connected: no replay contains them. */
  const reserving = new Set<string>()
  let failures = 0
  let cancelBeat = () => {}

  const now = () => clock.monotonic()
  const isClosed = () => state.name === 'closed'
  const instanceId = () => (state.name === 'disconnected' ? undefined : state.instanceId)

  /** Two timers in a row: if the event loop was blocked, a response received meanwhile is read between them. */
  function withTimeout<T>(call: Promise<T>, ms = CALL_TIMEOUT_MS): Promise<T> {
    return new Promise((resolve, reject) => {
      const fail = () => reject(Object.assign(new Error('timeout'), { code: 'TIMEOUT' }))
      let cancel = clock.after(ms / 2, () => {
        cancel = clock.after(ms / 2, fail)
      })
      call.then(resolve, reject).finally(() => cancel())
    })
  }

  async function sendHeartbeat(reportedTo?: string, isLeaving = false): Promise<HeartbeatReply> {
    const sinceHeard = now() - membership.heardAt
    const members = membership.members.map(({ id, ageMs }) => ({ id, ageMs: Math.round(ageMs + sinceHeard) }))
    // Until the store knows what they used, it reserves their share for them.
    const predecessors = reportedTo === undefined ? [] : reportedPredecessors
    const { memberId } = membership
    const reply = await withTimeout(
      store.heartbeat({ memberId, reportedTo, isLeaving, members, predecessors }),
    )
    // While the store is lost, the ages of all members grow, and none of them counts less for that.
    if (!membership.isLost) Object.assign(membership, { members: reply.members, heardAt: now() })
    return reply
  }

  /** Reports all usage, and which reservations are over; false if the store has another instance by now. */
  async function replay(instance: string): Promise<boolean> {
    const { outbox } = membership
    const replays = replaysOf(limiter, now()).map((one) => ({
      ...one,
      inFlight: one.inFlight.filter(({ id }) => !reserving.has(id)),
    }))
    const predecessors = [...membership.predecessors]
    const inFlight = limitsByReservation(replays)
    const ended = [...outbox].filter(([id]) => !inFlight.has(id) && !reserving.has(id))
    const nothing = { occupiedMs: 0, used: [], inFlight: [], closedMs: 0 }
    for (const [id, names] of ended) for (const name of names) replays.push({ name, ended: [id], ...nothing })
    for (const [id, names] of inFlight) outbox.set(id, names)
    const batches = Math.max(1, Math.ceil(replays.length / MAX_REPLAY_BATCH))
    if ((await withTimeout(store.replay(instance, replays), CALL_TIMEOUT_MS * batches)) === 'stale')
      return false
    for (const [id] of ended) outbox.delete(id)
    reportedPredecessors = predecessors
    return true
  }

  /**
   * If other members may still have something to report, because the store or the way to it was lost, it waits until
   * they have. False if the store has lost its data meanwhile.
   */
  async function tryToSynchronize(current: Sync): Promise<boolean> {
    const { instanceId: instance, ageMs } = await sendHeartbeat()
    current.isReplaying = true
    if (!(await replay(instance))) return false
    const graceMs = REPLAY_PERIOD_MS - (isFoundNow(instance, ageMs) ? 0 : ageMs)
    isListed = true
    let reply = await sendHeartbeat(instance)
    if (graceMs > 0) {
      await new Promise<void>((resolve) => clock.after(graceMs, resolve))
      reply = await sendHeartbeat(instance)
    }
    if (reply.instanceId !== instance) return false
    if (!isClosed()) toConnected(reply)
    return true
  }

  /** True if other members find it only now as well: it was lost, or the address leads to another, older one. */
  function isFoundNow(instance: string, ageMs: number): boolean {
    const isOther = membership.instanceId !== undefined && membership.instanceId !== instance
    return membership.isLost || (isOther && ageMs >= REPLAY_PERIOD_MS)
  }

  async function synchronizeWith(current: Sync): Promise<void> {
    for (let tries = 0; tries < MAX_STALE_RETRIES; tries++) if (await tryToSynchronize(current)) return
    throw createStaleError()
  }

  /** Reports all usage; concurrent calls share one report. */
  function synchronize(): Promise<void> {
    if (sync) return sync.promise
    const current: Sync = { promise: Promise.resolve(), isReplaying: false }
    sync = current
    current.promise = synchronizeWith(current).finally(() => {
      sync = undefined
    })
    return current.promise
  }

  function toConnected({ instanceId: instance, ageMs, members }: HeartbeatReply): void {
    const wasConnected = state.name === 'connected'
    if (membership.isLost || membership.instanceId !== instance) {
      // What these members used is lost with the data, and was not reported again.
      const unreported = members.filter((member) => member.ageMs > ageMs)
      const lostUsageAt = now() - Math.min(...unreported.map((member) => member.ageMs))
      for (const endpoint of Object.values(limiter.endpoints)) endpoint.onStoreFound(lostUsageAt)
    }
    if (membership.isLost) meetAgain(members)
    Object.assign(membership, { isLost: false, instanceId: instance })
    state = { name: 'connected', instanceId: instance }
    failures = 0
    if (!wasConnected) onChange()
  }

  /** Earlier members are expected back, even if they report to the store later than this one. */
  function meetAgain(members: readonly Member[]): void {
    const before = new Map(membership.members.map(({ id, ageMs }) => [id, ageMs]))
    const known = members.map(({ id, ageMs }) => ({ id, ageMs: Math.min(ageMs, before.get(id) ?? ageMs) }))
    Object.assign(membership, { members: known, heardAt: now() })
  }

  function toDisconnected(error: unknown): void {
    if (state.name === 'closed') return
    const { code } = error as { code?: string }
    const isChange = state.name === 'connected' || !membership.isLost || code !== state.code
    if (!membership.isLost || isListed) {
      const probeFrom = membership.members.length > 0 ? now() + SHARE_LEFT_AFTER_MS : now()
      for (const endpoint of Object.values(limiter.endpoints)) endpoint.onStoreLost(probeFrom, now())
    }
    membership.isLost = true
    isListed = false
    state = { name: 'disconnected', code }
    beatIn(RETRY_MS)
    if (isChange) onChange()
  }

  function beatIn(ms: number): void {
    cancelBeat()
    if (!isClosed()) cancelBeat = clock.after(ms, () => inBackground(beat()))
  }

  /** A heartbeat; without a connection, an attempt to connect. Never rejects. */
  async function beat(): Promise<void> {
    try {
      const known = instanceId()
      const isSame = known !== undefined && (await sendHeartbeat(known)).instanceId === instanceId()
      if (!isSame) await synchronize()
      beatIn(HEARTBEAT_MS)
    } catch (error) {
      toDisconnected(error)
      if (!isClosed() && ++failures % MAX_FAILURES === 0) store.reconnect()
    }
  }

  return {
    start: beat,
    isClosed,
    isConnected: () => instanceId() !== undefined,
    instanceId,
    code: () => (state.name === 'disconnected' ? state.code : undefined),
    reserving,
    withTimeout,
    synchronize,
    toDisconnected,
    /** What reports all usage just now. */
    sync: () => sync?.promise,

    /** The instance to reserve from, after a replay that is under way; `undefined` at once without a connection. */
    async ready(): Promise<string | undefined> {
      if (instanceId() === undefined && !sync?.isReplaying) return undefined
      await sync?.promise
      return instanceId()
    },

    /** The part of a limit that this process may use. */
    share(windowSeconds: number): number {
      if (instanceId() !== undefined) return 1
      const aliveMs = Math.max(occupiedMs(windowSeconds), MEMBER_TIMEOUT_MS)
      return 1 / Math.max(2, membership.members.filter(({ ageMs }) => ageMs < aliveMs).length)
    },

    close(): void {
      state = { name: 'closed', instanceId: instanceId() }
      cancelBeat()
    },

    /** Ends the membership, and the connection. */
    async leave(): Promise<void> {
      if (instanceId() !== undefined) await sendHeartbeat(undefined, true).catch(() => {})
      await store.close().catch(() => {})
    },
  }
}
