import assert from 'node:assert/strict'
import type { NodeAPI } from 'node-red'
import { systemClock } from '../../../../src/lib/clock'
import { NodeState } from '../../../../src/lib/collect/node-state'
import { Run } from '../../../../src/nodes/kit/action/run'
import type { RunContext } from '../../../../src/nodes/kit/action/run-context'
import { failure } from '../../lib/responses'

const RECORDS = 9000
const SERIAL = '5212A1B2'

const series = {
  ...{ serial: SERIAL, name: 'Freezer', model: 'M-503', base: { serial: SERIAL, name: '', model: '' } },
  ...{ standalone: true, utcOffset: 0, gaps: [] },
  channels: [{ key: 'ch1', number: 1, name: 'Inside', unit: '°C', quantity: null }],
  records: Array.from({ length: RECORDS }, (_, index) => ({
    ...{ time: '2026-11-20T08:00:00.000Z', timestamp: 1_795_161_600_000 + index, dataId: index },
    ch1: index,
  })),
}

describe('a trigger of a node that is closed while its messages are made', () => {
  for (const send of ['device', 'each', 'chunk']) {
    it(`sends nothing after that, and fails: ${send}`, async () => {
      const abort = new AbortController()
      let sentAfterClose = 0
      const countSent = () => {
        if (abort.signal.aborted) sentAfterClose++
      }
      const run = new Run({
        RED: { util: { cloneMessage: (msg: object) => ({ ...msg }), generateId: () => 'id' } } as NodeAPI,
        node: { id: 'node', type: 'envlog-range' },
        trigger: { msg: {}, send: countSent },
        settings: { output: 'rows', send, chunk: 1000, topic: '', wait: null, time: 'utc' },
        account: { quota: {}, devices: {}, temperatureUnit: null, localTime: 'utc', name: 'Plant A' },
        nodeState: new NodeState(systemClock),
        signal: abort.signal,
        setStatus() {},
      } as unknown as RunContext<'envlog-range'>)
      const response = { endpoint: 'data', receivedAt: 0, quota: {} } as never
      const delivered = run.deliver({ response, content: { kind: 'series', series } as never, group: '' })
      setImmediate(() => abort.abort())
      await assert.rejects(delivered, failure('closed'))
      assert.equal(sentAfterClose, 0)
    })
  }
})
