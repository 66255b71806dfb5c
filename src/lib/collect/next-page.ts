/** Fetches a page of missing records, delivers it, and moves the end of its hole. */

import { orClosed } from '../abort'
import { nextTurn } from '../clock'
import { MAX_LATEST_RECORDS } from '../endpoints'
import { concernsOneDevice, EnvlogError, isAmbiguous } from '../errors'
import { countOf } from '../readings/content'
import type { RequestContext } from '../request'
import { NOTHING, type RecordCursor, rememberFilled } from './cursor'
import type { DeviceState } from './device-state'
import { isStandalone, type ResolvedDevice } from './devices'
import { type Delivery, toCollected } from './fetch'
import { KEPT } from './find-loss'
import { fillHole, findGapsIn, type Hole } from './holes'
import { fetchPage, hasRecordsOutside, pageOf } from './page'
import { beginPoll, deliver, type Poll, type PollRun } from './poll'

/** The trigger for which missing records are fetched. */
export interface FillRun extends PollRun {
  /** Aborts when another trigger waits: the last phase of filling gives way before its next request. */
  interrupt: AbortSignal
  /** Number of records in a full *latest* response. */
  newest?: number
  /** Reports the failure of a page. @param retryAt when it is requested again, ms since 1970 UTC; absent for never */
  reportPage(device: ResolvedDevice, error: EnvlogError, retryAt: number | undefined): void
  /** Called before each page after the round, with the devices whose records are still missing, and at the end. */
  onFill(open: readonly OpenDevice[]): void
}

/** A device whose records are still missing before a time, ms since 1970 UTC. */
export interface OpenDevice {
  target: ResolvedDevice
  since: number
}

/** Maximum number of requests for a page that contradicts its neighbour. */
const MAX_ATTEMPTS = 2
/** The state is saved before and after a page of more records. */
const MAX_UNSAVED_RECORDS = 1000

/** The hole of a device whose next page is fetched. */
export interface NextPage {
  target: ResolvedDevice
  device: DeviceState
  hole: Hole
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
export async function fetchNextPage(
  run: FillRun,
  { target, device, hole }: NextPage,
  context: RequestContext,
): Promise<void> {
  const { newest: most = MAX_LATEST_RECORDS } = run
  const poll = beginPoll(run, target, context)
  const options = { time: run.time, offset: device.pages.utcOffset, seam: hole.to, maxAttempts: MAX_ATTEMPTS }
  const { number } = device.pages.of(hole.from)
  const page = await fetchPage(run.account, target, pageOf(hole.from, hole.to, number), options, context)
  const { response, failed, isContradicted } = page
  // A full remote unit may have replaced the record since then.
  const isReplaced = hole.isEmpty && page.count === 0
  if (isContradicted && !isReplaced && !device.pages.of(hole.from).acceptsContradiction)
    throw new EnvlogError('response-lacks-record')
  await nextTurn()
  const cursor = device.cursor as RecordCursor
  if (poll.isOver()) return
  const { fresh, inside, rest, lost = isContradicted ? hole : undefined } = fillHole(hole, page, run.time)
  if (fresh.records.length === 0 && hasRecordsOutside(page)) throw new EnvlogError('response-other-period')
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
  await deliverPage(poll, hole, { ...collected, backfill: true, ...(overflow && { overflow }), failed }, next)
}

/** Delivers a page, and notes meanwhile that it is being sent, so that a smaller one follows if the process ends. */
async function deliverPage(poll: Poll, hole: Hole, data: Delivery, next: RecordCursor): Promise<void> {
  const { context, device, run } = poll
  const { nodeState } = run
  const count = countOf(data.content)
  const saved = async () => {
    if (count > MAX_UNSAVED_RECORDS) await orClosed(nodeState.written(), context.signal)
  }
  device.pages.begin({ from: hole.from, records: count })
  nodeState.save()
  try {
    await saved()
    if (!poll.isOver()) await deliver(poll, data, next)
  } finally {
    if (!device.unacknowledged) device.pages.end()
  }
  if (nodeState.receiptTimeoutMs === null) await saved()
}

/**
 * Puts off the next page of a device whose page has failed. A hole whose page keeps failing is given up.
 * @throws EnvlogError if the failure is that of the account
 */
export function failPage(run: FillRun, failed: NextPage, error: EnvlogError): void {
  const { clock } = run.nodeState
  const { target, device, hole } = failed
  if (!concernsPage(error)) throw error
  // It was forgotten in the meantime.
  if (device.holes.every(({ from }) => from !== hole.from)) return
  const pages = device.pages.of(hole.from)
  const records = isStandalone(target) ? pages.number : Math.min(pages.number, KEPT.remote)
  const now = clock.now()
  pages.failed(records, now, error.reason === 'response-lacks-record' ? 'contradicted' : undefined)
  const isGivenUp = pages.isHopeless(now)
  if (isGivenUp) giveUp(run, failed)
  else run.nodeState.save()
  run.reportPage(target, error, isGivenUp ? undefined : now + pages.left(now))
}

/** Gives up a hole: its records are lost. */
function giveUp(run: FillRun, { target, device, hole }: NextPage): void {
  const { unreported = NOTHING, ...cursor } = device.cursor as RecordCursor
  const nothing = { records: [], utcOffset: device.pages.utcOffset ?? null, standalone: isStandalone(target) }
  const gaps = findGapsIn(hole, nothing, true, run.time)
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
