/**
 * Fetches the records that responses did not contain, after the new records of all devices were sent
 * (docs/collecting.md, *Missing records*): takes the next page of the next device, delivers it, and moves the end of
 * the hole.
 */

import { linkAbort, onAbort } from '../abort'
import { nextTurn, sleep } from '../clock'
import { MAX_LATEST_RECORDS } from '../endpoints'
import { concernsOneDevice, EnvlogError, isAmbiguous, isShortOfRecords } from '../errors'
import type { QuotaWait, RequestContext } from '../request'
import { NOTHING, type RecordCursor, rememberFilled } from './cursor'
import type { DeviceState } from './device-state'
import { deviceKey, isStandalone, type ResolvedDevice } from './devices'
import { toCollected } from './fetch'
import { fillHole, findGapsIn, type Hole } from './holes'
import { fetchPage, hasRecordsOutside, pageOf } from './page'
import { beginPoll, deliver, type PollRun } from './poll'

/** The trigger for which missing records are fetched. */
export interface FillRun extends PollRun {
  /** Aborts when another trigger waits: filling gives way before its next request. */
  interrupt: AbortSignal
  /** Number of records in a full *latest* response. */
  newest?: number
  /** The devices that the trigger has not polled, because they awaited a receipt: their new records come first. */
  awaited: Set<ResolvedDevice>
  /** Polls such a device. */
  poll(device: ResolvedDevice, context: RequestContext): Promise<void>
  /** Reports the failure of a page. @param retryAt when it is requested again, ms since 1970 UTC; absent for never */
  reportPage(device: ResolvedDevice, error: EnvlogError, retryAt: number | undefined): void
  /** Called before each round of pages, with the devices whose records are still missing, and at the end. */
  onFill(open: readonly ResolvedDevice[]): void
  onFillWait(wait: QuotaWait): void
}

/** A device whose record quota is used up is requested again after this time if the service does not name one. */
const RECORDS_WAIT_MS = 60_000
/** Maximum number of requests for a page that contradicts its neighbour. */
const MAX_ATTEMPTS = 2
/**
 * Number of pages that are fetched without waiting if another trigger already waits, because the new records of many
 * devices may always take longer than the interval of the triggers.
 */
const MIN_PAGES = 10

/**
 * Fetches pages one at a time, devices in turn, until all holes are closed, except those whose page has failed or whose
 * device awaits an overdue receipt, or until another trigger waits.
 * @throws EnvlogError of the account; `closed` if the signal is aborted
 */
export async function fillHoles(
  run: FillRun,
  devices: readonly ResolvedDevice[],
  context: RequestContext,
): Promise<void> {
  const { nodeState, interrupt } = run
  let pagesLeft = interrupt.aborted ? MIN_PAGES : 0
  for (;;) {
    run.onFill(devices.filter((target) => nodeState.devices.get(deviceKey(target)).lacksRecords))
    const fillable = findFillable(run, devices)
    const [next] = fillable
    if (!next || (interrupt.aborted && pagesLeft-- <= 0)) return
    // The next trigger continues when the quota allows it.
    if (next.waitMs > 0 && (interrupt.aborted || waitsTooLong(fillable, context))) return
    if (next.waitMs > 0) await waitForReceipt(run, next.waitMs, context.signal)
    else if (!(await fill(run, next, context))) return
  }
}

/** A device whose next page can be requested, now or after a wait. */
interface Fillable {
  target: ResolvedDevice
  device: DeviceState
  hole: Hole
  waitMs: number
  /** Whether it waits for its record quota. */
  isForRecords: boolean
}

/** The devices whose next page can be requested, in the order of their turns. */
function findFillable({ nodeState, awaited }: FillRun, devices: readonly ResolvedDevice[]): Fillable[] {
  const now = nodeState.clock.monotonic()
  const found = devices.flatMap((target): Fillable[] => {
    const device = nodeState.devices.get(deviceKey(target))
    const receiptWait = device.receiptWait(now)
    const hole = device.refusal.left(now) > 0 ? undefined : device.nextHole(now)
    if (!hole || (device.overdue !== null && receiptWait === 0)) return []
    // Once its receipt arrives, an awaited device is polled first, which needs no record quota.
    const recordsWait = awaited.has(target) ? 0 : device.recordsAt - now
    return [
      { target, device, hole, waitMs: Math.max(receiptWait, recordsWait, 0), isForRecords: recordsWait > 0 },
    ]
  })
  return found.sort((a, b) => a.waitMs - b.waitMs || a.device.filledAt - b.device.filledAt)
}

/** Whether all devices wait for their record quota, and longer than the caller allows. */
function waitsTooLong(fillable: readonly Fillable[], { maxWaitMs }: RequestContext): boolean {
  return (
    maxWaitMs !== null && fillable.every(({ isForRecords, waitMs }) => isForRecords && waitMs > maxWaitMs)
  )
}

/** Waits until a receipt or another trigger arrives, for a limited time. */
async function waitForReceipt(
  { nodeState, interrupt }: FillRun,
  ms: number,
  signal: AbortSignal,
): Promise<void> {
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

/**
 * Fetches the next page of a device.
 * @returns false if it would have to wait for quota, but must not
 */
async function fill(run: FillRun, next: Fillable, context: RequestContext): Promise<boolean> {
  const { nodeState, interrupt } = run
  const { target, device } = next
  device.filledAt = nodeState.clock.monotonic()
  const request = linkAbort(context.signal)
  let isWaiting = false
  // Another trigger ends the wait for quota, but not a request that was sent.
  const giveWay = () => {
    if (isWaiting && interrupt.aborted) request.abort()
  }
  const onWait = (wait: QuotaWait) => {
    isWaiting = wait.until !== null
    run.onFillWait(wait)
    giveWay()
  }
  onAbort(interrupt, giveWay, request.signal)
  try {
    const own = { ...context, signal: request.signal, onWait }
    if (run.awaited.delete(target)) await run.poll(target, own)
    // A page is requested again after a pause, so that it does not delay the next trigger by many retries.
    else await fetchNextPage(run, next, { ...own, maxRecordsWaitMs: 0, maxRetries: 1 })
  } catch (error) {
    if (!(error instanceof EnvlogError) || context.signal.aborted) throw error
    if (request.signal.aborted || error.reason === 'quota-wait') return false
    fail(run, next, error)
  } finally {
    request.abort()
  }
  return true
}

/**
 * Whether a failure concerns only the page, and not the account. The service has just responded to other requests of
 * this trigger, so this includes timeouts and refused logins.
 */
const concernsPage = (error: EnvlogError) =>
  concernsOneDevice(error) || isAmbiguous(error) || error.code === 'ENVLOG_AUTH'

/**
 * Fetches the next page of a hole and delivers it.
 * @throws EnvlogError `response-other-period`; `response-lacks-record` if the page contradicts its neighbour, unless this
 * has happened before; or if a request, decoding or `deliver` fails
 */
async function fetchNextPage(
  run: FillRun,
  { target, device, hole }: Fillable,
  context: RequestContext,
): Promise<void> {
  const { newest: most = MAX_LATEST_RECORDS } = run
  const poll = beginPoll(run, target, context)
  const options = { time: run.time, offset: device.utcOffset, seam: hole.to, maxAttempts: MAX_ATTEMPTS }
  const page = await fetchPage(run.account, target, pageOf(hole.from, hole.to), options, context)
  const { response, failed, isContradicted } = page
  // A full remote unit may have replaced the record since then.
  const isReplaced = hole.isEmpty && page.count === 0
  if (isContradicted && !isReplaced && !device.failuresOf(hole).acceptsContradiction)
    throw new EnvlogError('response-lacks-record')
  await nextTurn()
  const cursor = device.cursor as RecordCursor
  if (poll.isOver()) return
  const { fresh, inside, rest, lost = isContradicted ? hole : undefined } = fillHole(hole, page, run.time)
  if (fresh.records.length === 0 && hasRecordsOutside(page)) throw new EnvlogError('response-other-period')
  device.forgetFailures(hole)
  const { unreported = NOTHING } = cursor
  if (lost) run.reportLoss(target, lost)
  const overflow = lost !== undefined || unreported.overflow
  const { records, gaps } = fresh
  const series = { ...fresh, gaps: [...unreported.gaps, ...gaps] }
  const { unreported: _, ...kept } = rememberFilled(cursor, inside, fresh, most)
  const isUnreported = records.length === 0 && (overflow || series.gaps.length > 0)
  const next: RecordCursor = {
    ...replaceHole(kept, hole, rest),
    ...(isUnreported && { unreported: { overflow, gaps: series.gaps } }),
  }
  const collected = toCollected(run.account, target, response, { kind: 'series', series })
  await deliver(poll, { ...collected, backfill: true, ...(overflow && { overflow }), failed }, next)
}

/**
 * Puts off the next page of a device whose record quota is used up or whose page has failed. A hole whose page keeps
 * failing is given up.
 * @throws EnvlogError if the failure is that of the account
 */
function fail(run: FillRun, failed: Fillable, error: EnvlogError): void {
  const { clock } = run.nodeState
  const { target, device, hole } = failed
  if (isShortOfRecords(error)) {
    const { retryAt } = error.cause
    const waitMs = retryAt ? Date.parse(retryAt) - clock.now() : RECORDS_WAIT_MS
    device.recordsAt = clock.monotonic() + Math.max(1000, waitMs)
    return
  }
  if (!concernsPage(error)) throw error
  // It was forgotten in the meantime.
  if (device.holes.every(({ from }) => from !== hole.from)) return
  const pauseMs = device.failuresOf(hole).add(error, clock.monotonic())
  if (pauseMs === undefined) giveUp(run, failed)
  run.reportPage(target, error, pauseMs === undefined ? undefined : clock.now() + pauseMs)
}

/** Gives up a hole: its records are lost. */
function giveUp(run: FillRun, { target, device, hole }: Fillable): void {
  const { unreported = NOTHING, ...cursor } = device.cursor as RecordCursor
  const nothing = { records: [], utcOffset: device.utcOffset ?? null, standalone: isStandalone(target) }
  const gaps = findGapsIn(hole, nothing, true, run.time)
  device.forgetFailures(hole)
  run.reportLoss(target, hole)
  device.advance({
    ...replaceHole(cursor, hole, undefined),
    unreported: { overflow: true, gaps: [...unreported.gaps, ...gaps] },
  })
}

/** The cursor with the rest of a hole, if there is one, in place of the hole. */
function replaceHole(cursor: RecordCursor, hole: Hole, rest: Hole | undefined): RecordCursor {
  const { holes = [], ...others } = cursor
  const left = holes.flatMap((other) => (other.from === hole.from ? (rest ?? []) : [other]))
  return { ...others, ...(left.length > 0 && { holes: left }) }
}
