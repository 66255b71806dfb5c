import { EnvlogError } from '../errors'
import { countOf } from '../readings/content'
import type { Backfill } from './backfill'
import { type Cursor, isSameExceptSequence } from './cursor'
import type { PolledData } from './fetch'
import type { SavedDevice } from './saved-state'

/** Number of resends without a receipt before users are warned; the next one triggers the warning. */
export const MAX_QUIET_RESENDS = 3

/** A refused device is skipped for this time, which doubles with each further refusal. */
const FIRST_PAUSE_MS = 600_000
const MAX_PAUSE_MS = 86_400_000

/** A gateway may fail for hours, so a page is given up only after this many persistent failures over this time. */
const GIVE_UP_AFTER = { count: 3, ms: 86_400_000 }

/** A delivery that is kept in memory until its receipt arrives. */
export type RetainedDelivery = Omit<PolledData, 'failed' | 'receipt'>

/** A delivery for which a receipt was issued. */
interface Issued {
  /** Sequence of its first delivery: receipts of any delivery since then are for the same records. */
  firstSequence: number
  /** The cursor after the receipt has arrived. */
  next: Cursor
  /** Monotonic ms. From then on, a retained delivery is sent again, and one that is not retained is requested again. */
  overdueAt: number
  retained: RetainedDelivery | null
}

export type OverdueDelivery = Issued & { retained: RetainedDelivery }

/** Records that were sent, perhaps several times, and are not acknowledged yet. */
export interface Unacknowledged {
  /** Sequence of the first delivery, which is also the time its response was received, ms since 1970 UTC. */
  since: number
  resends: number
  /** The cursor after acknowledgement. */
  next: Cursor
}

/**
 * What a node knows about one device. Only `SavedDevice` survives a restart. A poll changes the state between its
 * requests; messages and deploys may change it during a request: a poll that `isOver` no longer changes anything.
 */
export class DeviceState {
  /** The last current reading that was sent, encoded by `toSentValue`. */
  lastSent: string | undefined
  /** How long the node has been running without selecting it, ms. */
  unselectedMs = 0
  /** Orders the devices by their last poll; devices that were never polled come first. */
  polledRank = Number.NEGATIVE_INFINITY
  /** Its last failure may have been caused by the device or by the account. */
  isSuspect = false
  /** The service has responded for it in this process. */
  hasAnswered = false
  /** Its newest records are far ahead of the clock, so they hide the present ones. */
  isFarAhead = false
  /** The store is known to contain its cursor. */
  isSaved = false

  readonly #onChange: () => void
  #cursor: Cursor | null = null
  /** Receipts of cursors up to this sequence are void, because what they refer to was forgotten. */
  #voidUpTo: number
  /** Sequence of the latest cursor for which a receipt was issued. */
  #lastIssued = 0
  #poll = 0
  #backfill: Backfill | null = null
  /** Failures of one page that may be permanent, and the node's running time since the first one, ms. */
  #pageFailures: { count: number; ms: number } | null = null
  /** When a page last failed, monotonic ms. */
  #failedAt: number | null = null
  /** A backfill was given up and no page has been received since: the next refused one is given up immediately. */
  #hasGivenUp = false
  #issued: Issued | null = null
  #unacknowledged: Unacknowledged | null = null
  #pause: { ms: number; until: number } | null = null

  /** @param onChange called when something changes that has to be saved */
  constructor(onChange: () => void, voidUpTo = 0) {
    this.#onChange = onChange
    this.#voidUpTo = voidUpTo
  }

  /** What was delivered or, with receipts, acknowledged; `null` before the first response. */
  get cursor(): Cursor | null {
    return this.#cursor
  }

  /** The backfill in progress. Received pages are kept between triggers and across deploys. */
  get backfill(): Backfill | null {
    return this.#backfill
  }

  get unacknowledged(): Unacknowledged | null {
    return this.#unacknowledged
  }

  /** The next cursor's sequence must exceed this. */
  get latestSequence(): number {
    return Math.max(this.#voidUpTo, this.#lastIssued, this.#cursor?.sequence ?? 0)
  }

  /** Number of records and alerts kept in memory. */
  get retainedCount(): number {
    const { received, paging } = this.#backfill ?? {}
    const pages = paging?.parts.reduce((sum, { records }) => sum + records.length, 0) ?? 0
    const { retained } = this.#issued ?? {}
    return pages + (received?.series.records.length ?? 0) + (retained ? countOf(retained.content) : 0)
  }

  /** Nothing has been received for it yet. */
  get isBlank(): boolean {
    return !this.#cursor && !this.#backfill && !this.#issued && this.lastSent === undefined
  }

  /** @returns whether the poll is over because of another poll, `forget`, `skip` or a deploy */
  beginPoll(): () => boolean {
    const poll = ++this.#poll
    return () => this.#poll !== poll
  }

  /** @param now monotonic ms */
  isAwaitingReceipt(now: number): boolean {
    return this.#issued !== null && now < this.#issued.overdueAt
  }

  /** The delivery to be sent again because its receipt is overdue, if it was retained. */
  get overdue(): OverdueDelivery | null {
    const { retained } = this.#issued ?? {}
    return this.#issued && retained ? { ...this.#issued, retained } : null
  }

  /** Everything was sent, or there was nothing to send. */
  advance(next: Cursor): void {
    const isSame = isSameExceptSequence(this.#cursor, next)
    this.#cursor = next
    this.#endDelivery()
    this.#unacknowledged = null
    // After a restart nothing depends on the sequence alone, and most polls find nothing new.
    if (!isSame) this.#onChange()
  }

  startBackfill(backfill: Backfill): void {
    this.#issued = null
    this.#backfill = backfill
  }

  addPage(backfill: Backfill): void {
    this.#backfill = backfill
    this.#clearFailures()
    this.#hasGivenUp = false
  }

  dropBackfill(): void {
    this.#backfill = null
  }

  /**
   * A page could not be fetched.
   * @param now monotonic ms
   * @returns whether to give up the backfill: the same page keeps failing, or the device is refused again
   */
  failPage(error: unknown, now: number): boolean {
    const kind = classifyFailure(error)
    if (kind === 'transient') return false
    const before = this.#pageFailures ?? { count: 0, ms: 0 }
    const failures = { count: before.count + 1, ms: before.ms + now - (this.#failedAt ?? now) }
    this.#pageFailures = failures
    this.#failedAt = now
    const isPersistent = failures.count >= GIVE_UP_AFTER.count && failures.ms >= GIVE_UP_AFTER.ms
    const isGivenUp = isPersistent || (kind === 'refused' && this.#hasGivenUp)
    if (isGivenUp) this.#hasGivenUp = true
    this.#onChange()
    return isGivenUp
  }

  /** Starts with a cursor for which the records about to be sent are new, so that they are sent again after a crash. */
  beginWith(before: Cursor): void {
    if (this.#cursor) return
    this.#cursor = before
    this.#onChange()
  }

  /** A receipt for the cursor is about to be sent. */
  issue(issued: Issued): void {
    this.#endDelivery()
    this.#issued = issued
    this.#lastIssued = issued.next.sequence
  }

  /** Sending failed: the next trigger repeats it. */
  expireReceipt(next: Cursor): void {
    if (this.#issued?.next === next) this.#issued.overdueAt = Number.NEGATIVE_INFINITY
  }

  /** A delivery with a receipt was sent. Its receipt may have arrived during that. */
  markSent(next: Cursor): void {
    if ((this.#cursor?.sequence ?? 0) >= next.sequence) return
    const { since = next.sequence, resends = -1 } = this.#unacknowledged ?? {}
    this.#unacknowledged = { since, resends: resends + 1, next }
  }

  /** A receipt was returned. It may belong to an earlier delivery or an earlier process, or arrive twice. */
  acknowledge(cursor: Cursor): void {
    const { sequence } = cursor
    if (this.#issued && sequence >= this.#issued.firstSequence) this.#issued = null
    if (this.#unacknowledged && sequence >= this.#unacknowledged.since) this.#unacknowledged = null
    if (sequence <= Math.max(this.#voidUpTo, this.#cursor?.sequence ?? 0)) return
    this.#cursor = cursor
    this.#onChange()
  }

  /**
   * Everything that was sent without a receipt counts as delivered. Requests in progress were compared with the cursor
   * before that.
   */
  skip(): void {
    if (!this.#unacknowledged) return
    this.#cursor = this.#unacknowledged.next
    this.#unacknowledged = null
    this.#endDelivery()
    this.#poll++
    this.#onChange()
  }

  /** @param now ms since 1970 UTC: this process does not know which receipts an earlier process issued */
  forget(now: number): void {
    this.#voidUpTo = Math.max(now, this.latestSequence)
    this.#cursor = null
    this.isSaved = false
    this.#unacknowledged = null
    this.#hasGivenUp = false
    this.lastSent = undefined
    this.#pause = null
    this.#endDelivery()
    this.#poll++
  }

  /** The node closes: work in progress no longer has any effect, and is repeated later. */
  close(): void {
    this.#poll++
  }

  /**
   * The node is created again in the same process, perhaps with another store.
   * @param hasNewSettings whether fetched records may have a different form from what is wanted now
   * @param overdueAt when pending receipts are overdue at the latest, monotonic ms; `null` if none are awaited any more
   */
  deploy(hasNewSettings: boolean, overdueAt: number | null): void {
    this.isSaved = false
    this.#pause = null
    if (hasNewSettings) {
      this.#backfill = null
      if (this.#issued) this.#issued.retained = null
    }
    const latest = overdueAt ?? Number.NEGATIVE_INFINITY
    if (this.#issued) this.#issued.overdueAt = Math.min(this.#issued.overdueAt, latest)
    if (overdueAt === null) this.#unacknowledged = null
  }

  /** The device has moved to another base unit: fetched records belong to the previous one. */
  move(): void {
    this.#backfill = null
    this.#issued = null
    this.#unacknowledged = null
    this.#pause = null
    this.#hasGivenUp = false
    this.#clearFailures()
    this.isSaved = false
    this.#poll++
    this.#onChange()
  }

  /** The service has refused the device. @param now monotonic ms @returns how long the device is skipped, ms */
  refuse(now: number): number {
    const ms = this.#pause ? Math.min(MAX_PAUSE_MS, 2 * this.#pause.ms) : FIRST_PAUSE_MS
    this.#pause = { ms, until: now + ms }
    return ms
  }

  /** Whether it is skipped now. @param now monotonic ms */
  isPaused(now: number): boolean {
    return this.#pause !== null && now < this.#pause.until
  }

  /** The service has responded: pauses start over. */
  markAnswered(): void {
    this.#pause = null
    this.hasAnswered = true
  }

  /** `undefined` if there is nothing to save. */
  toSave(): SavedDevice | undefined {
    const saved: SavedDevice = {
      ...(this.#cursor && { cursor: this.#cursor }),
      ...(this.#voidUpTo > 0 && { voidUpTo: this.#voidUpTo }),
      ...(this.#pageFailures && { pageFailures: this.#pageFailures }),
      ...(this.#hasGivenUp && { hasGivenUp: true }),
      ...(this.lastSent !== undefined && { lastSent: this.lastSent }),
    }
    const wasPolled = this.polledRank > Number.NEGATIVE_INFINITY
    if (Object.keys(saved).length === 0 && !wasPolled) return undefined
    return { ...saved, ...(this.unselectedMs > 0 && { unselectedMs: this.unselectedMs }) }
  }

  /** Restores saved state; changes made while it was being read take precedence. */
  restore({ cursor, voidUpTo = 0, pageFailures, hasGivenUp, lastSent, unselectedMs = 0 }: SavedDevice): void {
    if (cursor && cursor.sequence >= (this.#cursor?.sequence ?? 0)) this.#cursor = cursor
    this.isSaved = cursor !== undefined
    this.#voidUpTo = Math.max(this.#voidUpTo, voidUpTo)
    this.#pageFailures ??= pageFailures ?? null
    this.#hasGivenUp ||= hasGivenUp ?? false
    this.lastSent ??= lastSent
    this.unselectedMs = unselectedMs
  }

  #endDelivery(): void {
    this.#backfill = null
    this.#issued = null
    this.#clearFailures()
  }

  #clearFailures(): void {
    this.#pageFailures = null
    this.#failedAt = null
  }
}

/** `refused` and `unreadable` may be permanent. */
function classifyFailure(error: unknown): 'transient' | 'refused' | 'unreadable' {
  if (!(error instanceof EnvlogError)) return 'transient'
  if (error.reason === 'device-refused') return 'refused'
  return error.code === 'ENVLOG_REPLY' ? 'unreadable' : 'transient'
}
