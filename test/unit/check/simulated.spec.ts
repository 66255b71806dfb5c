import assert from 'node:assert/strict'
import {
  type DeviceDefinition,
  type Simulator,
  type SimulatorOptions,
  startSimulator,
} from '../../../simulator'
import { MAX_REQUESTS } from '../../../src/lib/check/collect'
import { checkSimulated } from '../../support/check'

/** The service's clock stands still. */
const NOW_MS = Date.UTC(2026, 10, 20, 8)
const channels = [1, 2, 3, 4, 5, 6].map((num) => ({ num, name: `Probe ${num}`, unit: num === 2 ? '%' : 'C' }))
const base = { serial: '58000001', name: 'Hall' }
/** A device that was measured last but is refused, one that is served, with six channels, and a remote unit. */
const FLEET: readonly DeviceDefinition[] = [
  {
    serial: '52000002',
    kind: 'other-standalone',
    model: 'M-900',
    name: 'Not served',
    current: (at) => ({ unixtime: at, values: { 1: 20 } }),
  },
  { serial: '52000001', name: 'Freezer', channels, group: { num: 1, name: 'Cold' } },
  { serial: '52000003', base, name: 'Rack', channels: channels.slice(0, 2) },
]

let simulator: Simulator
const start = async (options: SimulatorOptions) => {
  simulator = await startSimulator({ startTime: NOW_MS, speed: 0, ...options })
}

describe('a check of a simulated service', () => {
  afterEach(() => simulator?.close())

  async function differencesOf(options: SimulatorOptions) {
    await start(options)
    return (await checkSimulated(simulator)).differences
  }

  it('finds no differences in the fleet of the demo', async () => {
    assert.deepEqual(await differencesOf({}), [])
  })

  it('finds no differences for variants that envlog reads in the same way', async () => {
    const found = await differencesOf({
      variants: {
        numbers: 'text',
        offsetSpelling: 'underscore',
        nested: 'array',
        noBaseunit: 'empty-array',
        channelBase: 1,
        extraFields: true,
        errorCode: 'text',
        noGroup: 'empty-array',
        standaloneNum: 1,
        recordOrder: 'shuffled',
        blank: ['rssi', 'value', 'channel.name'],
        dstBias: '60',
        errorText: 'Sonde defekt',
        errorLanguage: 'ja',
      },
      fleet: FLEET,
    })
    assert.deepEqual(found, [])
  })

  it('sends at most the announced number of requests, even if the service refuses the first devices', async () => {
    const refused = { kind: 'other-standalone', serial: '52000009', model: 'A' } as const
    const fleet = [
      refused,
      ...FLEET,
      { serial: '52000010', model: 'B', base: { serial: '58000009', sends: 'ftp' } },
    ]
    await start({ fleet } as SimulatorOptions)
    await checkSimulated(simulator)
    for (const [endpoint, { total }] of Object.entries(simulator.counts())) {
      const most = MAX_REQUESTS[endpoint as keyof typeof MAX_REQUESTS]
      assert.ok(total >= 1 && total <= most, `${endpoint}: ${total}`)
    }
  })

  it('sends one request if the account has no devices, or the login is refused', async () => {
    for (const options of [{ devices: 0 }, { faults: [{ kind: 'status', status: 401 }] }] as const) {
      await start(options as SimulatorOptions)
      await checkSimulated(simulator)
      assert.deepEqual(
        simulator.log.map(({ endpoint }) => endpoint),
        ['current'],
      )
      await simulator.close()
    }
  })
})
