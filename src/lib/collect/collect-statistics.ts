import type { Per } from '../../shared/outputs'
import type { TemperatureUnit } from '../../shared/quantity'
import { EnvlogError } from '../errors'
import { convertSeries } from '../readings/convert-temperatures'
import { INTERVAL_MS, toStatistics } from '../readings/statistics'
import type { RequestContext } from '../request'
import type { ResolvedDevice } from './devices'
import type { AccountAccess } from './fetch'
import { type CollectedRange, collectSeries, type SeriesQuery } from './range'

export interface StatisticsOptions extends Omit<SeriesQuery, 'maxLengthMs' | 'number'> {
  per: Per
  /** The unit of temperatures; `null` for the units that the service sends. */
  unit: TemperatureUnit | null
}

/** Maximum number of intervals, because more rows might not fit into memory. */
export const MAX_INTERVALS = 20_000

/**
 * Collects statistics of a device's records in a period.
 * @throws EnvlogError as `collectSeries`; `period-too-long` before a request
 */
export async function collectStatistics(
  account: AccountAccess,
  target: ResolvedDevice,
  { per, unit, ...query }: StatisticsOptions,
  context: RequestContext,
): Promise<CollectedRange> {
  const maxLengthMs = MAX_INTERVALS * INTERVAL_MS[per]
  const collected = await collectSeries(account, target, { ...query, number: null, maxLengthMs }, context)
  const { response, clock, group, range } = collected
  const { receivedAt } = response
  const series = await convertSeries(collected.content.series, unit)
  const [from, to] = [Date.parse(range.from), Date.parse(range.to)]
  const interval = { from, to, per, time: query.time, clock, receivedAt }
  const device = await toStatistics(series, { ...interval, group })
  const records = series.records.length
  return { ...collected, content: { kind: 'statistics', devices: [device], records } }
}

/** Maximum number of rows in a message. Each row takes about a kilobyte of memory. */
export const MAX_ROWS = 200_000

/** @throws EnvlogError `period-too-long` if the statistics of these devices have too many rows for one message */
export function checkRows(collected: readonly CollectedRange[]): void {
  const counts = collected.flatMap(({ content }) =>
    content.kind === 'statistics' ? content.devices.map(({ rows }) => rows.length) : [],
  )
  if (counts.reduce((sum, count) => sum + count, 0) > MAX_ROWS) throw new EnvlogError('period-too-long')
}

/**
 * Joins the statistics of several devices into one result, with the request data of the last device; `undefined`
 * without any device.
 */
export function joinStatistics(collected: readonly CollectedRange[]): CollectedRange | undefined {
  const last = collected.at(-1)
  if (!last) return undefined
  const contents = collected.flatMap(({ content }) => (content.kind === 'statistics' ? [content] : []))
  // All bounds are in UTC, so their texts sort by time. They differ if the devices are in different time zones.
  const from = collected.map(({ range }) => range.from).sort()[0] as string
  const to = collected
    .map(({ range }) => range.to)
    .sort()
    .at(-1) as string
  return {
    ...last,
    range: { from, to },
    overflow: collected.some(({ overflow = false }) => overflow),
    failed: collected.flatMap(({ failed = [] }) => failed),
    content: {
      kind: 'statistics',
      devices: contents.flatMap(({ devices }) => devices),
      records: contents.reduce((sum, { records }) => sum + records, 0),
    },
  }
}
