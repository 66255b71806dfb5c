/**
 * Fetches the records that responses did not contain (docs/collecting.md, *Missing records*): when which device has its
 * turn.
 */

import { linkAbort, onAbort } from '../abort'
import { sleep } from '../clock'
import { EnvlogError, isShortOfRecords } from '../errors'
import type { RequestContext } from '../request'
import { deviceKey, isStandalone, type ResolvedDevice } from './devices'
import { type FillRun, failPage, fetchNextPage, type NextPage } from './next-page'

/** The round of polls beside which missing records are fetched. */
export interface FilledRound {
  devices: readonly ResolvedDevice[]
  /** The devices that are not polled, because they await a receipt: their new records come first. */
  awaited: ReadonlySet<ResolvedDevice>
  /** The devices of which a response is awaited: they have one request at a time. */
  busy: Set<ResolvedDevice>
  /** Polls a device that has awaited a receipt. */
  poll(device: ResolvedDevice, context: RequestContext): Promise<void>
}

/** A page is fetched for each of this many polled devices. */
const POLLS_PER_PAGE = 3
/**
 * A page waits in the queue of the account for this long at most, so that it takes its turn, but gives way to another
 * trigger.
 */
const MAX_QUEUED_MS = 1000
/** A device whose record quota is used up is requested again after this time if the service does not name one. */
const RECORDS_WAIT_MS = 60_000

/** A device whose next page can be requested, now or after a wait. */
interface Fillable extends NextPage {
  waitMs: number
  /** Whether it waits for quota. */
  isForQuota: boolean
}

/** Fetches missing records, one page at a time, devices in turn: between the polls of a round, and after it. */
export class Filling {
  readonly #run: FillRun
  readonly #round: FilledRound
  readonly #context: RequestContext
  /** When the quota of an endpoint allows another request, monotonic ms. */
  readonly #quotaAt = new Map<string, number>()
  /** When the record quota of a device allows another page, monotonic ms. */
  readonly #recordsAt = new Map<ResolvedDevice, number>()
  #polled = 0
  /** Number of pages that may be fetched between polls. */
  #owed = 0
  /** Ends before it is returned if no page can be fetched now. */
  #betweenPolls: Promise<void> | undefined
  #isFilling = false
  #failure: unknown

  constructor(run: FillRun, round: FilledRound, context: RequestContext) {
    this.#run = run
    this.#round = round
    const { onWait: _, ...others } = context
    this.#context = others
  }

  /** Call this after each poll. After every third one, a page is fetched meanwhile, if quota is free. */
  polled(): void {
    if (++this.#polled % POLLS_PER_PAGE > 0 || this.#failure) return
    this.#owed++
    if (!this.#isFilling) this.#betweenPolls = this.#fillBetweenPolls()
  }

  /** Ends filling between polls. Resolves when no page is being fetched. */
  async pause(): Promise<void> {
    this.#owed = Number.NEGATIVE_INFINITY
    await this.#betweenPolls
  }

  /**
   * Continues after the round until all holes are closed, except those whose page has failed or whose device awaits an
   * overdue receipt, or until another trigger waits.
   * @throws EnvlogError of the account; `closed` if the signal is aborted
   */
  async complete(): Promise<void> {
    const { nodeState, interrupt } = this.#run
    await this.pause()
    if (this.#failure) throw this.#failure
    for (;;) {
      const { devices } = this.#round
      this.#run.onFill(
        devices.flatMap((target) => {
          const { completeSince: since } = nodeState.devices.get(deviceKey(target))
          return since === undefined ? [] : [{ target, since }]
        }),
      )
      const fillable = this.#fillable()
      const [next] = fillable
      if (!next || interrupt.aborted || this.#waitsTooLong(fillable)) return
      if (next.waitMs > 0) await this.#wait(next.waitMs)
      else await this.#fill(next)
    }
  }

  async #fillBetweenPolls(): Promise<void> {
    this.#isFilling = true
    try {
      while (this.#owed > 0) {
        const next = this.#fillable().find(({ target }) => !this.#round.awaited.has(target))
        if (next?.waitMs !== 0) return
        this.#owed--
        await this.#fill(next)
      }
    } catch (error) {
      this.#failure = error
    } finally {
      this.#isFilling = false
    }
  }

  /** The devices whose next page can be requested, in the order of their turns. */
  #fillable(): Fillable[] {
    const { nodeState } = this.#run
    const { devices, awaited, busy } = this.#round
    const now = nodeState.clock.monotonic()
    const found = devices.flatMap((target): Fillable[] => {
      const device = nodeState.devices.get(deviceKey(target))
      const receiptWait = device.receiptWait(now)
      const hole = device.refusal.left(now) > 0 ? undefined : device.nextHole(now, nodeState.clock.now())
      const isOverdue = receiptWait === 0 && (device.pages.sent !== undefined || device.overdue !== null)
      if (!hole || busy.has(target) || isOverdue) return []
      // Once its receipt arrives, an awaited device is polled first, which needs no record quota.
      const recordsAt = awaited.has(target) ? 0 : (this.#recordsAt.get(target) ?? 0)
      const quotaWait = Math.max(recordsAt, this.#quotaAt.get(this.#endpointOf(target)) ?? 0) - now
      return [
        { target, device, hole, waitMs: Math.max(receiptWait, quotaWait, 0), isForQuota: quotaWait > 0 },
      ]
    })
    return found.sort(
      (a, b) => a.waitMs - b.waitMs || a.device.pages.requestedAt - b.device.pages.requestedAt,
    )
  }

  /** Whether all devices wait for quota, and longer than the trigger allows. */
  #waitsTooLong(fillable: readonly Fillable[]): boolean {
    const { maxWaitMs } = this.#context
    return maxWaitMs !== null && fillable.every(({ isForQuota, waitMs }) => isForQuota && waitMs > maxWaitMs)
  }

  /** Waits until a receipt or another trigger arrives, for a limited time. */
  async #wait(ms: number): Promise<void> {
    const { nodeState, interrupt } = this.#run
    const { signal } = this.#context
    const wake = linkAbort(signal)
    onAbort(interrupt, () => wake.abort(), wake.signal)
    const stop = nodeState.onReceipt(() => wake.abort())
    try {
      await sleep(nodeState.clock, ms, wake.signal)
    } catch (error) {
      if (signal.aborted) throw error
    } finally {
      stop()
      wake.abort()
    }
  }

  /** Fetches the next page of a device or, if it has awaited a receipt, polls it. */
  async #fill(next: Fillable): Promise<void> {
    const { target, device } = next
    const { maxWaitMs } = this.#context
    const endpoint = this.#endpointOf(target)
    device.pages.request(this.#run.nodeState.clock.monotonic())
    const queuedMs = Math.min(maxWaitMs ?? MAX_QUEUED_MS, MAX_QUEUED_MS)
    const context = { ...this.#context, maxWaitMs: queuedMs }
    this.#round.busy.add(target)
    try {
      if (this.#round.awaited.has(target)) await this.#round.poll(target, context)
      // A page is requested again after a pause, so that it does not delay the next trigger by many retries.
      else await fetchNextPage(this.#run, next, { ...context, maxRecordsWaitMs: 0, maxRetries: 1 })
    } catch (error) {
      if (!(error instanceof EnvlogError) || context.signal.aborted) throw error
      if (isShortOfRecords(error)) {
        this.#recordsAt.set(target, this.#retryAt(error))
        // Another device may have records left.
        this.#owed++
      } else if (error.reason === 'quota-wait') this.#quotaAt.set(endpoint, this.#retryAt(error) - queuedMs)
      else failPage(this.#run, next, error)
    } finally {
      this.#round.busy.delete(target)
    }
  }

  /** Identifies the endpoint of the next request for a device: that of polls or of pages. */
  #endpointOf(target: ResolvedDevice): string {
    return `${this.#round.awaited.has(target)} ${isStandalone(target)}`
  }

  /** When a request that was refused for lack of quota can be sent again, monotonic ms. */
  #retryAt({ cause: { retryAt } }: EnvlogError): number {
    const { clock } = this.#run.nodeState
    const waitMs = retryAt ? Date.parse(retryAt) - clock.now() : RECORDS_WAIT_MS
    return clock.monotonic() + Math.max(MAX_QUEUED_MS, waitMs)
  }
}
