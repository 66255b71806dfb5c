import assert from 'node:assert/strict'
import { install } from '@sinonjs/fake-timers'
import { createYielder, runCooperatively } from '../../src/lib/cooperative'

const never = new AbortController().signal

describe('the yielding of long work', () => {
  it('is due after some messages', async () => {
    const yielder = createYielder(never)
    let turns = 0
    let yields = 0
    const count = () => {
      turns++
      if (yields < 10) setImmediate(count)
    }
    setImmediate(count)
    for (let message = 0; message < 1000; message++) {
      yielder.countMessage()
      const pause = yielder.maybeYield()
      if (!pause) continue
      yields++
      await pause
    }
    assert.ok(yields >= 10, `${yields}`)
    assert.ok(turns >= 9, `${turns}`)
  })

  it('is due after work of some milliseconds, however little was sent', async () => {
    const time = install({ toFake: ['performance'] })
    try {
      const yielder = createYielder(never)
      time.tick(1)
      assert.equal(yielder.maybeYield(), undefined)
      time.tick(2)
      await yielder.maybeYield()
      assert.equal(yielder.maybeYield(), undefined)
    } finally {
      time.uninstall()
    }
  })

  it('happens between the steps of the work', async () => {
    let turns = 0
    const count = () => {
      turns++
      if (turns < 5) setImmediate(count)
    }
    setImmediate(count)
    function* steps(): Generator<undefined, string> {
      for (let step = 0; step < 20; step++) {
        const until = performance.now() + 1
        while (performance.now() < until);
        yield undefined
      }
      return 'done'
    }
    assert.equal(await runCooperatively(steps(), never), 'done')
    assert.equal(turns, 5)
  })

  it('ends when the node closes: what is being sent is sent at once', () => {
    const closing = new AbortController()
    const yielder = createYielder(closing.signal)
    closing.abort()
    for (let message = 0; message < 1000; message++) {
      yielder.countMessage()
      assert.equal(yielder.maybeYield(), undefined)
    }
  })
})
