import assert from 'node:assert/strict'
import type { Simulator, Variants } from '../../../simulator'
import { blanks, choices, described } from '../../../simulator/variants'
import { office, remote, request, simulate, startSeconds, tiny, useSimulators } from './support'

const serial = { 'remote-serial': '52000001' }
const unit = { 'remote-serial': '52000002', 'base-serial': '5F000001' }
const zone = { timeDiff: 120, stdBias: 0, dst: false, dstBias: 0 }
const channels = [1, 2, 3, 4, 5].map((num) => ({ num, name: `Probe ${num}`, unit: 'C' }))
const values = { 1: 1, 2: 'E1', 3: 3, 4: 4, 5: 5 }
const records = [-10, -50, -30, -20].map((offset) => ({ unixtime: startSeconds + offset, values }))
const alerts = [{ unixtime: startSeconds - 5, texts: { ch1: 'Upper Limit' } }]

/** Requests whose responses show every variant. */
const requests: readonly [endpoint: string, params: object][] = [
  ['current', {}],
  ['data', { ...serial, 'unixtime-from': startSeconds - 50 }],
  ['data', { ...serial, type: 'csv2' }],
  ['data', { ...serial, 'temperature-unit': 'F' }],
  ['data', { 'remote-serial': '99999999', type: 'csv2' }],
  ['latest-data', { ...serial, type: 'csv2' }],
  ['latest-data-relay', unit],
  ['alert', { ...serial, 'base-serial': '52000001' }],
]

/** Time limit for some 300 requests. */
const MANY_MS = 20_000

describe('simulator: variants', function () {
  this.timeout(MANY_MS)
  useSimulators()
  let simulator: Simulator
  beforeEach(async () => {
    const remotes = remote({ base: { ...office, zone }, group: { num: 2, name: 'Two' } })
    simulator = await simulate({
      fleet: [tiny(0, { channels, records, alerts, zone }), remotes],
      limits: 'off',
    })
  })

  function responses(variants: Partial<Variants>): Promise<string[]> {
    simulator.set({ variants: { ...described, ...variants } })
    const replies = requests.map(async ([endpoint, params]) => {
      const { status, text, headers } = await request(simulator, endpoint, { ...params })
      return `${status} ${headers['x-ratelimit-limit']} ${text}`
    })
    return Promise.all(replies)
  }

  it('each change a response', async () => {
    const before = await responses({})
    const changes = Object.entries(choices).flatMap(([name, [, ...others]]) =>
      others.map((value): object => ({ [name]: value })),
    )
    // As described, data and latest-data number channels from 0.
    const without = changes.filter((change) => !('channelBase' in change) || change.channelBase !== 0)
    for (const change of [...without, ...blanks.map((blank) => ({ blank: [blank] })), { errorText: 'Sonde' }])
      assert.notDeepEqual(await responses(change), before, JSON.stringify(change))
  })
})
