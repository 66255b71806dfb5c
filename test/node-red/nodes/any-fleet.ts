import fc from 'fast-check'
import type {
  DeviceDefinition,
  RecordDefinition,
  RecordValue,
  Variants,
  ZoneDefinition,
} from '../../../simulator'
import { NOW } from '../../support/devices'
import { HOSTILE } from '../../support/outputs'

/** Arbitraries of small fleets, and of variants of the service that do not change the data. */

const NOW_S = NOW / 1000
const SERIALS = ['5212A1B2', '52000001', '00000000', 'ZZZZZZZZ']
const BASES = ['5839F001', '5839F002', '58000003']

const name = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc.constantFrom('', 'Inside'),
  fc.string({ unit: 'grapheme' }),
)
const failed = fc.constantFrom(
  'E1',
  'E2',
  'Sensor Error',
  '',
  '12.3.4',
  '--',
  '1,5',
  '0x10',
  'NaN',
  ...HOSTILE,
)
const value: fc.Arbitrary<RecordValue> = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: -400, max: 900 }).map((tenths) => tenths / 10) },
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  failed,
  fc.constant(null),
)

const zone: fc.Arbitrary<ZoneDefinition> = fc.record({
  timeDiff: fc.oneof(fc.constantFrom(0, 540, 345, -210, 765), fc.integer({ min: -720, max: 780 })),
  stdBias: fc.constantFrom(0, -30, 60),
  dst: fc.boolean(),
  dstBias: fc.constant(60),
})

/** Arbitraries of record ids, by order of arrival. */
const ids: fc.Arbitrary<((place: number) => number) | undefined> = fc.oneof(
  fc.constant(undefined),
  fc.constant(() => 0),
  fc.integer({ min: 65_530, max: 65_535 }).map((first) => (place: number) => (first + place) % 65_536),
  fc.integer({ min: 1, max: 5 }).map((at) => (place: number) => (place < at ? 900 + place : place - at + 1)),
)

/** Times of records in seconds: equal, decreasing, ahead of the clock, and sometimes missing. */
const second = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: NOW_S - 20, max: NOW_S + 3 }) },
  { weight: 1, arbitrary: fc.constant(0) },
)

function recordsOf(
  channels: readonly number[],
  one: fc.Arbitrary<RecordValue>,
): fc.Arbitrary<NonNullable<DeviceDefinition['records']>> {
  const row = fc.tuple(second, fc.tuple(...channels.map(() => one)))
  const listed = fc.tuple(fc.array(row, { maxLength: 8 }), ids, fc.boolean()).map(([rows, id, twice]) => {
    const records = rows.map(
      ([unixtime, measured], place): RecordDefinition => ({
        unixtime,
        ...((id || twice) && { id: id ? id(place) : place }),
        values: Object.fromEntries(channels.map((num, index) => [num, measured[index] ?? null])),
      }),
    )
    return twice ? [...records, ...records] : records
  })
  const generated = fc
    .record({
      interval: fc.integer({ min: 1, max: 9 }),
      count: fc.integer({ min: 0, max: 12 }),
      firstId: fc.constantFrom(0, 1, 65_530),
      zeroIds: fc.boolean(),
      restarts: fc.boolean(),
      drift: fc.constantFrom(0, 3),
    })
    .map(({ interval, count, restarts, ...rest }) => ({
      ...rest,
      interval,
      from: NOW_S - interval * count,
      ...(restarts && { restartedAt: NOW_S - Math.floor((interval * count) / 2) }),
    }))
  return fc.oneof(listed, generated)
}

const alerts = fc.array(
  fc.record({
    unixtime: second,
    texts: fc.dictionary(
      fc.constantFrom('ch1', 'ch2', 'ch6', 'battery-level', 'communication-status'),
      fc.oneof(name, fc.constantFrom('Sensor Error', 'ch1 Upper Limit: 9', '42')),
    ),
  }),
  { maxLength: 25 },
)

const channel = (numbers: readonly number[], unit: fc.Arbitrary<string>) =>
  fc.tuple(
    ...numbers.map((num) =>
      fc.record({
        num: fc.constant(num),
        name,
        unit,
        broken: fc.constantFrom(undefined, undefined, 'Sensor Error'),
      }),
    ),
  )

const kindAndBase = fc.oneof(
  fc.record({ kind: fc.constantFrom('standalone-1', 'standalone-2', 'other-standalone'), zone }),
  fc.record({
    kind: fc.constantFrom('remote', 'remote', 'remote', 'older-remote'),
    base: fc.record({
      serial: fc.constantFrom(...BASES),
      name,
      model: name,
      sends: fc.constantFrom('https', 'https', 'https', 'ftp'),
      relayEndpoints: fc.constantFrom(true, true, true, false),
      zone,
    }),
  }),
)

const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 3 })
/** Without a ch1, only the records show how a standalone device's channels are numbered. */
const tellsAll = (remote: boolean, nums: readonly number[]) => !remote && !nums.includes(1)

const device = kindAndBase.chain((kind) =>
  numbers.chain((nums) =>
    fc.record({
      serial: fc.constantFrom(...SERIALS),
      name,
      model: name,
      group: fc.record({ num: fc.integer({ min: 0, max: 2 }), name }),
      battery: fc.integer({ min: 1, max: 5 }),
      rssi: fc.constantFrom(null, 4, -62),
      channels: channel(nums, name),
      records: recordsOf(nums, tellsAll('base' in kind, nums) ? value.map((found) => found ?? 'E1') : value),
      alerts: fc.option(alerts, { nil: undefined }),
      current: fc.constantFrom({}, {}, { unixtime: NOW_S - 5 }, { values: { 1: 'E1' } }),
      ...Object.fromEntries(Object.entries(kind).map(([key, one]) => [key, fc.constant(one)])),
    }),
  ),
) as fc.Arbitrary<DeviceDefinition>

/** No device occurs twice under one base unit; a serial may occur under several. */
export const anyFleet = fc.uniqueArray(device, {
  maxLength: 4,
  selector: ({ serial, base }) => `${base?.serial ?? serial}/${serial}`,
})

/** Variants that remove nothing: the readings are the same. */
export const anyVariants: fc.Arbitrary<Partial<Variants>> = fc.record({
  inclusiveBounds: fc.boolean(),
  numbers: fc.constantFrom('described', 'text', 'number'),
  offsetSpelling: fc.constantFrom('described', 'underscore', 'hyphen'),
  dstBias: fc.constantFrom('described', '60'),
  standaloneNum: fc.constantFrom(0, 1),
  channelBase: fc.constantFrom<Variants['channelBase'][]>('described', 0, 1),
  standaloneChannels: fc.constantFrom(2, 4, 6),
  nested: fc.constantFrom('object', 'array'),
  noGroup: fc.constantFrom('described', 'empty-array'),
  noBaseunit: fc.constantFrom('described', 'empty-array'),
  recordOrder: fc.constantFrom('ascending', 'descending', 'shuffled', 'arrival'),
  extraFields: fc.boolean(),
  csvBom: fc.boolean(),
  csvSpaces: fc.boolean(),
  csvLineEnd: fc.constantFrom('crlf', 'lf'),
  csv2OnLatestData: fc.boolean(),
  temperatureUnit: fc.boolean(),
  errorText: fc.constantFrom(null, 'センサー異常 "E1"'),
  errorLanguage: fc.constantFrom('en', 'ja'),
  errorCode: fc.constantFrom('number', 'text'),
  rateHeaders: fc.constantFrom('described', 'absent', 'text', 'empty', 'negative'),
})
