import assert from 'node:assert/strict'
import fc from 'fast-check'
import { createLanes } from '../../../src/lib/api/lanes'
import { never } from '../answers'
import { clientOf, ok, useFakeTimers } from './setup'

describe('requests at the same time', () => {
  const timers = useFakeTimers()

  for (const concurrency of [1, 2, 5]) {
    it(`are at most ${concurrency}, in the order they came`, async () => {
      const { client, transport } = clientOf(
        () => new Promise((resolve) => setTimeout(() => resolve(ok()), 1000)),
        { concurrency },
      )
      const serials = Array.from({ length: 11 }, (_, index) => `S${index}`)
      const reads = serials.map((serial) => client.read('current', { 'remote-serial': [serial] }, never))
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

describe('lanes', () => {
  it('never let in more than there are, and never lose one, whoever gives up when', async () => {
    const step = fc.oneof(fc.constant('enter'), fc.constant('leave'), fc.constant('abort'))
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 3 }), fc.array(step), async (count, steps) => {
        const lanes = createLanes(count)
        const inside: (() => void)[] = []
        const waiting: AbortController[] = []
        for (const what of steps) {
          if (what === 'enter') {
            const abort = new AbortController()
            waiting.push(abort)
            lanes.enter(abort.signal).then(
              (leave) => {
                waiting.splice(waiting.indexOf(abort), 1)
                inside.push(leave)
              },
              () => waiting.splice(waiting.indexOf(abort), 1),
            )
          } else if (what === 'leave') inside.shift()?.()
          else waiting.at(-1)?.abort()
          await Promise.resolve()
          await Promise.resolve()
          assert.ok(inside.length <= count)
          assert.ok(waiting.length === 0 || inside.length === count, 'nobody waits beside a free lane')
        }
      }),
    )
  })

  it('are left once, however often that is said', async () => {
    const lanes = createLanes(1)
    const leave = await lanes.enter(never)
    leave()
    leave()
    await lanes.enter(never)
    const second = lanes.enter(never).then(() => 'in')
    assert.equal(await Promise.race([second, Promise.resolve('waits')]), 'waits')
  })
})
