import assert from 'node:assert/strict'
import { describeTooShort } from '../../../src/editor/limits/silent-hint'
import { useFakeRed } from '../../support/fake-red'

describe('the hint below Silent for', () => {
  describe('in English', () => {
    useFakeRed()

    it('asks for more than two intervals of the devices', () => {
      const hints = ['120', '121', ' 1 ', '', '$' + '{SILENT}', 'soon'].map((text) =>
        describeTooShort(text, 60),
      )
      const hint = 'Loggers here send every 1 h: choose more than 2 h.'
      assert.deepEqual(hints, [hint, '', hint, '', '', ''])
    })

    it('is not shown if the interval is not known', () => {
      assert.equal(describeTooShort('1', 0), '')
    })
  })
})
