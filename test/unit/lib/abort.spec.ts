import assert from 'node:assert/strict'
import { createAbort } from '../../../src/lib/abort'
import { nextTurn } from '../../../src/lib/clock'

describe('the signal of a trigger', () => {
  it('can have as many listeners as there are devices, without a warning of Node.js', async () => {
    const warnings: Error[] = []
    const note = (warning: Error) => warnings.push(warning)
    process.on('warning', note)
    const { signal } = createAbort()
    for (let device = 0; device < 1000; device++) signal.addEventListener('abort', () => {})
    await nextTurn()
    process.off('warning', note)
    assert.deepEqual(warnings, [])
  })
})
