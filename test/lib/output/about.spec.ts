import assert from 'node:assert/strict'
import { about, aboutDevice } from '../../../src/lib/output/about'

const quota = { limit: 60, remaining: 41, windowSeconds: 60, recordsRemaining: null }
const answer = { endpoint: 'latest-data-relay' as const, receivedAt: 1_795_161_605_123, quota }

describe('what a message tells about its answer', () => {
  it('is the shape of docs/messages.md', () => {
    assert.deepEqual(about('current', 'Plant A', { ...answer, endpoint: 'current' }), {
      node: 'current',
      endpoint: 'current',
      account: 'Plant A',
      receivedAt: '2026-11-20T08:00:05.123Z',
      quota,
    })
  })

  it('names the device where it is about one', () => {
    const base = { serial: '5839F001', name: 'Hall 1', model: 'M-500' }
    const device = { serial: '5212A1B2', name: 'Freezer 3', model: 'M-503', base, standalone: false }
    assert.deepEqual(aboutDevice('latest', 'Plant A', answer, device).device, {
      serial: '5212A1B2',
      name: 'Freezer 3',
      base: '5839F001',
    })
  })

  it('shares nothing with the answer', () => {
    const first = about('latest', 'A', answer)
    first.quota.remaining = 0
    assert.equal(about('latest', 'A', answer).quota.remaining, 41)
  })
})
