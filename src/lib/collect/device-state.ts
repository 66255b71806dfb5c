import { EnvlogError } from '../errors'
import { countOf } from '../readings/content'
import type { Backfill } from './backfill'
import { type Cursor, isSameBeyondSequence } from './cursor'
import type { PolledData } from './poll'
import type { SavedDevice } from './saved-state'

/** Resends without a receipt before people are told: with the next one. */
export const MAX_QUIET_RESENDS = 3

/** A refused device is left out for this time; each further refusal doubles it. */
const FIRST_PAUSE_MS = 600_000
const MAX_PAUSE_MS = 86_400_000

/** A gateway may fail for hours, so a page is given up only after this many persistent failures over this long. */
const GIVE_UP_AFTER = { count: 3, ms: 86_400_000 }

/** A delivery that is kept in memory until its receipt is returned. */
export type RetainedDelivery = Omit<PolledData, 'failed' | 'receipt'>

/** A delivery that was sent with a receipt. */
interface Issued {
  /** Sequence of the first of its deliveries: receipts of any delivery since then are for the same records. */
  firstSequence: number
  /** The cursor once the receipt is returned. */
  next: Cursor
  /** Monotonic ms. Then what is retained is sent again; what is not retained is requested again. */
  overdueAt: number
  retained: RetainedDelivery | null
}

export type OverdueDelivery = Issued & { retained: RetainedDelivery }

/** What was sent, perhaps several times, without a receipt so far. */
export interface Unacknowledged {
  /** Sequence of its first delivery, which is when its answer was received, ms since 1970 UTC. */
  since: number
  resends: number
  /** The cursor once it is acknowledged. */
  next: Cursor
}

/**
 * What a node knows of one device. Only `SavedDevice` survives a restart. A poll changes it between its requests, and
 * messages and deploys may change it during them: a poll that `isOver` changes nothing any more.
 */
export class DeviceState {
  /** What was last sent of its current reading. */
  lastSent: string | undefined
  /** How long the node has run without selecting it, ms. */
  unselectedMs = 0
  /** Orders the devices by when they were polled; a device that never was comes first. */
  polledRank = Number.NEGATIVE_INFINITY
  /** Its last failure may have been its own, or the account's. */
  isSuspect = false
  /** It has answered in this process. */
  hasAnswered = false
  /** Its newest records are far ahead of the clock, so that they hide those of the present. */
  isFarAhead = false
  /** The store is known to have a cursor. */
  isSaved = false

  readonly #onChange: () => void
  #cursor: Cursor | null = null
  /** Receipts of cursors up to this sequence are void: they are of what was forgotten. */
  #voidUpTo: number
  /** Sequence of the latest cursor that a receipt was issued for. */
  #lastIssued = 0
  #poll = 0
  #backfill: Backfill | null = null
  /** Failures of one page that may be permanent, and how long the node has run since the first, ms. */
  #pageFailures: { count: number; ms: number } | null = null
  /** When a page last failed, monotonic ms. */
  #failedAt: number | null = null
  /** A backfill was given up, and no page has been received since: the next one that is refused is given up at once. */
  #hasGivenUp = false
  #issued: Issued | null = null
  #unacknowledged: Unacknowledged | null = null
  #pause: { ms: number; until: number } | null = null

  /** @param onChange called when something changed that is to be saved */
  constructor(onChange: () => void, voidUpTo = 0) {
    this.#onChange = onChange
    this.#voidUpTo = voidUpTo
  }

  /** What was delivered or, with receipts, acknowledged; `null` before the first answer. */
  get cursor(): Cursor | null {
    return this.#cursor
  }

  /** The hole that is being filled. What was received is kept from one trigger to the next, and over deploys. */
  get backfill(): Backfill | null {
    return this.#backfill
  }

  get unacknowledged(): Unacknowledged | null {
    return this.#unacknowledged
  }

  /** The sequence that the next cursor has to exceed. */
  get latestSequence(): number {
    return Math.max(this.#voidUpTo, this.#lastIssued, this.#cursor?.sequence ?? 0)
  }

  /** Records and alerts that it keeps in memory. */
  get retainedCount(): number {
    const { received, paging } = this.#backfill ?? {}
    const pages = paging?.parts.reduce((sum, { records }) => sum + records.length, 0) ?? 0
    const { retained } = this.#issued ?? {}
    return pages + (received?.series.records.length ?? 0) + (retained ? countOf(retained.content) : 0)
  }

  /** Nothing was received of it yet. */
  get isBlank(): boolean {
    return !this.#cursor && !this.#backfill && !this.#issued && this.lastSent === undefined
  }

  /** @returns whether the poll is over: another one, `forget`, `skip` or a deploy came in between */
  beginPoll(): () => boolean {
    const poll = ++this.#poll
    return () => this.#poll !== poll
  }

  /** @param now monotonic ms */
  isAwaitingReceipt(now: number): boolean {
    return this.#issued !== null && now < this.#issued.overdueAt
  }

  /** What is to be sent again because its receipt is overdue, if it was retained. */
  get overdue(): OverdueDelivery | null {
    const { retained } = this.#issued ?? {}
    return this.#issued && retained ? { ...this.#issued, retained } : null
  }

  /** What is to be delivered was sent, or there was nothing to send. */
  advance(next: Cursor): void {
    const isSame = isSameBeyondSequence(this.#cursor, next)
    this.#cursor = next
    this.#endDelivery()
    this.#unacknowledged = null
    // Nothing depends on the sequence alone after a restart, and most polls find nothing new.
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
   * @returns whether the backfill is to be given up: the same page failed again and again, or the device is refused again
   */
  failPage(error: unknown, now: number): boolean {
    const kind = classifyFailure(error)
    if (kind === 'transient') return false
    const before = this.#pageFailures ?? { count: 0, ms: 0 }
    const failures = { count: before.count + 1, ms: before.ms + now - (this.#failedAt ?? now) }
    this.#pageFailures = failures
    this.#failedAt = now
    const isHopeless = failures.count >= GIVE_UP_AFTER.count && failures.ms >= GIVE_UP_AFTER.ms
    const isGivenUp = isHopeless || (kind === 'refused' && this.#hasGivenUp)
    if (isGivenUp) this.#hasGivenUp = true
    this.#onChange()
    return isGivenUp
  }

  /** Begins with a cursor from which what is about to be sent is new, so that it is sent again after a crash. */
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

  /** The sending failed: the next trigger repeats it. */
  expireReceipt(next: Cursor): void {
    if (this.#issued?.next === next) this.#issued.overdueAt = Number.NEGATIVE_INFINITY
  }

  /** What a receipt was issued for was sent. Its receipt may have been returned during that. */
  markSent(next: Cursor): void {
    if ((this.#cursor?.sequence ?? 0) >= next.sequence) return
    const { since = next.sequence, resends = -1 } = this.#unacknowledged ?? {}
    this.#unacknowledged = { since, resends: resends + 1, next }
  }

  /** A receipt was returned. It may be of an earlier delivery, of an earlier process, or come twice. */
  acknowledge(cursor: Cursor): void {
    const { sequence } = cursor
    if (this.#issued && sequence >= this.#issued.firstSequence) this.#issued = null
    if (this.#unacknowledged && sequence >= this.#unacknowledged.since) this.#unacknowledged = null
    if (sequence <= Math.max(this.#voidUpTo, this.#cursor?.sequence ?? 0)) return
    this.#cursor = cursor
    this.#onChange()
  }

  /** What was sent without a receipt counts as delivered. What is being requested was compared with the cursor before. */
  skip(): void {
    if (!this.#unacknowledged) return
    this.#cursor = this.#unacknowledged.next
    this.#unacknowledged = null
    this.#endDelivery()
    this.#poll++
    this.#onChange()
  }

  /** @param now ms since 1970 UTC: this process does not know which receipts one before it issued */
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

  /** The node closes: what is under way has no effect any more, and is repeated. */
  close(): void {
    this.#poll++
  }

  /**
   * The node is made again in the same process, perhaps with another store.
   * @param hasNewSettings what was fetched may have another shape than what is wanted now
   * @param overdueAt when awaited receipts are overdue at the latest, monotonic ms; `null` if none is awaited any more
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

  /** The device has moved to another base unit: what was fetched is of the former one. */
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

  /** The service has refused the device. @param now monotonic ms @returns how long it is left out, ms */
  refuse(now: number): number {
    const ms = this.#pause ? Math.min(MAX_PAUSE_MS, 2 * this.#pause.ms) : FIRST_PAUSE_MS
    this.#pause = { ms, until: now + ms }
    return ms
  }

  /** Whether it is left out now. @param now monotonic ms */
  isPaused(now: number): boolean {
    return this.#pause !== null && now < this.#pause.until
  }

  /** The service has answered: pauses start over. */
  markAnswered(): void {
    this.#pause = null
    this.hasAnswered = true
  }

  /** `undefined` if nothing is to be saved. */
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

  /** Takes over what was saved; what changed while it was read stays. */
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
