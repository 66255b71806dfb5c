import assert from 'node:assert/strict'
import { demoFlows } from '../../../demo/flows'
import { exampleNames, readExample } from '../../support/examples'
import { untidyPlaces } from '../../support/layout'
import { root } from '../../support/package'

/** Everything is inside the canvas, nothing touches, also with a wider font, and wires go from left to right. */
describe('the layout of', () => {
  for (const name of exampleNames) it(name, () => assert.deepEqual(untidyPlaces(readExample(name)), []))

  it('the demo', () => {
    assert.deepEqual(untidyPlaces(demoFlows(root)), [])
  })
})
