import assert from 'node:assert/strict'
import { install } from '@sinonjs/fake-timers'
import { createPace, gently } from '../../src/lib/cooperative'

const never = new AbortController().signal

describe('the pace of long work', () => {
  it('lets others have a turn after some messages', async () => {
    const pace = createPace(never)
    let turns = 0
    let rests = 0
    const count = () => {
      turns++
      if (rests < 10) setImmediate(count)
    }
    setImmediate(count)
    for (let message = 0; message < 1000; message++) {
      pace.sent()
      const rest = pace.rest()
      if (!rest) continue
      rests++
      await rest
    }
    assert.ok(rests >= 10, `${rests}`)
    assert.ok(turns >= 9, `${turns}`)
  })

  it('rests after work of some milliseconds, however little was sent', async () => {
    const time = install({ toFake: ['performance'] })
    try {
      const pace = createPace(never)
      time.tick(1)
      assert.equal(pace.rest(), undefined)
      time.tick(2)
      await pace.rest()
      assert.equal(pace.rest(), undefined)
    } finally {
      time.uninstall()
    }
  })

  it('does work that is cut into steps, with rests between them', async () => {
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
    assert.equal(await gently(steps(), never), 'done')
    assert.equal(turns, 5)
  })

  it('rests no more when its node closes: what is on its way is sent at once', () => {
    const closing = new AbortController()
    const pace = createPace(closing.signal)
    closing.abort()
    for (let message = 0; message < 1000; message++) {
      pace.sent()
      assert.equal(pace.rest(), undefined)
    }
  })
})
