import assert from 'node:assert/strict'
import { createMetadata } from '../../../../src/lib/output/metadata'
import type { Row } from '../../../../src/lib/output/rows'
import { version } from '../../../../src/lib/version'

const quota = { limit: 60, remaining: 41, windowSeconds: 60, recordsRemaining: null }
const response = { endpoint: 'latest-data-relay' as const, receivedAt: 1_795_161_605_123, quota }
const device = { serial: '5212A1B2', name: 'Freezer 3', base: '5839F001' }
const channel = { number: 1, label: 'Inside', unit: '°C', quantity: 'temperature' }
const reading: Row = { serial: '5212A1B2', base: '5839F001', channel: 1, value: -18.4 }
const details = () => ({
  subject: { ...device, group: 'Cold chain', channel },
  reading: { ...reading },
  range: { from: '2026-11-19T08:00:00.000Z', to: '2026-11-20T08:00:00.000Z' },
  overflow: true,
  backfill: true,
  receipt: 'receipt',
})

describe('msg.envlog', () => {
  const common = {
    node: 'latest',
    version,
    endpoint: 'latest-data-relay',
    account: 'Plant A',
    receivedAt: '2026-11-20T08:00:05.123Z',
    quota,
  }

  it('has the shape in docs/messages.md, without keys for absent values', () => {
    const absent = {
      subject: undefined,
      reading: undefined,
      range: undefined,
      overflow: false,
      backfill: false,
    }
    assert.deepEqual(createMetadata('latest', 'Plant A', response, absent), common)
  })

  it('contains only the device of the subject, and shares no objects with the next message', () => {
    const given = details()
    const { range, overflow, backfill, receipt } = given
    const expected = { ...common, device, reading, range, overflow, backfill, receipt }
    const first = createMetadata('latest', 'Plant A', response, given)
    assert.deepEqual(first, expected)
    for (const part of [first.quota, first.device, first.range])
      for (const key of Object.keys(part as object)) (part as unknown as Record<string, unknown>)[key] = 0
    assert.deepEqual(createMetadata('latest', 'Plant A', response, given), {
      ...expected,
      range: details().range,
    })
  })
})
