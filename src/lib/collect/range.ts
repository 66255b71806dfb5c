import type { Account } from '../account'
import { type DeviceParams, MAX_RECORDS } from '../api/endpoints'
import type { GraphEnvelope } from '../api/envelopes'
import { turn } from '../pace'
import type { Asker } from '../quota/asker'
import { mergeSeries } from '../readings/merge'
import { readSeries } from '../readings/series'
import type { TimeStyle } from '../readings/time'
import type { Target } from './devices'
import { beginPages, nextPage, type Page, type Paging, takePage } from './pages'
import { isWallClock, type Period, placePeriod } from './period'
import { type Collected, collectedOf, collectRaw, type Form, readRecords } from './records'

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
 * @param paged told after each page how many there were
 * @throws EnvlogError
 */
export async function collectRange(
  account: Account,
  target: Target,
  { period, number, time, form }: RangeWish,
  asker: Asker,
  paged: (pages: number) => void = () => {},
): Promise<CollectedRange> {
  const { from, to } = placePeriod(period, await offsetFor(account, target, period, time, asker))
  const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
  let paging = beginPages({ from, to, number })
  if (form !== 'read') {
    const most = {
      ...pageParams(nextPage(paging)),
      number: Math.min(number ?? MAX_RECORDS, MAX_RECORDS),
      type: form,
    }
    return { ...(await collectRaw(account, 'range', target, most, asker)), range }
  }
  for (let pages = 1; ; pages++) {
    const { answer, body, asked } = await readPage(account, target, paging, asker)
    paging = takePage(paging, readSeries(body, time), body.records.length, asked)
    paged(pages)
    if (paging.isComplete) {
      if (paging.parts.length > 1) await turn()
      return { ...collectedOf(target, answer, { kind: 'series', series: mergeSeries(paging.parts) }), range }
    }
  }
}

/** Records whose reading takes so long that the last of their parsing should not be in the same turn. */
const LONG = 2000

/** Asks for the next page. @throws EnvlogError */
export async function readPage(
  account: Account,
  target: Target,
  paging: Paging,
  asker: Asker,
): Promise<{ answer: Collected['answer']; body: GraphEnvelope; asked: Page }> {
  const wanted = nextPage(paging)
  const { body, ...answer } = await readRecords(account, 'range', target, pageParams(wanted), asker)
  if (body.records.length > LONG) await turn()
  // Fewer may have been asked for: the device's budget of the hour is counted in records.
  return { answer, body, asked: { ...wanted, number: answer.number ?? wanted.number } }
}

/** The directory is asked only where an end of the period is a clock time of the device. */
async function offsetFor(
  account: Account,
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
