import type { Account } from '../account'
import type { Answer } from '../api/client'
import { type DeviceParams, MAX_RECORDS, PAGE_RECORDS } from '../api/endpoints'
import type { Asker } from '../quota/asker'
import { mergeSeries } from '../readings/merge'
import { fingerprint, readSeries, type Series, type SeriesRecord } from '../readings/series'
import type { TimeStyle } from '../readings/time'
import type { Target } from './devices'
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
  const page = createPages({ from, to, number })
  if (form !== 'read') {
    const most = {
      ...pageParams(page.next()),
      number: Math.min(number ?? MAX_RECORDS, MAX_RECORDS),
      type: form,
    }
    return { ...(await collectRaw(account, 'range', target, most, asker)), range }
  }
  for (let pages = 1; ; pages++) {
    const { answer, isComplete } = await readPage(account, target, page, time, asker)
    paged(pages)
    if (isComplete) {
      return { ...collectedOf(target, answer, { kind: 'series', series: page.series() }), range }
    }
  }
}

/** Asks for the next page and takes it in; true where it was the last. @throws EnvlogError */
export async function readPage(
  account: Account,
  target: Target,
  pages: Pages,
  time: TimeStyle,
  asker: Asker,
): Promise<{ answer: Omit<Answer<unknown>, 'body'>; isComplete: boolean }> {
  const wanted = pages.next()
  const { body, ...answer } = await readRecords(account, 'range', target, pageParams(wanted), asker)
  // Fewer may have been asked for: the device's budget of the hour is counted in records.
  const asked = { ...wanted, number: answer.number ?? wanted.number }
  return { answer, isComplete: pages.take(readSeries(body, time), body.records.length, asked) }
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

export type Pages = ReturnType<typeof createPages>

interface Page {
  from: number
  to: number
  number: number
}

function pageParams({ from, to, number }: Page): Partial<DeviceParams> {
  return { 'unixtime-from': from, 'unixtime-to': to, number }
}

/** Which page comes next, and what is new in it: everything about borders, without a request. */
export function createPages({ from, to, number }: { from: number; to: number; number: number | null }) {
  const first = Math.max(0, Math.floor(from / 1000) - 1)
  let next = Math.ceil(to / 1000)
  let left = number ?? Number.POSITIVE_INFINITY
  const pages: Series[] = []
  /** Fingerprints of what the next page may bring again. */
  let border = new Set<string>()
  /** They are not older than this, ms. */
  let borderFrom = Number.POSITIVE_INFINITY

  const inside = ({ timestamp }: SeriesRecord) => timestamp === null || (timestamp >= from && timestamp < to)

  return {
    next: (): Page => ({ from: first, to: next, number: Math.min(PAGE_RECORDS, left + border.size) }),

    /** Keeps what is new of a page; true when it was the last one. */
    take(series: Series, received: number, asked: Page): boolean {
      const print = (record: SeriesRecord) => `${record.timestamp} ${fingerprint(record, series.channels)}`
      const isKnown = (record: SeriesRecord) =>
        (record.timestamp === null || record.timestamp >= borderFrom) && border.has(print(record))
      const records = series.records.filter((record) => inside(record) && !isKnown(record))
      const kept = records.slice(Math.max(0, records.length - left))
      pages.push({ ...series, records: kept })
      left -= kept.length

      const oldest = series.records.find(({ timestamp }) => timestamp !== null)?.timestamp
      if (received < asked.number || left <= 0 || typeof oldest !== 'number') return true
      // A full page that does not reach further back: step over the second rather than ask the same again.
      next = Math.min(Math.floor(oldest / 1000) + 1, next - 1)
      const again = series.records.filter(({ timestamp }) => timestamp === null || timestamp <= next * 1000)
      border = new Set(again.map(print))
      borderFrom = oldest
      return next <= first
    },

    series: (): Series => mergeSeries(pages),
  }
}
