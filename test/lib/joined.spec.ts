import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { systemClock } from '../../src/lib/clock'
import { joined } from '../../src/lib/joined'
import { never } from './answers'
import { useFakeTimers, watch } from './api/setup'

describe('joining those who ask for the same', () => {
  const timers = useFakeTimers()

  function setup(outcome: () => unknown = () => 'result') {
    const seen = { runs: 0, given: [] as AbortSignal[] }
    const ask = joined(async (signal) => {
      seen.runs++
      seen.given.push(signal)
      await systemClock.sleep(1000, signal)
      return outcome()
    })
    return { seen, ask }
  }

  it('does the work once and gives all the same result', async () => {
    const { seen, ask } = setup()
    const asked = [ask(never), ask(never), ask(never)]
    await timers().tickAsync(1000)
    assert.deepEqual(await Promise.all(asked), ['result', 'result', 'result'])
    assert.equal(seen.runs, 1)
  })

  it('does it anew for those who ask after its end', async () => {
    const { seen, ask } = setup()
    for (let count = 0; count < 3; count++) {
      const asked = ask(never)
      await timers().tickAsync(1000)
      await asked
    }
    assert.equal(seen.runs, 3)
  })

  it('gives all the same failure, and begins anew after it', async () => {
    const failure = new Error('no')
    let failing = true
    const { seen, ask } = setup(() => {
      if (failing) throw failure
    })
    const asked = [watch(ask(never)), watch(ask(never))]
    await timers().tickAsync(1000)
    assert.deepEqual(
      asked.map(({ error }) => error),
      [failure, failure],
    )
    failing = false
    const again = watch(ask(never))
    await timers().tickAsync(1000)
    assert.deepEqual([again.state, seen.runs], ['done', 2])
  })

  it('gives ENVLOG_CLOSED at once to who gives up, and goes on for the others', async () => {
    const { seen, ask } = setup()
    const abort = new AbortController()
    const gone = watch(ask(abort.signal))
    const stays = watch(ask(never))
    await timers().tickAsync(500)
    abort.abort()
    await timers().tickAsync(0)
    assert.deepEqual(
      [gone.error?.code, stays.state, seen.given[0]?.aborted],
      ['ENVLOG_CLOSED', 'waits', false],
    )
    await timers().tickAsync(500)
    assert.equal(stays.state, 'done')
  })

  it('gives the work up when nobody waits any more, and does it anew for the next', async () => {
    const { seen, ask } = setup()
    const aborts = [new AbortController(), new AbortController()]
    const gone = aborts.map(({ signal }) => watch(ask(signal)))
    await timers().tickAsync(500)
    for (const abort of aborts) abort.abort()
    const next = watch(ask(never))
    await timers().tickAsync(500)
    const joining = watch(ask(never))
    await timers().tickAsync(500)
    assert.equal(joining.state, 'done', 'it joins the second run, although the first has ended meanwhile')
    assert.deepEqual(
      gone.map(({ state }) => state),
      ['closed', 'closed'],
    )
    assert.deepEqual([seen.given[0]?.aborted, next.state, seen.runs], [true, 'done', 2])
  })

  it('does nothing for who has given up before', async () => {
    const { seen, ask } = setup()
    const gone = watch(ask(AbortSignal.abort()))
    await timers().tickAsync(0)
    assert.deepEqual([gone.state, seen.runs], ['closed', 0])
  })

  it('leaves no listener behind', async () => {
    const abort = new AbortController()
    const asked = setup().ask(abort.signal)
    await timers().tickAsync(1000)
    await asked
    await timers().tickAsync(0)
    assert.equal(getEventListeners(abort.signal, 'abort').length, 0)
  })
})
