import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type ActionConfig, requestedDevices, roundUp, toBudget } from '../../../src/editor/request-budget'
import { listedDevice } from '../../support/listed-device'

const devices = [
  listedDevice('52A10001'),
  listedDevice('52A10002'),
  listedDevice('52C10008', { base: '5F0A1001' }),
  listedDevice('52C10009', { base: '5F0A1001' }),
  listedDevice('52C10010', { base: '5F0A1002', group: 'Racks' }),
]
const node = (type: string, over: object = {}): ActionConfig => ({
  type: `envlog-${type}`,
  select: 'all',
  ...over,
})

describe('the requests of a round', () => {
  it('are one to current for any number of devices', () => {
    assert.equal(toBudget(node('current'), [], undefined)?.requests, 1)
  })

  it('are one per device that is chosen by itself, its base unit or its group, and not excluded', () => {
    const twins = [
      ...devices,
      listedDevice('52A10001', { base: '5F0A1001' }),
      listedDevice('52A10001', { base: '5F0A1002' }),
    ]
    const named = fc.constantFrom(
      ...twins.map(({ serial, base }) => ({ serial, base: base.serial })),
      ...twins.map(({ serial }) => ({ serial })),
    )
    const config = fc.record({
      select: fc.constantFrom('all', 'list', 'base', 'group'),
      devices: fc.array(named),
      bases: fc.subarray(['5F0A1001', '5F0A1002', '52A10001']),
      groups: fc.subarray(['Racks']),
      exclude: fc.subarray(['52A10001', '52C10008']),
    })
    fc.assert(
      fc.property(config, (choice) => {
        const { select, bases, groups, exclude } = choice
        const isChosen = ({ serial, base, group }: (typeof twins)[number]) => {
          if (select === 'all') return true
          if (select === 'group') return groups.includes(group?.name ?? '')
          if (bases.includes(base.serial)) return true
          const isNamed = (one: { serial: string; base?: string }) =>
            one.serial === serial && (one.base ?? base.serial) === base.serial
          return select === 'list' && choice.devices.some(isNamed)
        }
        const expected = twins.filter((one) => isChosen(one) && !exclude.includes(one.serial))
        assert.equal(requestedDevices(node('latest', choice), twins)?.length, expected.length)
        assert.equal(toBudget(node('latest', choice), [], twins)?.requests, expected.length)
      }),
    )
  })

  it('include chosen devices that the account does not list', () => {
    const list = { select: 'list', devices: [{ serial: '99999999' }], bases: ['5F0A1001'] }
    assert.equal(requestedDevices(node('latest', list), devices)?.length, 3)
  })

  it('are known for a list without the account, and for nothing else', () => {
    const list = [{ serial: '52A10001', base: '52A10001' }, { serial: '52C10008' }]
    assert.equal(requestedDevices(node('latest', { select: 'list', devices: list }), undefined)?.length, 2)
    const others = [
      { select: 'list', bases: ['5F0A1001'] },
      ...['all', 'base', 'group'].map((select) => ({ select })),
    ]
    for (const choice of others) {
      assert.equal(requestedDevices(node('latest', choice), undefined), undefined)
      assert.equal(toBudget(node('latest', choice), [], undefined), undefined)
    }
    assert.equal(toBudget(node('latest', { select: 'msg' }), [], devices), undefined)
  })
})

describe('the required quota', () => {
  it('is the share of the limit that is used most, and the duration of a round', () => {
    const latest = toBudget(node('latest', { repeat: '2' }), [], devices)
    assert.deepEqual([latest?.endpoint, latest?.own], ['latest-data-relay', 3 / 2 / 1])
    assert.equal(toBudget(node('latest'), [], devices)?.own, 0, 'without own triggers')
    const limits = { alert: { limit: 2 } }
    const budget = toBudget(node('alerts', { repeat: 7200 }), [], devices, limits)
    assert.deepEqual([budget?.seconds, budget?.endpoint, budget?.own], [9000, 'alert', 5 / 4])
    const none = toBudget(node('alerts', { select: 'list', repeat: 60 }), [], devices)
    assert.deepEqual([none?.requests, none?.seconds, none?.own], [0, 0, 0])
  })

  it('takes no time if a round fits into a full limit', () => {
    const secondsFor = (limit: number) => toBudget(node('alerts'), [], devices, { alert: { limit } })?.seconds
    assert.deepEqual([5, 4].map(secondsFor), [0, 4500])
  })

  it('adds up the requests of all nodes of an account, for the endpoints that this node needs', () => {
    const alerts = node('alerts', { repeat: 3600 })
    const budget = toBudget(alerts, [alerts, alerts, node('latest', { repeat: '1' })], devices)
    assert.deepEqual([budget?.endpoint, budget?.own, budget?.together], ['alert', 5 / 12, 15 / 12])
  })

  it('is that of one node if several nodes request the same current readings at the same time', () => {
    const shareOf = (...nodes: object[]) => {
      const [first, ...others] = nodes.map((over) => node('current', over)) as [ActionConfig]
      return Math.round(1000 * (toBudget(first, others, devices)?.together ?? 0))
    }
    const each = { repeat: 60 }
    assert.equal(shareOf(each, each, { repeat: 300 }, { ...each, select: 'group', groups: ['Racks'] }), 200)
    assert.equal(shareOf(each, { repeat: 90 }), 200 + 133)
    assert.equal(shareOf(each, { ...each, output: 'raw' }), 400)
    assert.equal(shareOf(each, { ...each, select: 'base', bases: ['5F0A1001'] }), 400)
    const [first, second] = ['a', 'b'].map((id) => ({ ...each, id, select: 'msg' }))
    assert.equal(shareOf(each, first as object, second as object), 600)
  })

  it('suggests an interval that is easy to read', () => {
    const suggested = [59, 599, 601, 35_999, 96_000, 900_000, 1_999_999].map(roundUp)
    assert.deepEqual(suggested, [59, 599, 660, 36_000, 97_200, 950_400, 1_999_999])
  })

  it('fits the limit at the suggested shortest interval, whatever the other nodes need', () => {
    const count = fc.integer({ min: 1, max: 500 })
    const others = fc.array(fc.record({ count, repeat: fc.integer({ min: 1, max: 100_000 }) }), {
      maxLength: 3,
    })
    const alerts = (size: number, repeat: number) => {
      const list = Array.from({ length: size }, (_, index) => ({ serial: `${index}`, base: `${index}` }))
      return node('alerts', { select: 'list', devices: list, repeat })
    }
    fc.assert(
      fc.property(count, others, (size, more) => {
        const rest = more.map((other) => alerts(other.count, other.repeat))
        const budgetAt = (repeat: number) => toBudget(alerts(size, repeat), rest, undefined)
        const shareAt = (repeat: number) => budgetAt(repeat)?.together ?? 0
        const advised = budgetAt(1)?.fittingRepeat
        if (advised === undefined) return assert.ok(shareAt(2_000_000) > 1)
        assert.ok(shareAt(advised) <= 1 + 1e-9)
        if (advised > 1) assert.ok(shareAt(advised - 1) > 1)
      }),
    )
  })
})
