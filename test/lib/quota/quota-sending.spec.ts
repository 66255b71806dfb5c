import assert from 'node:assert/strict'
import { headersWith } from '../../support/quota/manual-service'
import { keys, known, member, setup } from '../../support/quota/quota'

const HELD = 121_000

describe('sending under a quota', () => {
  it('lets all that is free go at once, and the rest as places are released', async () => {
    const { ask, clock, desk } = await known()
    for (const key of keys('r', 13)) ask(key)
    await clock.settle()
    assert.equal(desk.sent.length, 10)
    for (const one of desk.sent.slice(0, 2)) one.answer()
    await clock.pass(1000)
    for (const one of desk.sent.slice(2)) one.answer()
    await clock.pass(HELD - 1002)
    assert.equal(desk.sent.length, 10)
    await clock.pass(2)
    assert.equal(desk.sent.length, 12)
    await clock.pass(1000)
    assert.equal(desk.sent.length, 13)
  })

  it('lets the first of each endpoint go alone until it is answered', async () => {
    const { ask, clock, desk } = setup()
    for (const key of keys('r', 3)) ask(key)
    ask('alert', { endpoint: 'alert' })
    await clock.pass(4999)
    assert.deepEqual(desk.keys(), ['r0', 'alert'])
    desk.sent[0]?.answer()
    await clock.settle()
    assert.deepEqual(desk.keys(), ['r0', 'alert', 'r1', 'r2'])
  })

  it('lets another one go where the first hangs, after 5 s each, and all as soon as one is answered', async () => {
    const { ask, clock, desk } = setup({ concurrency: 5 })
    for (const key of keys('r', 5)) ask(key)
    await clock.pass(5000)
    assert.deepEqual(desk.keys(), ['r0', 'r1'])
    await clock.pass(4999)
    assert.deepEqual(desk.keys(), ['r0', 'r1'])
    await clock.pass(1)
    assert.deepEqual(desk.keys(), ['r0', 'r1', 'r2'])
    desk.sent[2]?.answer()
    await clock.settle()
    assert.deepEqual(desk.keys(), ['r0', 'r1', 'r2', 'r3', 'r4'])
  })

  it('goes on one by one while no answer comes', async () => {
    const { ask, clock, desk } = setup()
    for (const key of keys('r', 4)) ask(key)
    await clock.settle()
    desk.sent[0]?.answer({ headers: null })
    await clock.settle()
    assert.equal(desk.sent.length, 2)
  })

  it('never has more on their way than the smallest of its nodes wants', async () => {
    const { ask, clock, desk, quota, leave } = await known({ concurrency: 5 })
    const leaveOther = quota.join(member({ concurrency: 2 }))
    for (const key of keys('r', 9)) ask(key)
    await clock.settle()
    assert.deepEqual([desk.sent.length, quota.counts().running], [2, 2])
    desk.sent[0]?.answer()
    await clock.settle()
    assert.equal(desk.sent.length, 3)
    leaveOther()
    desk.sent[1]?.answer()
    await clock.settle()
    assert.deepEqual([desk.sent.length, quota.counts().running], [7, 5])
    leave()
  })

  it('takes the most cautious of its nodes’ rows, and forgets those of a node that is gone', async () => {
    const { quota } = setup({ limits: { alert: { limit: 8 } } })
    const leave = quota.join(member({ limits: { alert: { limit: 4, window: 60 } } }))
    const row = () => {
      const { limit, windowSeconds } = quota.counts().endpoints.alert
      return [limit, windowSeconds]
    }
    assert.deepEqual(row(), [4, 3600])
    leave()
    assert.deepEqual(row(), [8, 3600])
  })

  it('gives the place back of what never reached the service', async () => {
    const { ask, clock, desk, quota } = await known()
    ask('one')
    await clock.settle()
    desk.sent[0]?.answer({ headers: null, isUnsent: true })
    await clock.settle()
    assert.equal(quota.counts().endpoints.current.left, 10)
  })

  it('follows the row that answers tell, where it is whole: a more generous one when it is told again', async () => {
    const { ask, clock, desk, quota } = setup()
    const told = async (limit: number | null, windowSeconds: number | null) => {
      ask(`${limit} in ${windowSeconds} ${desk.sent.length}`)
      await clock.settle()
      desk.sent.at(-1)?.answer({ headers: { limit, windowSeconds, remaining: null, recordsRemaining: null } })
      await clock.pass(HELD)
      const row = quota.counts().endpoints.current
      return [row.limit, row.windowSeconds]
    }
    assert.deepEqual(await told(5, null), [10, 120])
    assert.deepEqual(await told(null, 60), [10, 120])
    assert.deepEqual(await told(0, 60), [10, 120])
    assert.deepEqual(await told(1, 60), [1, 60])
    assert.deepEqual(await told(20, 30), [1, 60])
    assert.deepEqual(await told(20, 30), [20, 30])
    assert.deepEqual(await told(1000, 1), [20, 30])
    assert.deepEqual(await told(20, 30), [20, 30])
    assert.deepEqual(await told(1000, 1), [20, 30])
  })

  it('is not misled by one odd header of a generous row', async () => {
    const { ask, clock, desk } = await known()
    for (const [limit, windowSeconds] of [
      [10, 120],
      [1000, 1],
    ] as const) {
      ask(`${limit}`)
      await clock.settle()
      desk.sent.at(-1)?.answer({ headers: headersWith({ limit, windowSeconds, remaining: limit - 1 }) })
      await clock.pass(2 * HELD)
    }
    desk.sent.length = 0
    for (const key of keys('k', 50)) ask(key)
    for (let count = 0; count < 60; count++) {
      await clock.pass(10)
      for (const sent of desk.sent) sent.answer()
    }
    assert.equal(desk.sent.length, 10)
  })

  it('takes what remains for the rest of the limit that was told with it, which does not hold yet', async () => {
    const { ask, clock, desk, quota } = setup()
    ask('first')
    await clock.settle()
    desk.sent[0]?.answer({ headers: headersWith({ limit: 10, windowSeconds: 120, remaining: 9 }) })
    await clock.pass(2 * HELD)
    ask('one')
    await clock.settle()
    desk.sent[1]?.answer({ headers: headersWith({ limit: 1, windowSeconds: 2, remaining: 0 }) })
    await clock.settle()
    const { own, foreign, left } = quota.counts().endpoints.current
    assert.deepEqual([own, foreign, left], [1, 0, 9])
  })

  it('knows what was spent in a long window, though a shorter one was told meanwhile', async () => {
    const { ask, clock, desk, quota } = await known()
    const answered = async (key: string, limit: number, windowSeconds: number) => {
      ask(key)
      await clock.settle()
      desk.sent.at(-1)?.answer({ headers: headersWith({ limit, windowSeconds }) })
      await clock.settle()
    }
    for (const key of keys('long', 8)) await answered(key, 10, 120)
    for (const key of keys('short', 2)) await answered(key, 10, 1)
    await clock.pass(5000)
    assert.equal(quota.counts().endpoints.current.left, 10)
    await answered('long again', 10, 120)
    assert.equal(quota.counts().endpoints.current.left, 0)
  })

  it('does not mistake a wall clock that jumps for time', async () => {
    const { ask, clock, desk } = await known({ limits: { current: { limit: 1 } } })
    ask('one')
    ask('two')
    await clock.settle()
    desk.sent[0]?.answer()
    clock.jump(86_400_000)
    await clock.pass(HELD - 1)
    assert.equal(desk.sent.length, 1)
    clock.jump(-2 * 86_400_000)
    await clock.pass(1)
    assert.equal(desk.sent.length, 2)
  })

  it('tells when so many more could have gone', async () => {
    const { ask, clock, desk, quota } = await known()
    for (const key of keys('r', 4)) ask(key)
    await clock.settle()
    for (const one of desk.sent) one.answer()
    await clock.settle()
    const ends = (requests: number) => Math.round(quota.roundEnds('current', requests) - clock.now())
    assert.deepEqual([ends(6), ends(7), ends(16), ends(17)], [0, HELD, HELD, 2 * HELD])
  })
})

describe('the counts of a quota', () => {
  it('tell what runs and waits, and what is spent by whom', async () => {
    const { ask, clock, desk, quota } = await known()
    for (const key of keys('r', 12)) ask(key)
    await clock.settle()
    const answer = { headers: { limit: null, windowSeconds: null, remaining: 0, recordsRemaining: null } }
    desk.sent[0]?.answer(answer)
    await clock.settle()
    const { running, waiting, ledgerHere, endpoints } = quota.counts()
    assert.deepEqual([running, waiting, ledgerHere], [9, 2, null])
    const { limit, windowSeconds, own, foreign, left, waiting: queued } = endpoints.current
    assert.deepEqual([limit, windowSeconds, own, foreign, left, queued], [10, 120, 10, 0, 0, 2])
    assert.deepEqual([endpoints.alert.own, endpoints.alert.left], [0, 12])
  })

  it('tell what others spent', async () => {
    const { ask, clock, desk, quota } = await known()
    ask('one')
    await clock.settle()
    desk.sent[0]?.answer({ headers: { limit: 10, windowSeconds: 120, remaining: 4, recordsRemaining: null } })
    await clock.settle()
    const { own, foreign, left } = quota.counts().endpoints.current
    assert.deepEqual([own, foreign, left], [1, 5, 4])
    await clock.pass(HELD)
    assert.equal(quota.counts().endpoints.current.left, 10)
  })

  it('are nothing where nothing happens', async () => {
    const { clock, quota } = await known()
    const { running, waiting } = quota.counts()
    assert.deepEqual([running, waiting, clock.pending()], [0, 0, 0])
  })

  it('do not take what was released while an answer was on its way for what others spent', async () => {
    const { ask, clock, desk, quota } = await known()
    ask('early')
    await clock.settle()
    desk.sent[0]?.answer()
    await clock.pass(HELD - 2000)
    ask('late')
    await clock.pass(3000)
    // The service counted it two seconds ago, in a window that held the early one too.
    desk.sent[1]?.answer({ headers: { limit: 10, windowSeconds: 120, remaining: 8, recordsRemaining: null } })
    await clock.settle()
    const { own, foreign } = quota.counts().endpoints.current
    assert.deepEqual([own, foreign], [1, 0])
  })
})
