/**
 * Fetches the records that responses did not contain, after the new records of all devices were sent
 * (docs/collecting.md, *Missing records*): takes the next page of the next device, delivers it, and moves the end of
 * the hole.
 */

import { linkAbort, onAbort } from '../abort'
import { nextTurn, sleep } from '../clock'
import { createTimeFormatter } from '../decode/time'
import { MAX_LATEST_RECORDS } from '../endpoints'
import { EnvlogError, isAmbiguous } from '../errors'
import type { QuotaWait, RequestContext } from '../request'
import type { RecordCursor, Untold } from './cursor'
import { beginPoll, deliver, type Poll, type PollRun } from './deliver'
import type { DeviceState } from './device-state'
import { deviceKey, isStandalone, type ResolvedDevice } from './devices'
import { toCollected } from './fetch'
import { forEachConcurrent } from './for-each'
import { fillHole, findGapsIn, type Hole } from './holes'
import { hasRecordsOutside, lacksRecordAt, pageOf, type ReceivedPage } from './pages'
import { fetchPage } from './range'
import { rememberFilled } from './record-plan'

/** The trigger for which missing records are fetched. */
export interface FillRun extends PollRun {
  /** Aborts when another trigger waits: filling gives way before its next request. */
  interrupt: AbortSignal
  concurrency: number
  /** Number of records in a full *latest* response. */
  newest?: number
  /** Reports the failure of a page. @param retryAt when it is requested again, ms since 1970 UTC; absent for never */
  reportPage(device: ResolvedDevice, error: EnvlogError, retryAt: number | undefined): void
  /** Called before each round of pages, with the devices whose records are still missing, and at the end. */
  onFill(open: readonly ResolvedDevice[]): void
  onFillWait(wait: QuotaWait): void
}

const NOTHING: Untold = { overflow: false, gaps: [] }
/** A device whose record quota is used up is requested again after this time if the service does not name one. */
const RECORDS_WAIT_MS = 60_000

/**
 * Fetches pages until all holes are closed, except those whose page has failed or whose device awaits an overdue
 * receipt, or until another trigger waits.
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
  for (let round = 0; ; round++) {
    const now = nodeState.clock.monotonic()
    const open = devices.filter((device) => isFillable(stateOf(device), now))
    run.onFill(open)
    // At least one page, because the new records of many devices may take longer than the interval of the triggers.
    if (open.length === 0 || (interrupt.aborted && round > 0)) return
    const waitOf = (device: ResolvedDevice) =>
      Math.max(stateOf(device).receiptWait(now), (recordsAt.get(device) ?? now) - now)
    const ready = open.filter((device) => waitOf(device) <= 0)
    if (ready.length === 0) {
      if (interrupt.aborted) return
      const waitMs = Math.min(...open.map(waitOf))
      if (context.maxWaitMs !== null && waitMs > context.maxWaitMs && open.every((one) => recordsAt.has(one)))
        return
      await waitForReceipt(run, waitMs, context.signal)
      continue
    }
    ready.sort((a, b) => stateOf(a).filledAt - stateOf(b).filledAt)
    try {
      await fetchPages(run, interrupt.aborted ? ready.slice(0, 1) : ready, context, recordsAt)
    } catch (error) {
      // The next trigger continues when the quota allows it.
      if (error instanceof EnvlogError && error.code === 'ENVLOG_QUOTA') return
      throw error
    }
  }
}

/** Whether the next page of a device can be requested, now or after a wait. @param now monotonic ms */
function isFillable(device: DeviceState, now: number): boolean {
  if (!device.hasHoles || device.isPaused(now) || device.holeFailures.isPaused(now)) return false
  return !device.hasDelivery || device.receiptWait(now) > 0
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

/** Fetches one page of each device. */
async function fetchPages(
  run: FillRun,
  devices: readonly ResolvedDevice[],
  context: RequestContext,
  recordsAt: Map<ResolvedDevice, number>,
): Promise<void> {
  const { nodeState, interrupt } = run
  const work = async (device: ResolvedDevice, signal: AbortSignal) => {
    if (interrupt.aborted && device !== devices[0]) return
    nodeState.device(deviceKey(device)).filledAt = nodeState.clock.monotonic()
    const page = linkAbort(signal)
    let isWaiting = false
    const onWait = (wait: QuotaWait) => {
      isWaiting = wait.until !== null
      run.onFillWait(wait)
      if (isWaiting && interrupt.aborted) page.abort()
    }
    // Another trigger ends the wait for quota, but not a request that was sent.
    onAbort(interrupt, () => isWaiting && page.abort(), page.signal)
    try {
      await fetchNextPage(run, device, { ...context, signal: page.signal, onWait })
      recordsAt.delete(device)
    } catch (error) {
      if (!(error instanceof EnvlogError) || signal.aborted) throw error
      if (page.signal.aborted) return
      // The service has just responded to other requests of this trigger, so that such a failure concerns the page.
      if (isAmbiguous(error)) return fail(run, device, error)
      if (error.reason !== 'records-wait' && error.reason !== 'records-refused') throw error
      const { retryAt } = error.cause
      const waitMs = retryAt ? Date.parse(retryAt) - nodeState.clock.now() : RECORDS_WAIT_MS
      recordsAt.set(device, nodeState.clock.monotonic() + Math.max(1000, waitMs))
    } finally {
      page.abort()
    }
  }
  const onFailure = (device: ResolvedDevice, error: EnvlogError) => fail(run, device, error)
  await forEachConcurrent(devices, run.concurrency, context.signal, work, onFailure, () => false)
}

/**
 * Fetches the next page of a device's newest hole and delivers it.
 * @throws EnvlogError `reply-other-period`, or if a request, decoding or `deliver` fails
 */
async function fetchNextPage(run: FillRun, target: ResolvedDevice, context: RequestContext): Promise<void> {
  const { newest: most = MAX_LATEST_RECORDS } = run
  const poll = beginPoll(run, target, context)
  const { device } = poll
  const { holes: [hole, ...others] = [] } = device.cursor as RecordCursor
  if (!hole) return
  const { page, response, failed } = await fetchHolePage(poll, hole)
  await nextTurn()
  const cursor = device.cursor as RecordCursor
  if (poll.isOver()) return
  const isForced = lacksRecordAt(hole.to, page.part)
  const { fresh, inside, rest, isLost } = fillHole(hole, page, run.time)
  if (fresh.records.length === 0 && hasRecordsOutside(page)) throw new EnvlogError('reply-other-period')
  device.holeFailures.reset()
  const { untold = NOTHING } = cursor
  const overflow = isLost || isForced || untold.overflow
  const { records, gaps } = fresh
  const series = { ...fresh, gaps: [...untold.gaps, ...gaps] }
  const { holes: _, untold: __, ...kept } = rememberFilled(cursor, inside, fresh, most)
  const isUntold = records.length === 0 && (overflow || series.gaps.length > 0)
  const next: RecordCursor = {
    ...kept,
    ...((rest || others.length > 0) && { holes: rest ? [rest, ...others] : others }),
    ...(isUntold && { untold: { overflow, gaps: series.gaps } }),
  }
  const collected = toCollected(target, response, { kind: 'series', series })
  await deliver(poll, {
    data: { ...collected, backfill: true, ...(overflow && { overflow }), failed },
    next,
  })
}

/**
 * Requests a page, and once more if it contradicts its neighbour.
 * @throws EnvlogError `reply-lacks-record` if it still does, unless this has happened before
 */
async function fetchHolePage({ run, target, context, device }: Poll, hole: Hole) {
  const style = { time: run.time, offset: device.utcOffset }
  const fetchOnce = async () => {
    const { part, received, ...others } = await fetchPage(
      run.account,
      target,
      pageOf(hole.from, hole.to),
      style,
      { ...context, maxRecordsWaitMs: 0 },
    )
    return { page: { part, ...received } satisfies ReceivedPage, ...others }
  }
  const first = await fetchOnce()
  if (!lacksRecordAt(hole.to, first.page.part)) return first
  const second = await fetchOnce()
  if (lacksRecordAt(hole.to, second.page.part) && !device.holeFailures.acceptsContradiction)
    throw new EnvlogError('reply-lacks-record')
  return second
}

/** After the failure of a page, it is requested again after a pause. A hole whose page keeps failing is given up. */
function fail(run: FillRun, target: ResolvedDevice, error: EnvlogError): void {
  const { clock } = run.nodeState
  const device = run.nodeState.device(deviceKey(target))
  // It was forgotten in the meantime.
  if (!device.hasHoles) return
  const pauseMs = device.holeFailures.add(error, clock.monotonic())
  if (pauseMs === undefined) {
    const { holes: [hole, ...others] = [], untold = NOTHING, ...cursor } = device.cursor as RecordCursor
    const format = createTimeFormatter(run.time, device.utcOffset ?? null)
    const gaps = hole ? findGapsIn(hole, isStandalone(target), format) : []
    device.advance({
      ...cursor,
      ...(others.length > 0 && { holes: others }),
      untold: { overflow: true, gaps: [...untold.gaps, ...gaps] },
    })
  }
  run.reportPage(target, error, pauseMs === undefined ? undefined : clock.now() + pauseMs)
}
