import assert from 'node:assert/strict'
import fc from 'fast-check'
import {
  type ActionConfig,
  combineShares,
  countDevices,
  estimateRequests,
  fittingRepeat,
  limitsOf,
  toBudget,
} from '../../../src/editor/request-estimate'
import { LIMITS } from '../../../src/shared/service-limits'
import { listedDevice } from '../../support/listed-device'

const fleet = [
  listedDevice('52A10001'),
  listedDevice('52A10002'),
  listedDevice('52C10008', { base: '5F0A1001' }),
  listedDevice('52C10009', { base: '5F0A1001' }),
  listedDevice('52C10010', { base: '5F0A1002' }),
]
const rows = limitsOf(undefined)
const node = (type: string, over: object = {}): ActionConfig => ({
  type: `envlog-${type}`,
  select: 'all',
  ...over,
})

describe('the requests of a round', () => {
  it('are one to current for any number of devices', () => {
    assert.deepEqual(estimateRequests(node('current'), undefined), { current: 1 })
  })

  it('are one per device, to its endpoint', () => {
    assert.deepEqual(estimateRequests(node('latest'), fleet), { 'latest-data': 2, 'latest-data-relay': 3 })
    assert.deepEqual(estimateRequests(node('range'), fleet), { data: 2, 'data-relay': 3 })
    assert.deepEqual(estimateRequests(node('alerts'), fleet), { alert: 5 })
  })

  it('are those of chosen devices and of those under chosen base units, without the excluded ones', () => {
    const devices = [{ serial: '52A10001' }, { serial: '52C10008', base: '5F0A1001' }]
    const chosen = node('latest', { select: 'list', devices, exclude: ['52A10001'] })
    assert.deepEqual(estimateRequests(chosen, fleet), { 'latest-data-relay': 1 })
    const under = node('alerts', { select: 'base', bases: ['5F0A1001', '52A10002'], exclude: ['52C10009'] })
    assert.deepEqual(estimateRequests(under, fleet), { alert: 2 })
    assert.equal(countDevices(under, fleet), 2)
  })

  it('are one per device of any choice, even if it is named twice', () => {
    const twins = [
      ...fleet,
      listedDevice('52A10001', { base: '5F0A1001' }),
      listedDevice('52A10001', { base: '5F0A1002' }),
    ]
    const named = fc.constantFrom(
      ...twins.map(({ serial, base }) => ({ serial, base: base.serial })),
      ...twins.map(({ serial }) => ({ serial })),
    )
    const bases = fc.subarray(['5F0A1001', '5F0A1002', '52A10001'])
    const exclude = fc.subarray(
      twins.map(({ serial }) => serial),
      { maxLength: 2 },
    )
    fc.assert(
      fc.property(fc.array(named), bases, exclude, (devices, units, excluded) => {
        const isChosen = ({ serial, base }: (typeof twins)[number]) =>
          units.includes(base.serial) ||
          devices.some(
            (one) => one.serial === serial && ('base' in one ? one.base : base.serial) === base.serial,
          )
        const meant = twins.filter((one) => isChosen(one) && !excluded.includes(one.serial))
        const asking = node('latest', { select: 'list', devices, bases: units, exclude: excluded })
        assert.equal(countDevices(asking, twins), meant.length)
      }),
    )
  })

  it('are those of devices and base units chosen together, without duplicates', () => {
    const devices = [{ serial: '52A10001' }, { serial: '52C10008', base: '5F0A1001' }]
    const both = node('latest', { select: 'list', devices, bases: ['5F0A1001', '52A10002'] })
    assert.deepEqual(estimateRequests(both, fleet), { 'latest-data': 2, 'latest-data-relay': 2 })
    assert.equal(estimateRequests(both, undefined), null)
  })

  it('are those of the devices in chosen groups', () => {
    const grouped = [...fleet, listedDevice('52C10011', { base: '5F0A1002', group: 'Racks' })]
    assert.deepEqual(estimateRequests(node('latest', { select: 'group', groups: ['Racks'] }), grouped), {
      'latest-data-relay': 1,
    })
  })

  it('are one for each base unit of a serial chosen without a base unit', () => {
    const both = [...fleet, listedDevice('52C10008', { base: '5F0A1002' })]
    const chosen = node('latest', { select: 'list', devices: [{ serial: '52C10008' }] })
    assert.deepEqual(estimateRequests(chosen, both), { 'latest-data-relay': 2 })
  })

  it('are known for a list without the account, and for nothing else', () => {
    const devices = [
      { serial: '52A10001', base: '52A10001' },
      { serial: '52C10008', base: '5F0A1001' },
    ]
    const chosen = node('latest', { select: 'list', devices })
    assert.deepEqual(estimateRequests(chosen, undefined), { 'latest-data': 1, 'latest-data-relay': 1 })
    for (const select of ['all', 'base', 'group', 'msg']) {
      assert.equal(estimateRequests(node('latest', { select }), undefined), null)
      assert.equal(countDevices(node('latest', { select }), undefined), undefined)
    }
    assert.equal(estimateRequests(node('latest', { select: 'msg' }), fleet), null)
  })
})

describe('the required quota', () => {
  it('is requests, their minimum duration, and their share of the limit if repeated', () => {
    const { requests, seconds, share, endpoint } = toBudget({ alert: 24 }, 7200, rows) ?? {}
    assert.deepEqual([requests, seconds, share, endpoint], [24, 7200, 1, 'alert'])
    assert.equal(toBudget({ alert: 12 }, 0, rows)?.share, 0)
    const limits = { ...rows, 'latest-data-relay': { limit: 600, window: 3600 } }
    const mixed = toBudget({ 'latest-data': 100, 'latest-data-relay': 599 }, 600, limits)
    assert.deepEqual([mixed?.seconds, mixed?.endpoint], [100, 'latest-data-relay'])
    assert.equal(toBudget({}, 60, rows), undefined)
    assert.equal(toBudget(null, 60, rows), undefined)
  })

  it('uses the limits of the account', () => {
    const own = limitsOf({ alert: { limit: 24 } })
    assert.deepEqual(own.alert, { limit: 24, window: 3600 })
    assert.equal(toBudget({ alert: 24 }, 3600, own)?.share, 1)
  })

  it('names the endpoint with the highest share', () => {
    const { endpoint, share } = toBudget({ 'latest-data': 1, 'latest-data-relay': 60 }, 60, rows) ?? {}
    assert.deepEqual([endpoint, share], ['latest-data-relay', 1])
  })

  it('grows with the requests and decreases with the interval', () => {
    const count = fc.integer({ min: 1, max: 5000 })
    const repeat = fc.integer({ min: 1, max: 2_000_000 })
    const endpoint = fc.constantFrom(...(Object.keys(LIMITS) as (keyof typeof LIMITS)[]))
    fc.assert(
      fc.property(count, repeat, endpoint, (requests, every, name) => {
        const one = toBudget({ [name]: requests }, every, rows)
        const more = toBudget({ [name]: requests + 1 }, every, rows)
        const rarer = toBudget({ [name]: requests }, every + 1, rows)
        assert.ok(one && more && rarer)
        assert.ok(more.share > one.share && more.seconds >= one.seconds && rarer.share < one.share)
      }),
    )
  })

  it('fits the limit at the suggested shortest interval, whatever the other nodes need', () => {
    const devices = fc.integer({ min: 1, max: 500 })
    const others = fc.array(fc.record({ devices, repeat: fc.integer({ min: 1, max: 100_000 }) }), {
      maxLength: 3,
    })
    fc.assert(
      fc.property(devices, others, (count, more) => {
        const listOf = (size: number) =>
          Array.from({ length: size }, (_, index) => ({ serial: `${index}`, base: `${index}` }))
        const alerts = (size: number, repeat: number) =>
          node('alerts', { select: 'list', devices: listOf(size), repeat })
        const rest = more.map((other) => alerts(other.devices, other.repeat))
        const own = estimateRequests(alerts(count, 1), undefined)
        const shareAt = (repeat: number) =>
          combineShares(own, [alerts(count, repeat), ...rest], undefined, rows)?.share ?? 0
        const advised = fittingRepeat(own, rest, undefined, rows)
        if (advised === undefined) return assert.ok(shareAt(2_000_000) > 1)
        assert.ok(shareAt(advised) <= 1 + 1e-9)
        if (advised > 1) assert.ok(shareAt(advised - 1) > 1)
      }),
    )
  })

  it('adds up the requests of all nodes of an account, for the endpoints that this node needs', () => {
    const alerts = node('alerts', { repeat: 3600 })
    const latest = node('latest', { repeat: '1' })
    const own = estimateRequests(alerts, fleet)
    const { share, endpoint } = combineShares(own, [alerts, alerts, alerts, latest], fleet, rows) ?? {}
    assert.deepEqual([share, endpoint], [15 / 12, 'alert'])
  })
})
