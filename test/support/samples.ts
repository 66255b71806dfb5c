import type { MessageMetadata } from '../../src/lib/output/metadata'
import type { Point } from '../../src/lib/output/points'
import type { Row } from '../../src/lib/output/rows'
import type { Alert } from '../../src/lib/readings/alerts'
import type { Reading } from '../../src/lib/readings/current'
import type { Series } from '../../src/lib/readings/series'
import type { StatisticsRow } from '../../src/lib/readings/statistics'

/**
 * One complete sample of each shape that nodes send: TypeScript rejects a sample that lacks a key of the exported type,
 * or has an additional one. Real messages, the documents and the help are compared with these keys.
 */
type Complete<T> = T extends Date
  ? T
  : T extends (infer E)[]
    ? [Complete<E>]
    : T extends object
      ? { [K in keyof T]-?: Complete<NonNullable<T[K]>> }
      : T

const channel = { key: 'ch1', number: 1, name: 'Inside', unit: '°C', quantity: 'temperature' as const }
const time = { time: '2026-11-20T08:00:00.000Z', timestamp: 1_795_161_600_000 }
const device = {
  serial: '5212A1B2',
  name: 'Freezer 3',
  model: 'M-503',
  base: { serial: '5839F001', name: 'Hall 1', model: 'M-500' },
  standalone: false,
}
const group = { number: 1, name: 'Cold chain' }

export const sampleReading = {
  ...device,
  ...time,
  number: 3,
  group,
  utcOffset: 540,
  age: 42,
  stale: false,
  battery: { code: 5, level: 'sufficient' },
  rssi: -62,
  channels: [{ ...channel, value: -18.4, error: 'E1' }],
} satisfies Complete<Reading>

export const sampleSeries = {
  ...device,
  group,
  utcOffset: 540,
  channels: [channel],
  records: [{ ...time, dataId: 812, ch1: -18.4, errors: { ch1: 'E1' } }],
  gaps: [{ kind: 'missing', after: '2026-11-20T07:00:00.000Z', before: time.time, missing: 4 }],
} satisfies Complete<Series & Pick<Reading, 'group'>>

export const sampleAlert = {
  ...device,
  ...time,
  utcOffset: 540,
  source: 'ch1',
  channel,
  kind: 'upper-limit',
  text: 'Inside: upper limit exceeded',
} satisfies Complete<Alert>

const { serial, name, model } = device
const row = { ...time, serial, name, model, base: device.base.serial, channel: 1, label: 'Inside' }
const valueRow = {
  ...row,
  groupname: group.name,
  unit: '°C',
  quantity: 'temperature' as const,
  value: -18.4,
  error: 'E1',
  dataid: 812,
}
const { dataid: _, ...withoutId } = valueRow

export const rows = {
  series: valueRow,
  current: { ...withoutId, battery: 5, batterylevel: 'sufficient', rssi: -62, age: 42, stale: false },
  alerts: { ...row, source: 'ch1', kind: 'upper-limit', text: 'Inside: upper limit exceeded' },
}
/** All of them together must be the type. */
;({ ...rows.series, ...rows.current, ...rows.alerts }) satisfies Complete<Row>

export const statistics = {
  time: '2026-11-19T15:00:00.000Z',
  localtime: '2026-11-20T00:00:00.000+09:00',
  base: device.base.serial,
  serial,
  name,
  groupname: group.name,
  channel: 1,
  label: 'Inside',
  unit: '°C',
  quantity: 'temperature' as const,
  count: 1439,
  min: -18.9,
  mintime: '2026-11-20T03:12:00.000Z',
  max: -16.2,
  maxtime: time.time,
  mean: -18.41,
  mkt: -18.4,
  errors: 1,
  coverage: 99.9,
} satisfies Complete<StatisticsRow>

const tags = { serial, name, model, base: device.base.serial, group: group.name }
const timestamp = new Date(time.timestamp)
export const points = {
  values: { measurement: 'envlog', tags, fields: { ch1: -18.4 }, timestamp } satisfies Complete<Point>,
  alerts: {
    measurement: 'envlog_alerts',
    tags: { ...tags, source: 'ch1' },
    fields: { text: 'Inside', kind: 'upper-limit' },
    timestamp,
  } satisfies Complete<Point>,
}

export const about = {
  node: 'latest',
  version: '1.0.0',
  endpoint: 'latest-data-relay',
  account: 'Plant A',
  receivedAt: '2026-11-20T08:00:05.123Z',
  device: { serial, name, base: device.base.serial },
  quota: { limit: 60, remaining: 41, windowSeconds: 60, recordsRemaining: 116_800 },
  reading: { ...rows.series, ...rows.current, ...rows.alerts },
  range: { from: '2026-11-19T00:00:00.000Z', to: '2026-11-20T00:00:00.000Z' },
  overflow: true,
  backfill: true,
  receipt: 'text',
} satisfies Complete<MessageMetadata>

/**
 * The paths of all keys; the elements of an array count together, and all channels like the first. `[]` marks an array,
 * unlike an object.
 */
export function keyPathsOf(value: unknown, path = ''): Set<string> {
  if (Array.isArray(value)) return new Set(value.flatMap((element) => [...keyPathsOf(element, `${path}[]`)]))
  if (typeof value !== 'object' || value === null || value instanceof Date) return new Set()
  const paths = Object.entries(value).flatMap(([key, inner]) => {
    const own = `${path}.${/^ch\d+$/.test(key) ? 'ch1' : key}`
    return [own, ...keyPathsOf(inner, own)]
  })
  return new Set(paths)
}
