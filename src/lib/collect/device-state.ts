import { countOf } from '../readings/content'
import { DeviceBackfill } from './backfill'
import { type Cursor, isSameExceptSequence } from './cursor'
import type { PolledData } from './fetch'
import type { SavedDevice } from './saved-state'

/** Number of resends without a receipt before users are warned; the next one triggers the warning. */
export const MAX_QUIET_RESENDS = 3

/** A refused device is skipped for this time, which doubles with each further refusal. */
const FIRST_PAUSE_MS = 600_000
const MAX_PAUSE_MS = 86_400_000

/** A delivery that is kept in memory until its receipt arrives. */
export type RetainedDelivery = Omit<PolledData, 'failed' | 'receipt'>

/** A delivery whose receipt has not been returned. */
interface UnacknowledgedDelivery {
  /** The cursor after acknowledgement. Only its sequence changes when the same records are sent again. */
  next: Cursor
  /** Sequence of the first delivery of these records. A receipt of an earlier one may be for fewer records. */
  first: number
  /**
   * Sequence of the first delivery without a receipt, perhaps of fewer records; also the time its response was
   * received, ms since 1970 UTC.
   */
  since: number
  /** How often records were sent since then without a receipt, perhaps together with later ones. */
  sends: number
  /** The cursor of what was last sent without a receipt; `null` if nothing was sent. */
  sent: Cursor | null
  /**
   * From this time on, a retained delivery is sent again, and one that is not retained is requested again. Monotonic
   * ms.
   */
  overdueAt: number
  retained: RetainedDelivery | null
}

/**
 * The state of one device in a node. Only `SavedDevice` survives a restart. Messages and deploys may change the state
 * during a request of a poll, so a poll that `isOver` must not change it any more.
 */
export class DeviceState {
  /** The last current reading that was sent, encoded by `toSentValue`. */
  lastSent: string | undefined
  /** How long the node has been running without selecting the device, ms. */
  unselectedMs = 0
  /** Whether it was polled, in this process or an earlier one. */
  wasPolled = false
  /** Whether its last poll failed ambiguously: the device or the account may be the cause. */
  hasFailedAmbiguously = false
  /** Whether the service has responded for the device in this process. */
  hasResponded = false
  /** Whether its newest records are far ahead of the clock, so that they hide the current ones. */
  isFarAhead = false
  /** Whether the store is known to contain its cursor. */
  isSaved = false

  readonly backfill = new DeviceBackfill()
  readonly #onChange: () => void
  #cursor: Cursor | null = null
  /** Receipts of cursors up to this sequence are void, because the device was forgotten after them. */
  #voidUpTo: number
  #poll = 0
  #delivery: UnacknowledgedDelivery | null = null
  #pause: { ms: number; until: number } | null = null

  /** @param onChange called when something changes that has to be saved */
  constructor(onChange: () => void, voidUpTo = 0) {
    this.#onChange = onChange
    this.#voidUpTo = voidUpTo
  }

  /**
   * The position up to which records or alerts were delivered or, with receipts, acknowledged; `null` before the first
   * response.
   */
  get cursor(): Cursor | null {
    return this.#cursor
  }

  /** What was sent without a receipt, and how often it was sent again; `null` if nothing was. */
  get unacknowledged(): { since: number; resends: number } | null {
    const { since, sends } = this.#delivery ?? { since: 0, sends: 0 }
    return sends > 0 ? { since, resends: sends - 1 } : null
  }

  /** The next cursor's sequence must exceed this. */
  get latestSequence(): number {
    return Math.max(this.#voidUpTo, this.#delivery?.next.sequence ?? 0, this.#cursor?.sequence ?? 0)
  }

  /** Number of records and alerts kept in memory. */
  get retainedCount(): number {
    const { retained } = this.#delivery ?? {}
    return this.backfill.retainedCount + (retained ? countOf(retained.content) : 0)
  }

  /** Whether nothing has been received for the device yet. */
  get isBlank(): boolean {
    return !this.#cursor && !this.backfill.current && !this.#delivery && this.lastSent === undefined
  }

  /** @returns a function that says whether the poll is over because of another poll, `forget`, `skip` or a deploy */
  beginPoll(): () => boolean {
    const poll = ++this.#poll
    return () => this.#poll !== poll
  }

  /** @param now monotonic ms */
  isAwaitingReceipt(now: number): boolean {
    return this.#delivery !== null && now < this.#delivery.overdueAt
  }

  /** The delivery to be sent again because its receipt is overdue, if it was retained. */
  get overdue(): { next: Cursor; retained: RetainedDelivery } | null {
    const { next, retained } = this.#delivery ?? {}
    return next && retained ? { next, retained } : null
  }

  /** Call this when everything was sent, or there was nothing to send. */
  advance(next: Cursor): void {
    const isSame = isSameExceptSequence(this.#cursor, next)
    this.#cursor = next
    this.#endDelivery()
    // A change of the sequence alone need not be saved. This avoids a write for most polls, which find nothing new.
    if (!isSame) this.#onChange()
  }

  /**
   * Call this when a delivery with a receipt is about to be sent.
   * @param before the cursor for a device without one, so that the same records are new after a crash
   */
  issue(next: Cursor, before: Cursor, retained: RetainedDelivery | null): void {
    const { since = next.sequence, sends = 0, sent = null } = this.#delivery ?? {}
    const first = this.#delivery?.retained ? this.#delivery.first : next.sequence
    this.#endDelivery()
    this.#delivery = { next, first, since, sends, sent, overdueAt: Number.NEGATIVE_INFINITY, retained }
    if (this.#cursor) return
    this.#cursor = before
    this.#onChange()
  }

  /**
   * Starts to wait for the receipt of a delivery.
   * @param overdueAt monotonic ms; if it has passed, the next trigger repeats the delivery
   * @returns false if the delivery was acknowledged, skipped or forgotten in the meantime
   */
  awaitReceipt(next: Cursor, overdueAt = Number.NEGATIVE_INFINITY): boolean {
    if (this.#delivery?.next !== next) return false
    this.#delivery.overdueAt = overdueAt
    return true
  }

  /** Call this when a delivery with a receipt was sent. The receipt may have arrived in the meantime. */
  markSent(next: Cursor): void {
    if (this.#delivery?.next !== next) return
    this.#delivery.sends++
    this.#delivery.sent = next
  }

  /** Processes a returned receipt, which may belong to an earlier delivery or an earlier process, or arrive twice. */
  acknowledge(received: Cursor): void {
    if (received.sequence <= this.#voidUpTo) return
    let cursor = received
    const { first = Number.POSITIVE_INFINITY, next } = this.#delivery ?? {}
    if (next && received.sequence >= first && isSameExceptSequence(received, next)) {
      cursor = next
      this.#delivery = null
    }
    if (cursor.sequence <= (this.#cursor?.sequence ?? 0)) return
    this.#cursor = cursor
    this.#onChange()
  }

  /**
   * Counts everything that was sent without a receipt as delivered. Ends a poll in progress, because it compares its
   * response with the previous cursor.
   */
  skip(): void {
    const { sent } = this.#delivery ?? {}
    if (!sent || sent.sequence <= (this.#cursor?.sequence ?? 0)) return
    this.#cursor = sent
    this.#endDelivery()
    this.#poll++
    this.#onChange()
  }

  /**
   * Forgets what was delivered, and voids all receipts issued until now, including those of earlier processes.
   * @param now ms since 1970 UTC
   */
  forget(now: number): void {
    this.#voidUpTo = Math.max(now, this.latestSequence)
    this.#cursor = null
    this.isSaved = false
    this.backfill.reset()
    this.lastSent = undefined
    this.#pause = null
    this.#endDelivery()
    this.#poll++
  }

  /** Call this when the node closes. Work in progress no longer has any effect, and is repeated later. */
  close(): void {
    this.#poll++
  }

  /**
   * Call this when the node is created again in the same process, perhaps with another store.
   * @param hasNewSettings whether fetched records may have another form than the new settings require
   * @param overdueAt the latest time at which pending receipts are overdue, monotonic ms; `null` if receipts are no
   * longer used
   */
  deploy(hasNewSettings: boolean, overdueAt: number | null): void {
    this.isSaved = false
    this.#pause = null
    if (hasNewSettings) this.backfill.current = null
    const delivery = this.#delivery
    if (!delivery) return
    if (hasNewSettings) delivery.retained = null
    delivery.overdueAt = Math.min(delivery.overdueAt, overdueAt ?? Number.NEGATIVE_INFINITY)
    if (overdueAt === null) delivery.sends = 0
  }

  /** Call this when the device has moved to another base unit. Fetched records belong to the previous base unit. */
  move(): void {
    this.#endDelivery()
    this.#pause = null
    this.backfill.reset()
    this.isSaved = false
    this.#poll++
    this.#onChange()
  }

  /** Call this when the service has refused the device. @param now monotonic ms @returns how long it is skipped, ms */
  refuse(now: number): number {
    const ms = this.#pause ? Math.min(MAX_PAUSE_MS, 2 * this.#pause.ms) : FIRST_PAUSE_MS
    this.#pause = { ms, until: now + ms }
    return ms
  }

  /** Whether the device is skipped now. @param now monotonic ms */
  isPaused(now: number): boolean {
    return this.#pause !== null && now < this.#pause.until
  }

  /** Call this when the service has responded for the device. The next pause has its initial length again. */
  markResponded(): void {
    this.#pause = null
    this.hasResponded = true
  }

  /** The state to save; `undefined` if there is none. */
  toSave(): SavedDevice | undefined {
    const saved: SavedDevice = {
      ...(this.#cursor && { cursor: this.#cursor }),
      ...(this.#voidUpTo > 0 && { voidUpTo: this.#voidUpTo }),
      ...this.backfill.toSave(),
      ...(this.lastSent !== undefined && { lastSent: this.lastSent }),
    }
    if (Object.keys(saved).length === 0 && !this.wasPolled) return undefined
    return { ...saved, ...(this.unselectedMs > 0 && { unselectedMs: this.unselectedMs }) }
  }

  /** Restores saved state. Changes made while it was being read take precedence. */
  restore(saved: SavedDevice): void {
    const { cursor, voidUpTo = 0, lastSent, unselectedMs = 0 } = saved
    if (cursor && cursor.sequence >= (this.#cursor?.sequence ?? 0)) this.#cursor = cursor
    this.isSaved = cursor !== undefined
    this.#voidUpTo = Math.max(this.#voidUpTo, voidUpTo)
    this.backfill.restore(saved)
    this.lastSent ??= lastSent
    this.unselectedMs = unselectedMs
    this.wasPolled = true
  }

  #endDelivery(): void {
    this.backfill.end()
    this.#delivery = null
  }
}
