import assert from 'node:assert/strict'
import fc from 'fast-check'
import { EnvlogError } from '../../../../src/lib/errors'
import { readCommand } from '../../../../src/nodes/alarms/command'
import { readControlMessage } from '../../../../src/nodes/kit/action/control-message'

describe('msg.envlog', () => {
  it('is a command, none, or fails with ENVLOG_INPUT, whatever it contains', () => {
    const names = [
      'forget',
      'skip',
      'receipt',
      'acknowledge',
      'mute',
      'devices',
      'report',
      'test',
      'history',
      'minutes',
      'by',
      'note',
    ]
    const anything = fc.anything({ withNullPrototype: true, withBigInt: true, withSparseArray: true })
    const serials = fc.array(fc.oneof(anything, fc.constantFrom('52A10001', 52_120_001, ' 52A10001 ')))
    const command = fc.dictionary(fc.constantFrom(...names), fc.oneof(anything, serials))
    const check = (envlog: unknown) => {
      for (const read of [readControlMessage, readCommand]) {
        try {
          read({ envlog } as never, 'node')
        } catch (error) {
          assert.ok(error instanceof EnvlogError && error.code === 'ENVLOG_INPUT', String(error))
        }
      }
    }
    fc.assert(fc.property(fc.oneof(anything, command), check), { numRuns: 500 })
  })
})
