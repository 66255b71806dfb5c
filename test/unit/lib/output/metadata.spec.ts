import assert from 'node:assert/strict'
import { createMetadata } from '../../../../src/lib/output/metadata'
import type { Row } from '../../../../src/lib/output/rows'
import type { Subject } from '../../../../src/lib/readings/content'

const quota = { limit: 60, remaining: 41, windowSeconds: 60, recordsRemaining: null }
const answer = { endpoint: 'latest-data-relay' as const, receivedAt: 1_795_161_605_123, quota }
const subject: Subject = {
  serial: '5212A1B2',
  name: 'Freezer 3',
  base: '5839F001',
  group: 'Cold chain',
  channel: { number: 1, label: 'Inside', unit: '°C', quantity: 'temperature' },
}
const reading: Row = { serial: '5212A1B2', base: '5839F001', channel: 1, value: -18.4 }

describe('msg.envlog', () => {
  it('has the shape in docs/messages.md', () => {
    assert.deepEqual(
      createMetadata('current', 'Plant A', { answer: { ...answer, endpoint: 'current' } }, {}),
      {
        node: 'current',
        endpoint: 'current',
        account: 'Plant A',
        receivedAt: '2026-11-20T08:00:05.123Z',
        quota,
      },
    )
  })

  it('contains the device if the message is about one, and nothing else from the subject', () => {
    assert.deepEqual(createMetadata('latest', 'Plant A', { answer }, { subject }).device, {
      serial: '5212A1B2',
      name: 'Freezer 3',
      base: '5839F001',
    })
  })

  it('contains the value’s flat row and the period if there are any, otherwise no such keys', () => {
    const range = { from: '2026-11-19T08:00:00.000Z', to: '2026-11-20T08:00:00.000Z' }
    const metadata = createMetadata('range', 'Plant A', { answer }, { subject, reading, range })
    assert.deepEqual([metadata.reading, metadata.range], [reading, range])
    const without = createMetadata(
      'range',
      'A',
      { answer },
      { subject: undefined, reading: undefined, range: undefined },
    )
    assert.deepEqual(Object.keys(without).sort(), ['account', 'endpoint', 'node', 'quota', 'receivedAt'])
  })

  it('shares no objects with the response', () => {
    const first = createMetadata('latest', 'A', { answer }, {})
    first.quota.remaining = 0
    assert.equal(createMetadata('latest', 'A', { answer }, {}).quota.remaining, 41)
  })

  it('shares neither subject nor period with the next message', () => {
    const range = { from: 'a', to: 'b' }
    const first = createMetadata('range', 'A', { answer }, { subject, range })
    Object.assign(first.device as object, { serial: 'changed' })
    Object.assign(first.range as object, { from: 'changed' })
    const second = createMetadata('range', 'A', { answer }, { subject, range })
    assert.deepEqual([second.device?.serial, second.range?.from], ['5212A1B2', 'a'])
  })
})
