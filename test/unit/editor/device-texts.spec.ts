import assert from 'node:assert/strict'
import { ago, describeState, valuesOf } from '../../../src/editor/picker/device-texts'
import { useFakeRed } from '../../support/fake-red'
import { listedDevice } from '../../support/listed-device'

const NOW = Date.UTC(2026, 0, 15, 12)
const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000]

describe('the details of a device', () => {
  describe('in English', () => {
    useFakeRed()

    it('show how long ago it was measured, in the largest whole unit', () => {
      const ages = [-HOUR, 59 * SECOND, MINUTE, 3 * HOUR - 1, 9 * DAY].map((ms) => ago(NOW - ms, NOW))
      assert.deepEqual(ages, ['0 sec. ago', '59 sec. ago', '1 min. ago', '2 hr. ago', '9 days ago'])
    })

    it('show what a newer list costs if little quota is left', () => {
      const stateWith = (left: number, freeAt: number | null) =>
        describeState({ kind: 'loaded', list: { devices: [], receivedAt: NOW, left, freeAt } })
      assert.match(stateWith(9, null), /^As of \d\d:\d\d\.$/)
      assert.match(stateWith(2, null), / one request; 2 are left\.$/)
      assert.match(stateWith(0, NOW + HOUR), / No request is possible until /)
      assert.equal(describeState({ kind: 'failed', why: 'Why.', list: undefined }), 'Why.')
    })

    it("show its first two values with their units, or the service's text if there is no value", () => {
      const shown = (values: [number | null, string, string?][], most?: number) => {
        const channels = values.map(([value, unit, error = null]) => ({ value, unit, quantity: null, error }))
        return valuesOf(listedDevice('52A10001', { channels }), most)
      }
      const three: [number, string][] = [
        [-18.4, '°C'],
        [45, '%'],
        [7, ''],
      ]
      assert.equal(shown(three), '-18.4 °C, 45%')
      assert.equal(shown(three, 3), '-18.4 °C, 45%, 7')
      assert.equal(
        shown([
          [null, '°C', 'Sensor Error'],
          [null, ''],
        ]),
        'Sensor Error, –',
      )
      assert.equal(shown([]), '')
    })
  })

  describe('in Japanese', () => {
    useFakeRed('ja')

    it('use Japanese units and separators', () => {
      assert.equal(ago(NOW - 3 * MINUTE, NOW), '3 分前')
      const values = [-18.4, 45].map((value) => ({ value, unit: '%', quantity: null, error: null }))
      assert.equal(valuesOf(listedDevice('52A10001', { channels: values })), '-18.4%、45%')
    })
  })
})
