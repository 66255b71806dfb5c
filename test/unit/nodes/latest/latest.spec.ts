import assert from 'node:assert/strict'
import type { NodeAPI } from 'node-red'
import { findAction } from '../../../../src/nodes/kit/action/register-action'
import latest from '../../../../src/nodes/latest/latest'

describe('envlog-latest', () => {
  it('fetches missing records only if it sends only new ones, in an output that reads them, with Backfill', async () => {
    latest({ nodes: { registerType() {} } } as unknown as NodeAPI)
    const fills = async (format: string, onlyNew: boolean, backfill: boolean) => {
      let found: unknown
      const forEachDevice = async (_: unknown, options: { fills: boolean }) => {
        found = options.fills
      }
      await findAction('envlog-latest')?.run({
        format,
        settings: { onlyNew, backfill },
        forEachDevice,
      } as never)
      return found
    }
    assert.equal(await fills('read', true, true), true)
    assert.equal(await fills('read', true, false), false, 'also of a period that was missing before')
    assert.equal(await fills('read', false, true), false)
    assert.equal(await fills('csv', true, true), false)
  })
})
