import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import helper from 'node-red-node-test-helper'
import { manualClock } from '../../../simulator'
import { deviceIn, expectedRows, newestOf } from '../../support/expected'
import { startFlow, useSimulator } from '../../support/flow'
import type { ActionName, Message } from '../../support/flow-types'
import { HOSTILE_NOW, hostileFleet, serialOf } from '../../support/hostile'
import { CSV_COLUMNS } from '../../support/outputs'
import { assertSame } from '../../support/same'

const core = createRequire(require.resolve('node-red'))
const csv: unknown = core('@node-red/nodes/core/parsers/70-CSV.js')

const place = { z: 'tab', x: 100, y: 100 }
const common = { type: 'csv', spec: 'rfc', temp: '', multi: 'mult', ...place }
/** Converts to CSV with a header in each message, and back; a serial may look like a number: 521E0001. */
const chain = [
  { ...common, id: 'to', hdrout: 'all', ret: '\\n', wires: [['text', 'from']] },
  { id: 'text', type: 'helper', ...place },
  { ...common, id: 'from', hdrin: true, strings: false, wires: [['back']] },
  { id: 'back', type: 'helper', ...place },
]

describe('rows in a core CSV node', () => {
  const simulator = useSimulator(() => ({
    clock: manualClock(HOSTILE_NOW),
    limits: 'off',
    fleet: hostileFleet(),
  }))

  /** The CSV of each message, and its contents after parsing. */
  async function convert(action: ActionName, node: object): Promise<{ texts: string[]; back: Message[] }> {
    const flow = await startFlow(action, simulator(), {
      node: { output: 'rows', ...node, wires: [['output', 'to']] },
      flow: chain,
      coreNodes: [csv],
    })
    const [texts, back]: [string[], Message[][]] = [[], []]
    helper.getNode('text').on('input', ({ payload }: Message) => texts.push(payload))
    helper.getNode('back').on('input', ({ payload }: Message) => back.push(payload))
    flow.send()
    await flow.completed.next()
    while (back.length < flow.output.messages.length) await new Promise(setImmediate)
    return { texts, back: back.flat() }
  }

  const alone = { select: 'list', devices: [{ serial: serialOf('quotes') }] }
  for (const [action, node] of [
    ['current', { send: 'all' }],
    ['latest', alone],
    ['alerts', alone],
  ] as const) {
    it(`${action}: the header has all columns in order`, async () => {
      const { texts } = await convert(action, node)
      assert.deepEqual(
        texts.map((text) => text.split('\n')[0]),
        [CSV_COLUMNS[action]],
      )
    })
  }

  it('survive the conversion to CSV and back, with any names', async () => {
    const { back } = await convert('latest', {})
    const { truth } = simulator()
    const expected = truth.devices().flatMap(({ serial }) => {
      const device = deviceIn(truth, serial)
      return expectedRows(device, newestOf(truth, device)).map((row) =>
        Object.fromEntries(Object.entries(row).map(([key, value]) => [key, String(value)])),
      )
    })
    assertSame(back, expected)
  })
})
