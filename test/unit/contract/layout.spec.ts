import assert from 'node:assert/strict'
import { demoFlows } from '../../../demo/flows'
import { exampleNames, readExample } from '../../support/examples'
import { faultsOf, labelsIn, type PlacedNode } from '../../support/layout'
import { root } from '../../support/package'

/** Without Arial, a machine may use a font such as DejaVu Sans. */
const WIDENINGS = [1, 1.2]

const flows = new Map<string, PlacedNode[]>([
  ...exampleNames.map((name): [string, PlacedNode[]] => [name, readExample(name)]),
  ['the demo', demoFlows(root)],
])

describe('the nodes of the examples and the demo', () => {
  for (const language of ['en-US', 'ja'])
    it(`are inside the canvas and their groups without overlapping, even with a wider font: ${language}`, () => {
      const labelOf = labelsIn(language)
      for (const widen of WIDENINGS)
        for (const [name, flow] of flows)
          assert.deepEqual(faultsOf(flow, labelOf, widen), [], `${name}, ${widen}`)
    })

  it('are on tabs whose names differ in the first word', () => {
    const labels = exampleNames
      .flatMap(readExample)
      .flatMap(({ type, label }) => (type === 'tab' ? [String(label)] : []))
    const first = labels.map((label) => label.slice(0, 15))
    assert.deepEqual(
      first.filter((label, at) => first.indexOf(label) !== at || label.startsWith('envlog')),
      [],
    )
  })
})
