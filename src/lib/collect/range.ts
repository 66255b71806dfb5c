import { childOf } from '../abort'
import { type DeviceParams, MAX_RECORDS } from '../api/endpoints'
import type { GraphEnvelope } from '../api/envelopes'
import { turn } from '../pace'
import type { Asker } from '../quota/asker'
import { mergeSeries } from '../readings/merge'
import { oldestTime } from '../readings/series'
import type { TimeStyle } from '../readings/time'
import type { DeviceFailure, Target } from './devices'
import {
  type AccountAccess,
  type Collected,
  collectedOf,
  collectRaw,
  type Form,
  readPart,
  readRecords,
} from './fetch'
import { type Arrived, beginPages, nextPage, type Page, type Paging, pageAhead, takePage } from './pages'
import { isWallClock, type Period, placePeriod } from './period'

export interface RangeWish {
  /** Its wall-clock ends are the device's own clock where times are local, else UTC. */
  period: Period
  /** The newest so many; `null` for all. */
  number: number | null
  time: TimeStyle
  form: Form
}

export interface CollectedRange extends Collected {
  /** The period that was asked for, ISO 8601 UTC; from inclusive, to exclusive. */
  range: { from: string; to: string }
}

/**
 * All records of a period (endpoints 4 and 5), page by page from the newest down, whether the service takes
 * its bounds as strict or as inclusive: each page reaches a second over what is known, and what lies outside
 * or came before is dropped. As it came it is one request.
 * @param paged told the number of pages so far, after each but the last
 * @throws EnvlogError
 */
export async function collectRange(
  account: AccountAccess,
  target: Target,
  { period, number, time, form }: RangeWish,
  asker: Asker,
  paged: (pages: number) => void = () => {},
): Promise<CollectedRange> {
  const { from, to } = placePeriod(period, await offsetFor(account, target, period, time, asker))
  const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
  const first = beginPages({ from, to, number })
  if (form !== 'read') {
    const most = {
      ...pageParams(nextPage(first)),
      number: Math.min(number ?? MAX_RECORDS, MAX_RECORDS),
      type: form,
    }
    return { ...(await collectRaw(account, 'range', target, most, asker)), range }
  }
  const own = childOf(asker.signal)
  try {
    const read = (page: Page) => readPage(account, target, page, { ...asker, signal: own.signal })
    const { answer, paging, failed } = await readPages(
      target,
      first,
      read,
      { time, signal: own.signal },
      paged,
    )
    if (paging.parts.length > 1) await turn()
    const content = { kind: 'series', series: mergeSeries(paging.parts) } as const
    return { ...collectedOf(target, answer, content), failed, range }
  } finally {
    own.abort()
    own.release()
  }
}

/** Page after page to the last; while one is read the next is on its way. @throws EnvlogError */
async function readPages(
  target: Target,
  first: Paging,
  read: (page: Page) => ReturnType<typeof readPage>,
  { time, signal }: { time: TimeStyle; signal: AbortSignal },
  paged: (pages: number) => void,
): Promise<{ answer: Collected['answer']; paging: Paging; failed: DeviceFailure[] }> {
  const ask = (page: Page) => {
    const coming = read(page)
    // Where the page before it cannot be read nobody waits for it.
    coming.catch(() => {})
    return coming
  }
  let paging = first
  const failed: DeviceFailure[] = []
  let coming = ask(nextPage(paging))
  for (let pages = 1; ; pages++) {
    const { answer, body, arrived } = await coming
    const ahead = pageAhead(paging, arrived, oldestTime(body.records))
    if (ahead) {
      // Before it is asked for: what it may have to wait for is the status then.
      paged(pages)
      coming = ask(ahead)
      // The request has its turn to leave.
      await turn()
    }
    // All of one clock, though it may have been put forward or back between two pages.
    const offset = paging.parts[0]?.utcOffset
    const read = await readPart(target, { ...answer, body }, { time, offset }, signal)
    failed.push(...read.failed)
    paging = takePage(paging, read.part, arrived)
    if (paging.isComplete) return { answer, paging, failed }
    if (ahead) continue
    paged(pages)
    coming = ask(nextPage(paging))
  }
}

/**
 * Requests a page of a period.
 * @throws EnvlogError those of the request; `reply-other-device`
 */
export async function readPage(
  account: AccountAccess,
  target: Target,
  wanted: Page,
  asker: Asker,
): Promise<{ answer: Collected['answer']; body: GraphEnvelope; arrived: Arrived }> {
  const { body, ...answer } = await readRecords(account, 'range', target, pageParams(wanted), asker)
  // Fewer may have been asked for: the device's budget of the hour is counted in records.
  const asked = { ...wanted, number: answer.number ?? wanted.number }
  const { recordsRemaining: remaining } = answer.quota
  return { answer, body, arrived: { asked, received: body.records.length, remaining } }
}

/** The directory is asked only where an end of the period is a clock time of the device. */
async function offsetFor(
  account: AccountAccess,
  { serial, base }: Target,
  period: Period,
  time: TimeStyle,
  asker: Asker,
): Promise<number> {
  if (time === 'utc' || (!isWallClock(period.from) && !isWallClock(period.to))) return 0
  return account.directory.utcOffset(serial, base, asker)
}

function pageParams({ from, to, number }: Page): Partial<DeviceParams> {
  return { 'unixtime-from': from, 'unixtime-to': to, number }
}
