import type { Per } from '../../shared/outputs'
import type { TemperatureUnit } from '../../shared/quantity'
import { INTERVAL_MS, toStatistics } from '../readings/statistics'
import { convertTemperatures } from '../readings/temperature'
import type { RequestContext } from '../request'
import type { ResolvedDevice } from './devices'
import type { AccountAccess } from './fetch'
import { type CollectedRange, collectRange, type RangeQuery } from './range'

export interface StatisticsOptions extends Omit<RangeQuery, 'format' | 'longestMs'> {
  per: Per
  /** For temperatures; `null`: the units that the service sends. */
  unit: TemperatureUnit | null
}

/** More intervals would result in more rows than fit into memory. */
const MAX_INTERVALS = 20_000

/**
 * Statistics of a device's records in a period.
 * @throws EnvlogError as `collectRange`; `period-too-long` before a request
 */
export async function collectStatistics(
  account: AccountAccess,
  target: ResolvedDevice,
  { per, unit, ...query }: StatisticsOptions,
  context: RequestContext,
  onPage: (pages: number) => void,
): Promise<CollectedRange> {
  const longestMs = MAX_INTERVALS * INTERVAL_MS[per]
  const collected = await collectRange(
    account,
    target,
    { ...query, format: 'read', longestMs },
    context,
    onPage,
  )
  const content = await convertTemperatures(collected.content, unit)
  if (content.kind !== 'series') throw new TypeError(content.kind)
  const [from, to] = [Date.parse(collected.range.from), Date.parse(collected.range.to)]
  const { receivedAt } = collected.answer
  const device = await toStatistics(content.series, { from, to, per, time: query.time, receivedAt })
  const records = content.series.records.length
  return { ...collected, content: { kind: 'statistics', devices: [device], records } }
}

/** Joins the statistics of several devices as if from one request, the last one; `undefined` without any device. */
export function joinStatistics(collected: readonly CollectedRange[]): CollectedRange | undefined {
  const last = collected.at(-1)
  if (!last) return undefined
  const contents = collected.flatMap(({ content }) => (content.kind === 'statistics' ? [content] : []))
  // ISO 8601 sorts by time. Devices may be in different zones.
  const from = collected.map(({ range }) => range.from).sort()[0] as string
  const to = collected
    .map(({ range }) => range.to)
    .sort()
    .at(-1) as string
  return {
    ...last,
    range: { from, to },
    failed: collected.flatMap(({ failed = [] }) => failed),
    content: {
      kind: 'statistics',
      devices: contents.flatMap(({ devices }) => devices),
      records: contents.reduce((sum, { records }) => sum + records, 0),
    },
  }
}
