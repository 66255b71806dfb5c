import { countOf } from '../readings/content'
import { AwaitedDelivery, type RetainedDelivery } from './awaited-delivery'
import type { Cursor, RecordCursor } from './cursor'
import { DevicePages } from './device-pages'
import type { Hole } from './holes'
import { MAX_PAUSE_MS, Pause } from './pause'
import type { SavedDevice } from './saved-state'

/** Number of resends without a receipt before users are warned; the next one triggers the warning. */
export const MAX_QUIET_RESENDS = 3

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
  /** Whether its newest records are all ahead of the clock, so that they hide the current ones. */
  isAhead = false
  /** Whether the store is known to contain its cursor. */
  isSaved = false
  /** Minutes that its clock is ahead of UTC according to its newest records; pages do not say it. */
  utcOffset: number | null | undefined
  /** When a page of missing records was last requested, monotonic ms. */
  filledAt = Number.NEGATIVE_INFINITY
  /** When its record quota allows another page, monotonic ms. */
  recordsAt = Number.NEGATIVE_INFINITY

  /** The pause after the service has refused it. */
  readonly refusal = new Pause()
  /** Whether it probably has no alerts. Then the pause outlives deploys and restarts. */
  #lacksAlerts = false
  readonly pages = new DevicePages()
  readonly #onChange: () => void
  #cursor: Cursor | null = null
  #poll = 0
  /** When the last delivery was issued. */
  #lastIssuedAt = 0
  #delivery: AwaitedDelivery | null = null

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
    return !this.#cursor && !this.#delivery && this.lastSent === undefined
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
    this.#delivery = new AwaitedDelivery(issuedAt, next, retained, this.pages.sent, this.#delivery)
    this.#cursor ??= before
    this.#onChange()
    return issuedAt
  }

  /**
   * Starts to wait for the receipt of a delivery.
   * @param overdueAt monotonic ms; if it has passed, the next trigger repeats the delivery
   * @returns false if the delivery was acknowledged, skipped or forgotten in the meantime
   */
  awaitReceipt(issuedAt: number, overdueAt = Number.NEGATIVE_INFINITY): boolean {
    const delivery = this.#issued(issuedAt)
    if (delivery) delivery.overdueAt = overdueAt
    return delivery !== undefined
  }

  /** Call this when a delivery with a receipt was sent. The receipt may have arrived in the meantime. */
  markSent(issuedAt: number): void {
    this.#issued(issuedAt)?.markSent()
  }

  /** Processes a returned receipt. One of another delivery than the last one has no effect. */
  acknowledge(issuedAt: number): void {
    const delivery = this.#issued(issuedAt)
    if (delivery) this.advance(delivery.next)
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
    this.isSaved = false
    this.lastSent = undefined
    this.refusal.end()
    this.#forgetPages()
    this.#poll++
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
    this.isSaved = false
    if (!this.#lacksAlerts) this.refusal.end()
    this.pages.endPauses()
    this.recordsAt = Number.NEGATIVE_INFINITY
    const delivery = this.#delivery
    if (!delivery) return
    if (hasNewSettings) delivery.retained = null
    if (overdueAt === null) this.#delivery = null
    else delivery.overdueAt = Math.min(delivery.overdueAt, overdueAt)
  }

  /** Call this when the device has moved to another base unit. */
  move(): void {
    this.#delivery = null
    this.refusal.end()
    this.#forgetPages()
    this.isSaved = false
    this.#poll++
    this.#onChange()
  }

  /**
   * Call this when the service has refused the device.
   * @param now monotonic ms
   * @param isAlerts whether alerts were requested, which many devices never have
   * @returns how long it is skipped, ms
   */
  refuse(now: number, isAlerts: boolean): number {
    this.#lacksAlerts = isAlerts && !this.hasResponded && !this.#cursor
    if (!this.#lacksAlerts) return this.refusal.begin(now)
    this.#onChange()
    // Alerts allow few requests.
    return this.refusal.begin(now, MAX_PAUSE_MS)
  }

  /** Call this when the service has responded for the device. The next pause has its initial length again. */
  markResponded(): void {
    this.refusal.end()
    this.hasResponded = true
  }

  /**
   * The state to save; `undefined` if there is none.
   * @param now ms since 1970 UTC
   * @param monotonic the same instant, monotonic ms
   */
  toSave(now: number, monotonic: number): SavedDevice | undefined {
    const { issuedAt, next } = this.#delivery ?? {}
    const pauseMs = this.#lacksAlerts ? this.refusal.left(monotonic) : 0
    const saved: SavedDevice = {
      ...(this.#cursor && { cursor: this.#cursor }),
      ...(issuedAt !== undefined && next && { unacknowledged: { sequence: issuedAt, cursor: next } }),
      ...(pauseMs > 0 && { refusedUntil: Math.round(now + pauseMs) }),
      ...(this.lastSent !== undefined && { lastSent: this.lastSent }),
      ...this.pages.toSave([...this.holes, ...holesOf(this.#delivery?.next)]),
    }
    if (Object.keys(saved).length === 0 && !this.wasPolled) return undefined
    return { ...saved, ...(this.unselectedMs > 0 && { unselectedMs: this.unselectedMs }) }
  }

  /** Restores saved state, unless the device has changed while it was being read. */
  restore(saved: SavedDevice, now: number, monotonic: number): void {
    const { cursor, unacknowledged, refusedUntil = 0, lastSent, unselectedMs = 0 } = saved
    this.#cursor ??= cursor ?? null
    this.isSaved = cursor !== undefined
    if (unacknowledged) {
      const { sequence: issuedAt, cursor: next } = unacknowledged
      this.#delivery ??= new AwaitedDelivery(issuedAt, next, null)
      this.#lastIssuedAt = Math.max(this.#lastIssuedAt, issuedAt)
    }
    if (refusedUntil > now) {
      this.#lacksAlerts = true
      this.refusal.resume(monotonic, refusedUntil - now)
    }
    this.pages.restore(saved, now)
    this.lastSent ??= lastSent
    this.unselectedMs = unselectedMs
    this.wasPolled = true
  }

  /** The awaited delivery, unless it was acknowledged, skipped, forgotten or replaced in the meantime. */
  #issued(issuedAt: number): AwaitedDelivery | undefined {
    return this.#delivery?.issuedAt === issuedAt ? this.#delivery : undefined
  }

  #forgetPages(): void {
    this.pages.clear()
    this.recordsAt = Number.NEGATIVE_INFINITY
  }
}

const holesOf = (cursor: Cursor | null | undefined): readonly Hole[] =>
  (cursor as RecordCursor | null | undefined)?.holes ?? []
