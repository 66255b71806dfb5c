/**
 * Fetches the records that responses did not contain, after the new records of all devices were sent
 * (docs/collecting.md, *Missing records*): takes the next page of the next device, delivers it, and moves the end of
 * the hole.
 */

import { linkAbort, onAbort } from '../abort'
import { nextTurn, sleep } from '../clock'
import { createTimeFormatter } from '../decode/time'
import { MAX_LATEST_RECORDS } from '../endpoints'
import { concernsOneDevice, EnvlogError, isAmbiguous } from '../errors'
import type { QuotaWait, RequestContext } from '../request'
import type { RecordCursor, Unreported } from './cursor'
import { beginPoll, deliver, type Poll, type PollRun } from './deliver'
import type { DeviceState } from './device-state'
import { deviceKey, isStandalone, type ResolvedDevice } from './devices'
import { toCollected } from './fetch'
import { fillHole, findGapsIn, type Hole } from './holes'
import { hasRecordsOutside, lacksRecordAt, pageOf, type ReceivedPage } from './pages'
import { fetchPage } from './range'
import { rememberFilled } from './record-plan'

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

const NOTHING: Unreported = { overflow: false, gaps: [] }
/** A device whose record quota is used up is requested again after this time if the service does not name one. */
const RECORDS_WAIT_MS = 60_000
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
  const stateOf = (device: ResolvedDevice) => nodeState.device(deviceKey(device))
  /** When the record quota of a device is available again, monotonic ms. */
  const recordsAt = new Map<ResolvedDevice, number>()
  let pagesLeft = interrupt.aborted ? MIN_PAGES : 0
  for (;;) {
    const now = nodeState.clock.monotonic()
    run.onFill(devices.filter((device) => stateOf(device).lacksRecords))
    const fillable = devices.filter((device) => isFillable(stateOf(device), now))
    if (fillable.length === 0 || (interrupt.aborted && pagesLeft-- <= 0)) return
    const waitOf = (device: ResolvedDevice) =>
      Math.max(stateOf(device).receiptWait(now), (recordsAt.get(device) ?? now) - now)
    const [next] = fillable
      .filter((device) => waitOf(device) <= 0)
      .sort((a, b) => stateOf(a).filledAt - stateOf(b).filledAt)
    if (!next) {
      const waitMs = Math.min(...fillable.map(waitOf))
      const isTooLong = context.maxWaitMs !== null && waitMs > context.maxWaitMs
      if (interrupt.aborted || (isTooLong && fillable.every((device) => recordsAt.has(device)))) return
      await waitForReceipt(run, waitMs, context.signal)
      continue
    }
    const outcome = await fill(run, next, context)
    // The next trigger continues when the quota allows it.
    if (outcome === 'interrupted') return
    recordsAt.delete(next)
    if (outcome !== 'filled') recordsAt.set(next, outcome.recordsAt)
  }
}

/** Whether the next page of a device can be requested, now or after a wait. @param now monotonic ms */
function isFillable(device: DeviceState, now: number): boolean {
  if (device.isPaused(now) || !device.nextHole(now)) return false
  return device.overdue === null || device.receiptWait(now) > 0
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
 * @returns `interrupted` if it would have to wait for quota, but must not
 */
async function fill(
  run: FillRun,
  device: ResolvedDevice,
  context: RequestContext,
): Promise<'filled' | 'interrupted' | { recordsAt: number }> {
  const { nodeState, interrupt } = run
  const { clock } = nodeState
  const state = nodeState.device(deviceKey(device))
  const hole = state.nextHole(clock.monotonic())
  if (!hole) return 'filled'
  state.filledAt = clock.monotonic()
  const request = linkAbort(context.signal)
  let isWaiting = false
  const onWait = (wait: QuotaWait) => {
    isWaiting = wait.until !== null
    run.onFillWait(wait)
    if (isWaiting && interrupt.aborted) request.abort()
  }
  // Another trigger ends the wait for quota, but not a request that was sent.
  onAbort(interrupt, () => isWaiting && request.abort(), request.signal)
  try {
    const own = { ...context, signal: request.signal, onWait }
    if (run.awaited.delete(device)) await run.poll(device, own)
    // A page is requested again after a pause, so that it does not delay the next trigger by many retries.
    else await fetchNextPage(run, device, hole, { ...own, maxRecordsWaitMs: 0, maxRetries: 1 })
    return 'filled'
  } catch (error) {
    if (!(error instanceof EnvlogError) || context.signal.aborted) throw error
    if (request.signal.aborted || error.reason === 'quota-wait') return 'interrupted'
    if (error.reason === 'records-wait') {
      const { retryAt } = error.cause
      const waitMs = retryAt ? Date.parse(retryAt) - clock.now() : RECORDS_WAIT_MS
      return { recordsAt: clock.monotonic() + Math.max(1000, waitMs) }
    }
    if (!concernsPage(error)) throw error
    fail(run, device, hole, error)
    return 'filled'
  } finally {
    request.abort()
  }
}

/**
 * Whether a failure concerns only the page, and not the account. The service has just responded to other requests of
 * this trigger, so this includes timeouts and refused logins.
 */
const concernsPage = (error: EnvlogError) =>
  concernsOneDevice(error) || isAmbiguous(error) || error.code === 'ENVLOG_AUTH'

/**
 * Fetches the next page of a hole and delivers it.
 * @throws EnvlogError `response-other-period`, or if a request, decoding or `deliver` fails
 */
async function fetchNextPage(
  run: FillRun,
  target: ResolvedDevice,
  hole: Hole,
  context: RequestContext,
): Promise<void> {
  const { newest: most = MAX_LATEST_RECORDS } = run
  const poll = beginPoll(run, target, context)
  const { device } = poll
  const { page, response, failed } = await fetchHolePage(poll, hole)
  await nextTurn()
  const cursor = device.cursor as RecordCursor
  if (poll.isOver()) return
  const isForced = lacksRecordAt(hole.to, page.part)
  const { fresh, inside, rest, lost = isForced ? hole : undefined } = fillHole(hole, page, run.time)
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
  const collected = toCollected(target, response, { kind: 'series', series })
  await deliver(poll, {
    data: { ...collected, backfill: true, ...(overflow && { overflow }), failed },
    next,
  })
}

/**
 * Requests a page, and once more if it contradicts its neighbour.
 * @throws EnvlogError `response-lacks-record` if it still does, unless this has happened before
 */
async function fetchHolePage({ run, target, context, device }: Poll, hole: Hole) {
  const style = { time: run.time, offset: device.utcOffset }
  const fetchOnce = async () => {
    const page = pageOf(hole.from, hole.to)
    const { part, received, ...others } = await fetchPage(run.account, target, page, style, context)
    return { page: { part, ...received } satisfies ReceivedPage, ...others }
  }
  const first = await fetchOnce()
  if (!lacksRecordAt(hole.to, first.page.part)) return first
  const second = await fetchOnce()
  if (lacksRecordAt(hole.to, second.page.part) && !device.failuresOf(hole).acceptsContradiction)
    throw new EnvlogError('response-lacks-record')
  return second
}

/** After the failure of a page, it is requested again after a pause. A hole whose page keeps failing is given up. */
function fail(run: FillRun, target: ResolvedDevice, hole: Hole, error: EnvlogError): void {
  const { clock } = run.nodeState
  const device = run.nodeState.device(deviceKey(target))
  // It was forgotten in the meantime.
  if (device.holes.every(({ from }) => from !== hole.from)) return
  const pauseMs = device.failuresOf(hole).add(error, clock.monotonic())
  if (pauseMs === undefined) {
    const { unreported = NOTHING, ...cursor } = device.cursor as RecordCursor
    const format = createTimeFormatter(run.time, device.utcOffset ?? null)
    const gaps = findGapsIn(hole, isStandalone(target), format)
    device.forgetFailures(hole)
    run.reportLoss(target, hole)
    device.advance({
      ...replaceHole(cursor, hole, undefined),
      unreported: { overflow: true, gaps: [...unreported.gaps, ...gaps] },
    })
  }
  run.reportPage(target, error, pauseMs === undefined ? undefined : clock.now() + pauseMs)
}

/** The cursor with the rest of a hole, if there is one, in place of the hole. */
function replaceHole(cursor: RecordCursor, hole: Hole, rest: Hole | undefined): RecordCursor {
  const { holes = [], ...others } = cursor
  const left = holes.flatMap((other) => (other.from === hole.from ? (rest ?? []) : [other]))
  return { ...others, ...(left.length > 0 && { holes: left }) }
}
