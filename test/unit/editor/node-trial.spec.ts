import assert from 'node:assert/strict'
import { describeLine } from '../../../src/editor/node-trial'
import { useFakeRed } from '../../support/fake-red'

const NOW = Date.UTC(2026, 0, 15, 12)
const inside = { value: -18.5, unit: '°C', error: null }
const broken = { value: null, unit: '%', error: 'E1' }

describe('a line of *Try now*', () => {
  useFakeRed()

  it('says in words what a device measured and when, or which alert it has', () => {
    const line = { name: 'Freezer 1', timestamp: NOW - 60_000, channels: [inside, broken] }
    assert.equal(describeLine(line, NOW), 'Freezer 1 · -18.5 °C, E1 · 1 min. ago')
    assert.equal(describeLine({ ...line, channels: [], timestamp: null }, NOW), 'Freezer 1 · no reading')
    const alert = { ...line, channels: [], text: 'High temperature' }
    assert.equal(describeLine(alert, NOW), 'Freezer 1 · High temperature · 1 min. ago')
  })
})
