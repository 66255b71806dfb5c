import assert from 'node:assert/strict'
import { join } from 'node:path'
import {
  type DeviceDefinition,
  type Simulator,
  type SimulatorOptions,
  startSimulator,
  type Variants,
} from '../../../simulator'
import { MAX_REQUESTS } from '../../../src/lib/check/collect'
import { catalogIn } from '../../support/built'
import { checkService } from '../../support/check'
import { root } from '../../support/package'

const texts = catalogIn(join(root, 'locales', 'en-US', 'check.json'))

type Differences = Record<string, string>

/** Each difference from the description that the simulator can make, and what a check says of it. */
const FOUND: readonly (readonly [Partial<Variants>, Differences])[] = [
  [{ inclusiveBounds: true }, { bounds: 'inclusive' }],
  [{ numbers: 'text' }, { numbers: 'other-types' }],
  [{ numbers: 'number' }, { numbers: 'other-types' }],
  [{ offsetSpelling: 'underscore' }, { 'offset-spelling': 'other-spelling' }],
  [{ offsetSpelling: 'hyphen' }, { 'offset-spelling': 'other-spelling' }],
  [{ dstFlag: 'missing' }, { 'daylight-saving': 'flag-missing' }],
  [{ dstBias: '60' }, { 'dst-bias': 'always-60' }],
  [{ standaloneNum: 1 }, { 'standalone-number': 'not-0' }],
  [{ channelBase: 1 }, { 'channel-numbers': 'other-base' }],
  [{ standaloneChannels: 4 }, { 'channel-count': 'more-channels' }],
  [{ standaloneChannels: 6 }, { 'channel-count': 'more-channels' }],
  [{ nested: 'array' }, { 'nested-objects': 'lists' }],
  [{ noGroup: 'empty-array' }, { 'no-group': 'empty-list' }],
  [{ noBaseunit: 'empty-array' }, { standalone: 'no-base-unit' }],
  [{ blank: ['rssi'] }, { 'blank-fields': 'always-blank' }],
  [{ blank: ['channel.name'] }, { 'blank-fields': 'always-blank' }],
  [{ blank: ['value'] }, { 'blank-fields': 'always-blank' }],
  [{ blank: ['unixtime'] }, { 'blank-fields': 'always-blank' }],
  [{ blank: ['group.name'] }, { 'no-group': 'number-without-name' }],
  [{ recordOrder: 'descending' }, { order: 'descending' }],
  [{ recordOrder: 'shuffled' }, { order: 'mixed' }],
  [{ extraFields: true }, { fields: 'fields-added' }],
  [{ errorCode: 'text' }, { 'error-object': 'code-as-text' }],
  [{ rateHeaders: 'absent' }, { limits: 'headers-missing', 'records-limit': 'headers-missing' }],
  [{ rateHeaders: 'text' }, { limits: 'headers-missing', 'records-limit': 'headers-missing' }],
  [{ rateHeaders: 'empty' }, { limits: 'headers-missing', 'records-limit': 'headers-missing' }],
  [{ rateHeaders: 'negative' }, { limits: 'headers-missing', 'records-limit': 'headers-missing' }],
]

/**
 * What no answer of a check shows: it requests no CSV and nothing that the service should refuse, and a field that may be
 * missing is no difference.
 */
const NOT_SHOWN: readonly Partial<Variants>[] = [
  { rssiMissing: true },
  { recordOrder: 'arrival' },
  { csvBom: true },
  { csvSpaces: true },
  { csvLabels: 'ja' },
  { csvLineEnd: 'lf' },
  { csv2OnLatestData: true },
  { temperatureUnit: true },
  { errorText: 'Sonde defekt' },
  { errorLanguage: 'ja' },
  { retryAfter: 5 },
  { unknownSerialCsv2: 'array' },
  { unknownInCurrent: 'error' },
]

/** The service's clock stands still. */
const NOW = Date.UTC(2026, 10, 20, 8)
const now = NOW / 1000
const STILL = { startTime: NOW, speed: 0 }
const channels = [1, 2, 3, 4, 5, 6].map((num) => ({ num, name: `Probe ${num}`, unit: num === 2 ? '%' : 'C' }))
const base = { serial: '58000001', name: 'Hall' }
/** A device that is measured last and refused beside one that is served, six channels, a device without a group. */
const FLEET: readonly DeviceDefinition[] = [
  {
    serial: '52000002',
    kind: 'other-standalone',
    model: 'M-900',
    name: 'Not served',
    current: (now) => ({ unixtime: now, values: { 1: 20 } }),
  },
  { serial: '52000001', name: 'Freezer', channels, group: { num: 1, name: 'Cold' } },
  { serial: '52000003', base, name: 'Rack', channels: channels.slice(0, 2) },
]

const recordsWith = (change: (index: number) => { id?: number; values: Record<number, number | string> }) =>
  Array.from({ length: 20 }, (_, index) => ({ unixtime: now - 600 * (20 - index), ...change(index) }))

/** What devices can do that the description rules out. */
const DEVICES: readonly (readonly [string, DeviceDefinition, Differences])[] = [
  [
    'a battery code that is not described',
    { serial: '52000011', battery: 9 },
    { 'battery-table': 'other-codes' },
  ],
  [
    'an alert whose text is not known',
    { serial: '52000012', alerts: [{ unixtime: now - 600, texts: { ch1: 'Gas leak 3' } }] },
    { 'alert-texts': 'unknown-texts' },
  ],
  [
    'a failed measurement without the letter E',
    { serial: '52000013', records: recordsWith((index) => ({ values: { 1: index === 3 ? 'broken' : 20 } })) },
    { 'record-errors': 'other-errors' },
  ],
  [
    'a record id that comes twice',
    {
      serial: '52000014',
      records: recordsWith((index) => ({ id: Math.floor(index / 2) + 1, values: { 1: 20 } })),
    },
    { 'ids-standalone': 'id-repeated' },
  ],
]

/** Of a whole answer, what is not as described. */
async function differences(options: SimulatorOptions): Promise<Differences> {
  const simulator = await startSimulator({ ...STILL, ...options })
  try {
    const { findings, report } = await checkService(simulator)
    assert.ok(report, 'nothing is left that must not be shared')
    for (const { seen } of findings) assert.ok(seen === undefined || texts.has(`seen.${seen}`), seen)
    const others = findings.filter(({ verdict }) => verdict === 'differs' || verdict === 'contradicted')
    return Object.fromEntries(others.map(({ assumption, seen }) => [assumption, String(seen)]))
  } finally {
    await simulator.close()
  }
}

describe('a check of the service', () => {
  it('finds nothing where the service answers as described', async () => {
    assert.deepEqual(await differences({ fleet: FLEET }), {})
    assert.deepEqual(await differences({}), {})
  })

  for (const devices of [1, 2, 7, 40, 300]) {
    for (const seed of ['one', 'another', 'a third']) {
      it(`raises no false alarm for ${devices} described devices, seed ${seed}`, async () => {
        assert.deepEqual(await differences({ devices, seed }), {})
      })
    }
  }

  for (const [what, device, expected] of DEVICES) {
    it(`names ${what}`, async () => {
      assert.deepEqual(await differences({ fleet: [device] }), expected)
    })
  }

  for (const [variants, expected] of FOUND) {
    it(`names the difference ${JSON.stringify(variants)}`, async () => {
      assert.deepEqual(await differences({ variants, fleet: FLEET }), expected)
    })
  }

  for (const variants of NOT_SHOWN) {
    it(`raises no alarm for ${JSON.stringify(variants)}, which its answers do not show`, async () => {
      assert.deepEqual(await differences({ variants, fleet: FLEET }), {})
    })
  }

  it('confirms each assumption that the answers show', async () => {
    const simulator = await startSimulator({ ...STILL, fleet: FLEET })
    try {
      const { findings } = await checkService(simulator)
      const unseen = findings
        .filter(({ verdict }) => verdict === 'not-seen')
        .map(({ assumption }) => assumption)
      assert.deepEqual(unseen, ['alert-texts', 'record-errors'])
    } finally {
      await simulator.close()
    }
  })
})

describe('the requests of a check', () => {
  let simulator: Simulator
  const requests = () => simulator.log.map(({ endpoint }) => endpoint)

  afterEach(() => simulator.close())

  it('are at most as many as announced, where the service refuses the first device of each kind', async () => {
    const refused = { kind: 'other-standalone', serial: '52000009', model: 'A' } as const
    const ftp = { serial: '58000009', sends: 'ftp' } as const
    const fleet = [refused, ...FLEET, { serial: '52000010', model: 'B', base: ftp }]
    simulator = await startSimulator({ ...STILL, fleet })
    await checkService(simulator)
    const counts = Object.entries(simulator.counts()).map(([endpoint, { total }]) => [endpoint, total])
    for (const [endpoint, total] of counts) {
      assert.ok(Number(total) <= MAX_REQUESTS[endpoint as keyof typeof MAX_REQUESTS], `${endpoint}: ${total}`)
    }
    assert.ok(requests().includes('data') && requests().includes('data-relay'))
  })

  it('are one where the account has no devices, or the login is refused', async () => {
    simulator = await startSimulator({ ...STILL, devices: 0 })
    await checkService(simulator)
    assert.deepEqual(requests(), ['current'])
    await simulator.close()
    simulator = await startSimulator({ ...STILL, faults: [{ kind: 'status', status: 401 }] })
    const { raw } = await checkService(simulator)
    assert.deepEqual(requests(), ['current'])
    assert.equal(raw[0]?.result.isAnswered === false && raw[0].result.error.code, 'ENVLOG_AUTH')
  })

  it('end with each answer that cannot be read, and go on with the others', async () => {
    for (const kind of ['html', 'brokenJson', 'drop', 'emptyBody', 'errorWith200', 'nullBody'] as const) {
      simulator = await startSimulator({
        fleet: FLEET,
        faults: [{ kind, endpoints: ['latest-data', 'alert'] }],
      })
      const { raw } = await checkService(simulator)
      const failed = raw.filter(({ result }) => !result.isAnswered).map(({ endpoint }) => endpoint)
      assert.deepEqual(failed, ['latest-data', 'alert'], kind)
      await simulator.close()
    }
  })
})
