import assert from 'node:assert/strict'
import { normalizeUnit, type Quantity, setQuantities } from '../../../../src/shared/quantity'

describe('a unit', () => {
  for (const unit of ['C', '℃', '°C', 'Ｃ', '°Ｃ', ' C ', 'ºC', '˚C']) {
    it(`is degrees Celsius if it is sent as ${JSON.stringify(unit)}`, () =>
      assert.equal(normalizeUnit(unit), '°C'))
  }
  for (const unit of ['F', '℉', '°F', 'Ｆ']) {
    it(`is degrees Fahrenheit if it is sent as ${JSON.stringify(unit)}`, () =>
      assert.equal(normalizeUnit(unit), '°F'))
  }

  it('is percent in any width', () => assert.equal(normalizeUnit('％'), '%'))

  it('of any other kind is kept, trimmed', () => {
    for (const unit of ['', 'c', 'lx', 'mΩ', 'cm', '__proto__', 'constructor', '°'])
      assert.equal(normalizeUnit(` ${unit}\t`), unit)
  })
})

function quantitiesOf(units: string[]) {
  const channels = units.map((unit) => ({ unit, quantity: null as Quantity | null }))
  setQuantities(channels)
  return channels.map(({ quantity }) => quantity)
}

describe('quantities', () => {
  it('are known if the unit is unambiguous', () => {
    const expected = {
      temperature: ['°C', '°F'],
      illuminance: ['lx', 'klx', 'ｌｘ'],
      'illuminance-exposure': ['lxh', 'klxh'],
      'uv-irradiance': ['mW/cm2', 'mW/cm²'],
      'uv-exposure': ['mW/cm2h'],
      pressure: ['Pa', 'hPa', 'kPa', '㎩'],
      voltage: ['V', 'mV'],
      current: ['A', 'mA'],
    }
    for (const [quantity, units] of Object.entries(expected))
      for (const unit of units) assert.deepEqual(quantitiesOf([unit]), [quantity], unit)
    for (const unit of ['', 'x', 'constructor', '__proto__', 'toString', 'v'])
      assert.deepEqual(quantitiesOf([unit]), [null], unit)
  })

  it('are humidity and CO2 only together with a temperature', () => {
    assert.deepEqual(quantitiesOf(['%', 'ppm']), [null, null])
    assert.deepEqual(quantitiesOf(['ppm', '%', '°C']), ['co2', 'humidity', 'temperature'])
    assert.deepEqual(quantitiesOf(['％', '°F', 'V']), ['humidity', 'temperature', 'voltage'])
  })
})
