import { countOf } from '../readings/content'
import type { AwaitedDelivery, RetainedDelivery } from './awaited-delivery'
import type { Cursor, RecordCursor } from './cursor'
import { DevicePages } from './device-pages'
import type { Hole } from './holes'
import { Refusal } from './refusal'
import type { SavedDevice } from './saved-state'

/** Number of resends without a receipt before users are warned; the next one triggers the warning. */
export const MAX_QUIET_RESENDS = 3
/** From then on, a retained delivery is sent again, and one that is not retained is requested again. */
const OVERDUE = Number.NEGATIVE_INFINITY

/**
 * What was delivered of one device in a node, and what awaits its receipt. Only `SavedDevice` survives a restart.
 * Messages and deploys may change the state during a request of a poll, so a poll that `isOver` must not change it any
 * more.
 */
export class DeviceState {
  /** The pause after the service has refused it. */
  readonly refusal = new Refusal()
  readonly pages = new DevicePages()
  readonly #onChange: () => void
  #cursor: Cursor | null = null
  /** Whether the store is known to contain the cursor. */
  #isSaved = false
  #poll = 0
  /** When the last delivery was issued. */
  #lastIssuedAt = 0
  #delivery: AwaitedDelivery | null = null
  /** The last current reading that was sent, encoded by `toSentValue`. */
  #lastReading: string | undefined
  /** Whether the service has responded for the device in this process. */
  #hasResponded = false

  /** @param onChange called when something changes that has to be saved */
  constructor(onChange: () => void) {
    this.#onChange = onChange
  }

  /**
   * The position up to which records or alerts were delivered or, with receipts, acknowledged; `null` before the first
   * response.
   */
  get cursor(): Cursor | null {
    return this.#cursor
  }

  /** Whether the store is known to contain the cursor. */
  get isSaved(): boolean {
    return this.#isSaved
  }

  /** Call this when a cursor was written to the store. */
  markSaved(cursor: Cursor): void {
    if (cursor === this.#cursor) this.#isSaved = true
  }

  /** Whether the service has ever responded for the device. */
  get hasResponded(): boolean {
    return this.#hasResponded || this.#cursor !== null
  }

  /** Whether a current reading is the one that was sent last. @param reading encoded by `toSentValue` */
  isLastReading(reading: string): boolean {
    return this.#lastReading === reading
  }

  /** Call this when a current reading was sent. @param reading encoded by `toSentValue` */
  rememberReading(reading: string): void {
    this.#lastReading = reading
  }

  /** The periods of records that have to be fetched. */
  get holes(): readonly Hole[] {
    return holesOf(this.#cursor)
  }

  /**
   * The time since which no records are missing but those whose receipt is awaited, ms since 1970 UTC; `undefined` if
   * none are missing.
   */
  get completeSince(): number | undefined {
    return holesOf(this.#delivery ? this.#delivery.next : this.#cursor)[0]?.to
  }

  /**
   * The newest hole whose page has not failed recently, now or once the receipt arrives that the device awaits.
   * @param monotonic monotonic ms
   * @param now the same instant, ms since 1970 UTC
   */
  nextHole(monotonic: number, now: number): Hole | undefined {
    const holes = holesOf(this.receiptWait(monotonic) > 0 ? this.#delivery?.next : this.#cursor)
    return holes.find(({ from }) => this.pages.of(from).left(now) === 0)
  }

  /**
   * Discards a page whose receipt is overdue although it was sent again, or that cannot be sent again unchanged.
   * @param now ms since 1970 UTC
   * @returns whether there was one
   */
  dropPage(now: number): boolean {
    const { retained = null, sends = 0, page } = this.#delivery ?? {}
    // It also awaits its receipt if the node was deployed meanwhile, or sending it has failed.
    if (retained && page) this.pages.begin(page)
    if (!this.pages.sent || (retained && sends < 2)) return false
    this.pages.failSent(now)
    this.#delivery = null
    this.#onChange()
    return true
  }

  /** What was sent without a receipt, and how often it was sent again; `null` if nothing was. */
  get unacknowledged(): { since: number; resends: number } | null {
    const { since, sends } = this.#delivery ?? { since: 0, sends: 0 }
    return sends > 0 ? { since, resends: sends - 1 } : null
  }

  /** Number of records and alerts kept in memory. */
  get retainedCount(): number {
    const { retained } = this.#delivery ?? {}
    return retained ? countOf(retained.content) : 0
  }

  /** Whether nothing has been received for the device yet. */
  get isBlank(): boolean {
    return !this.#cursor && !this.#delivery && this.#lastReading === undefined
  }

  /** How long the device awaits a receipt, ms; 0 if it does not, or if the receipt is overdue. @param now monotonic ms */
  receiptWait(now: number): number {
    return this.#delivery ? Math.max(0, this.#delivery.overdueAt - now) : 0
  }

  /** The retained delivery to be sent again because its receipt is overdue. */
  get overdue(): { issuedAt: number; retained: RetainedDelivery } | null {
    const { issuedAt, retained } = this.#delivery ?? {}
    return issuedAt !== undefined && retained ? { issuedAt, retained } : null
  }

  /** @returns a function that says whether the poll is over because of another poll, `forget`, `skip` or a deploy */
  beginPoll(): () => boolean {
    const poll = ++this.#poll
    return () => this.#poll !== poll
  }

  /** Call this when everything was sent, or there was nothing to send. */
  advance(next: Cursor): void {
    this.pages.arrived()
    this.#cursor = next
    this.#delivery = null
    this.#onChange()
  }

  /**
   * Call this when a delivery with a receipt is about to be sent.
   * @param before the cursor for a device without one, so that the same records are new after a crash
   * @param now ms since 1970 UTC
   * @returns the time that identifies its receipt
   */
  issue(next: Cursor, before: Cursor, retained: RetainedDelivery | null, now: number): number {
    const issuedAt = Math.max(now, this.#lastIssuedAt + 1)
    this.#lastIssuedAt = issuedAt
    const { since = issuedAt, sends = 0, sent = null } = this.#delivery ?? {}
    const page = this.pages.sent
    this.#delivery = { issuedAt, next, retained, page, since, sends, sent, overdueAt: OVERDUE }
    this.#cursor ??= before
    this.#onChange()
    return issuedAt
  }

  /**
   * Starts to wait for the receipt of a delivery.
   * @param overdueAt monotonic ms; if it has passed, the next trigger repeats the delivery
   * @returns false if the delivery was acknowledged, skipped or forgotten in the meantime
   */
  awaitReceipt(issuedAt: number, overdueAt = OVERDUE): boolean {
    return this.#update(issuedAt, { overdueAt })
  }

  /** Call this when a delivery with a receipt was sent. The receipt may have arrived in the meantime. */
  markSent(issuedAt: number): void {
    const { sends = 0, next: sent = null } = this.#delivery ?? {}
    this.#update(issuedAt, { sends: sends + 1, sent })
  }

  /** Processes a returned receipt. One of another delivery than the last one has no effect. */
  acknowledge(issuedAt: number): void {
    if (this.#delivery?.issuedAt === issuedAt) this.advance(this.#delivery.next)
  }

  /**
   * Counts everything that was sent without a receipt as delivered. Ends a poll in progress, because it compares its
   * response with the previous cursor.
   */
  skip(): void {
    const { sent } = this.#delivery ?? {}
    if (!sent) return
    this.advance(sent)
    this.#poll++
  }

  /** Forgets what was delivered. Receipts issued until now have no effect any more. */
  forget(): void {
    this.#cursor = null
    this.#delivery = null
    this.#lastReading = undefined
    this.#startOver()
  }

  /** Call this when the node closes. Work in progress no longer has any effect, and is repeated later. */
  close(): void {
    this.pages.end()
    this.#poll++
  }

  /**
   * Call this when the node is created again in the same process, perhaps with another store.
   * @param hasNewSettings whether retained records may have another form than the new settings require
   * @param overdueAt the latest time at which pending receipts are overdue, monotonic ms; `null` if receipts are no
   * longer used
   */
  deploy(hasNewSettings: boolean, overdueAt: number | null): void {
    this.#isSaved = false
    this.refusal.deploy()
    this.pages.endPauses()
    const delivery = this.#delivery
    if (overdueAt === null) this.#delivery = null
    else if (delivery) {
      const retained = hasNewSettings ? null : delivery.retained
      this.#delivery = { ...delivery, retained, overdueAt: Math.min(delivery.overdueAt, overdueAt) }
    }
  }

  /** Call this when the device has moved to another base unit. */
  move(): void {
    this.#delivery = null
    this.#startOver()
    this.#onChange()
  }

  /**
   * Call this when the service has refused the device.
   * @param now monotonic ms
   * @param isAlerts whether alerts were requested, which many devices never have
   * @returns how long it is skipped, ms
   */
  refuse(now: number, isAlerts: boolean): number {
    const lacksAlerts = isAlerts && !this.hasResponded
    if (lacksAlerts) this.#onChange()
    return this.refusal.begin(now, lacksAlerts)
  }

  /** Call this when the service has responded for the device. The next pause has its initial length again. */
  markResponded(): void {
    this.refusal.end()
    this.#hasResponded = true
  }

  /**
   * The state to save; without properties if there is none.
   * @param now ms since 1970 UTC
   * @param monotonic the same instant, monotonic ms
   */
  toSave(now: number, monotonic: number): SavedDevice {
    const { issuedAt, next } = this.#delivery ?? {}
    const pauseMs = this.refusal.leftToSave(monotonic)
    return {
      ...(this.#cursor && { cursor: this.#cursor }),
      ...(issuedAt !== undefined && next && { unacknowledged: { sequence: issuedAt, cursor: next } }),
      ...(pauseMs > 0 && { refusedUntil: Math.round(now + pauseMs) }),
      ...(this.#lastReading !== undefined && { lastSent: this.#lastReading }),
      ...this.pages.toSave([...this.holes, ...holesOf(this.#delivery?.next)]),
    }
  }

  /** Restores saved state, unless the device has changed while it was being read. */
  restore(saved: SavedDevice, now: number, monotonic: number): void {
    const { cursor, unacknowledged, refusedUntil = 0, lastSent } = saved
    this.#cursor ??= cursor ?? null
    this.#isSaved = cursor !== undefined
    if (unacknowledged) {
      const { sequence: issuedAt, cursor: next } = unacknowledged
      const nothing = { retained: null, page: undefined, since: issuedAt, sends: 0, sent: null }
      this.#delivery ??= { issuedAt, next, ...nothing, overdueAt: OVERDUE }
      this.#lastIssuedAt = Math.max(this.#lastIssuedAt, issuedAt)
    }
    if (refusedUntil > now) this.refusal.resume(monotonic, refusedUntil - now)
    this.pages.restore(saved, now)
    this.#lastReading ??= lastSent
  }

  /** @returns false if the delivery was acknowledged, skipped, forgotten or replaced in the meantime */
  #update(issuedAt: number, change: Partial<AwaitedDelivery>): boolean {
    const delivery = this.#delivery
    if (delivery?.issuedAt !== issuedAt) return false
    this.#delivery = { ...delivery, ...change }
    return true
  }

  /** Ends what concerns earlier requests, pages and writes. */
  #startOver(): void {
    this.#isSaved = false
    this.refusal.end()
    this.pages.clear()
    this.#poll++
  }
}

const holesOf = (cursor: Cursor | null | undefined): readonly Hole[] =>
  (cursor as RecordCursor | null | undefined)?.holes ?? []
