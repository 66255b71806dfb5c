import assert from 'node:assert/strict'
import { describeLimit } from '../../../src/editor/limits/describe-limit'
import { type Limit, readLimits, repairLimit } from '../../../src/shared/limits-schema'
import { useFakeRed } from '../../support/fake-red'
import { listedDevice } from '../../support/listed-device'

const devices = [
  listedDevice('52A10001', { name: 'Freezer 3' }),
  listedDevice('5F0A1001', { name: 'Hall 1' }),
  listedDevice('52A10002', { name: 'まぐろ1号のA' }),
]

function describeRow(row: object): string {
  const limits = readLimits([row])
  assert.ok(!('problem' in limits))
  return describeLimit(limits[0] as Limit, devices)
}

describe('the sentence about a limit', () => {
  describe('in English', () => {
    useFakeRed()

    it('has the parts that apply', () => {
      const warm = { name: 'too warm', above: -15, minutes: 10, margin: 1 }
      for (const [row, sentence] of [
        [warm, 'too warm: temperature of all devices above -15 °C for 10 min, back at -16 °C'],
        [{ below: 32, unit: 'F' }, 'temperature of all devices below 32 °F'],
        [
          { above: 8, below: 2, margin: 0.1 },
          'temperature of all devices above 8 °C or below 2 °C, back at 7.9 °C or 2.1 °C',
        ],
        [{ quantity: 'co2', above: 1000 }, 'CO2 of all devices above 1,000 ppm'],
        [{ quantity: 'humidity', above: 85 }, 'humidity of all devices above 85%'],
        [{ quantity: 'voltage', above: 0.0005 }, 'voltage of all devices above 0.0005'],
        [{ channel: 2, below: 0.3, margin: 0.3 }, 'channel 2 of all devices below 0.3, back at 0.6'],
      ] as const) {
        assert.equal(describeRow(row), sentence)
      }
    })

    it('shows environment variables by their names', () => {
      const [low, unit] = ['$' + '{LOW}', '$' + '{UNIT}']
      for (const [row, sentence] of [
        [
          { below: low, minutes: 5, margin: 1 },
          `temperature of all devices below ${low} °C for 5 min, back at … °C`,
        ],
        [{ above: 8, unit, minutes: low }, `temperature of all devices above 8 for ${low} min`],
        [{ quantity: low, select: low, above: 8 }, `${low} of ${low} above 8`],
      ] as const) {
        assert.equal(describeLimit(repairLimit(row), devices), sentence)
      }
    })

    it('names a single device or base unit and all groups, and counts several devices', () => {
      const [serial, base] = ['52A10001', '5F0A1001']
      for (const [chosen, which] of [
        [{ select: 'list', devices: [{ serial }] }, 'Freezer 3'],
        [{ select: 'list', devices: [{ serial: '52A10009' }] }, '52A10009'],
        [{ select: 'base', bases: [base], devices: [{ serial }] }, 'Hall 1 (all devices)'],
        [
          { select: 'list', devices: [{ serial }, { serial: '52A10009' }], bases: [base, '5F0A1002'] },
          '2 devices, 2 base units',
        ],
        [{ select: 'group', groups: ['Cold store', 'Hall'] }, 'Cold store, Hall'],
      ] as const) {
        assert.equal(describeRow({ above: 8, ...chosen }), `temperature of ${which} above 8 °C`)
      }
    })

    it('shows what is missing', () => {
      const limit = { ...(readLimits([{ above: 1 }]) as Limit[])[0], above: null, select: 'list' } as Limit
      assert.equal(describeLimit(limit, undefined), 'temperature of … …')
    })
  })

  describe('in Japanese', () => {
    useFakeRed('ja')

    it('has the order of that language', () => {
      const row = { name: '高温', above: 8, below: 2, minutes: 10, margin: 1 }
      assert.equal(
        describeRow(row),
        '高温：全機器の温度が 8 °C 超過／2 °C 未満、10 分継続（7 °C／3 °C で復帰）',
      )
    })

    it('has spaces beside Latin letters and digits, but not within a name', () => {
      const one = { select: 'list', devices: [{ serial: '52A10001' }], quantity: 'co2', above: 1000 }
      assert.equal(describeRow(one), 'Freezer 3 の CO2 濃度が 1,000 ppm 超過')
      const other = { select: 'list', devices: [{ serial: '52A10002' }], above: 8 }
      assert.equal(describeRow(other), 'まぐろ1号のA の温度が 8 °C 超過')
    })
  })
})
