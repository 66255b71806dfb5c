import assert from 'node:assert/strict'
import { createYielder, measured, runCooperatively, yieldIfDue } from '../../../src/lib/cooperative'

const never = new AbortController().signal

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

function work(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

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
    await nextTurn()
    const yielder = createYielder(never)
    assert.equal(yielder.maybeYield(), undefined)
    measured(() => work(3))
    await yielder.maybeYield()
    assert.equal(yielder.maybeYield(), undefined)
  })

  it('is due after the work of all together: in each turn only one goes on', async () => {
    let left = 50
    let turns = 0
    const count = () => {
      turns++
      if (left > 0) setImmediate(count)
    }
    setImmediate(count)
    function* steps(): Generator<undefined, void> {
      for (let step = 0; step < 4; step++) {
        work(0.5)
        yield undefined
      }
    }
    const all = Array.from({ length: left }, async () => {
      await yieldIfDue()
      await runCooperatively(steps(), never)
      left--
    })
    await Promise.all(all)
    assert.ok(turns > 20, `${turns}`)
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
        work(1)
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
