import assert from 'node:assert/strict'
import { patient } from '../answers'
import { clientOf, ok, useFakeTimers } from './setup'

describe('concurrent requests', () => {
  const timers = useFakeTimers()

  for (const concurrency of [1, 2, 5]) {
    it(`are at most ${concurrency}, in call order`, async () => {
      const { client, transport } = clientOf(
        () => new Promise((resolve) => setTimeout(() => resolve(ok()), 1000)),
        { concurrency },
      )
      const serials = Array.from({ length: 11 }, (_, index) => `S${index}`)
      const reads = serials.map((serial) => client.read('current', { 'remote-serial': [serial] }, patient))
      await timers().tickAsync(10_000 * 2)
      await Promise.all(reads)
      assert.equal(transport.mostOpen(), concurrency)
      assert.deepEqual(
        transport.sent.map(({ body }) => JSON.parse(body)['remote-serial'][0]),
        serials,
      )
    })
  }
})
