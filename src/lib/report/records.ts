import { HOUR_MS } from '../../shared/local-clock'
import type { TemperatureUnit } from '../../shared/quantity'
import type { DeviceFailure, ResolvedDevice } from '../collect/devices'
import type { AccountAccess } from '../collect/fetch'
import { collectSeries } from '../collect/range'
import { concernsOneDevice, EnvlogError, isAmbiguous } from '../errors'
import { convertSeries } from '../readings/convert-temperatures'
import type { Span } from '../readings/coverage'
import { mergeSeries, type Series } from '../readings/series'
import type { RequestContext } from '../request'

/** How far records are requested before and after a period because of an excursion, and because of *For*. */
export const MAX_EXTENSION_MS = 7 * 24 * HOUR_MS

export interface RecordsQuery {
  period: Span
  /** How long before the period, and after it, records are needed in any case, ms. */
  marginMs: number
  /** Nothing is requested after this time, ms since 1970 UTC. */
  now: number
  unit: TemperatureUnit | null
  /** For a trial: a single page, and nothing further. */
  isTrial: boolean
}

/** The records of a device in a period, and those before and after it. */
export interface PeriodRecords {
  series: Series
  /** The part of the period whose records the service no longer has; `null` if records are missing, but not known which. */
  lost: Span | null | undefined
  failed: readonly DeviceFailure[]
}

/** Whether an excursion lasts at the first, or at the last, of these records. */
export interface OpenEnds {
  needsEarlier: boolean
  needsLater: boolean
}

/**
 * Collects the records of a period. While an excursion lasts at an edge of them, further ones are requested: of an hour,
 * then of twice as long, up to seven days.
 * @throws EnvlogError as `collectSeries`
 */
export async function collectRecords(
  account: AccountAccess,
  target: ResolvedDevice,
  { period, marginMs, now, unit, isTrial }: RecordsQuery,
  findOpenEnds: (series: Series) => Promise<OpenEnds>,
  context: RequestContext,
): Promise<PeriodRecords> {
  const request = async ({ from, to }: Span) => {
    const bounds = { from: { instant: from }, to: { instant: to } }
    const query = { period: bounds, number: null, time: 'utc', ...(isTrial && { maxPages: 1 }) } as const
    const collected = await collectSeries(account, target, query, context)
    return { ...collected, series: await convertSeries(collected.content.series, unit) }
  }
  const margin = Math.min(marginMs, MAX_EXTENSION_MS)
  const first = { from: period.from - margin, to: Math.min(period.to + margin, now) }
  const { series, lost, overflow = false, failed = [] } = await request(first)
  const result = { lost: lost ? lostOf(lost, period) : overflow ? null : undefined, failed }
  if (isTrial) return { series, ...result }
  const requestSeries = async (span: Span) => (await request(span)).series
  return { series: await extend(series, { first, now }, findOpenEnds, requestSeries), ...result }
}

/** Adds earlier and later records while an excursion lasts at the edges. @param first the edges of the series */
async function extend(
  series: Series,
  { first, now }: { first: Span; now: number },
  findOpenEnds: (series: Series) => Promise<OpenEnds>,
  request: (span: Span) => Promise<Series>,
): Promise<Series> {
  let extended = series
  let { from, to } = first
  for (let step = HOUR_MS; step <= 2 * MAX_EXTENSION_MS; step *= 2) {
    const next = furtherEdges({ from, to }, first, await findOpenEnds(extended), { step, now })
    if (next.from === from && next.to === to) break
    try {
      if (next.to > to) extended = mergeSeries([await request({ from: to, to: next.to }), extended])
      if (next.from < from) extended = mergeSeries([extended, await request({ from: next.from, to: from })])
    } catch (error) {
      // The excursion is reported as far as it is known.
      if (error instanceof EnvlogError && (concernsOneDevice(error) || isAmbiguous(error))) break
      throw error
    }
    from = next.from
    to = next.to
  }
  return extended
}

/** The edges of the next request, which are further from the first ones by a step at most. */
function furtherEdges(
  { from, to }: Span,
  first: Span,
  { needsEarlier, needsLater }: OpenEnds,
  { step, now }: { step: number; now: number },
): Span {
  const distance = Math.min(step, MAX_EXTENSION_MS)
  return {
    from: needsEarlier ? Math.max(0, first.from - distance) : from,
    to: needsLater ? Math.min(first.to + distance, now) : to,
  }
}

/** The part of a lost period that is inside another one. */
function lostOf(lost: Span, period: Span): Span | undefined {
  if (lost.to <= period.from) return undefined
  return { from: Math.max(lost.from, period.from), to: Math.min(lost.to, period.to) }
}
