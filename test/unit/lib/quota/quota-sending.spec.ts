import assert from 'node:assert/strict'
import { headersWith } from '../../../support/quota/manual-service'
import { keys, participant, setupAnswered, setupQuota } from '../../../support/quota/quota'

const OCCUPIED_MS = 121_000

describe('sending under a quota', () => {
  it('sends what is within the limit immediately, and the rest as permits are released', async () => {
    const { submit, clock, service } = await setupAnswered()
    for (const key of keys('r', 13)) submit(key)
    await clock.settle()
    assert.equal(service.sent.length, 10)
    for (const one of service.sent.slice(0, 2)) one.answer()
    await clock.pass(1000)
    for (const one of service.sent.slice(2)) one.answer()
    await clock.pass(OCCUPIED_MS - 1002)
    assert.equal(service.sent.length, 10)
    await clock.pass(2)
    assert.equal(service.sent.length, 12)
    await clock.pass(1000)
    assert.equal(service.sent.length, 13)
  })

  it('sends the first of each endpoint alone until it is answered', async () => {
    const { submit, clock, service } = setupQuota()
    for (const key of keys('r', 3)) submit(key)
    submit('alert', { endpoint: 'alert' })
    await clock.pass(4999)
    assert.deepEqual(service.keys(), ['r0', 'alert'])
    service.sent[0]?.answer()
    await clock.settle()
    assert.deepEqual(service.keys(), ['r0', 'alert', 'r1', 'r2'])
  })

  it('sends another one every 5 s if the first hangs, and all as soon as one is answered', async () => {
    const { submit, clock, service } = setupQuota({ concurrency: 5 })
    for (const key of keys('r', 5)) submit(key)
    await clock.pass(5000)
    assert.deepEqual(service.keys(), ['r0', 'r1'])
    await clock.pass(4999)
    assert.deepEqual(service.keys(), ['r0', 'r1'])
    await clock.pass(1)
    assert.deepEqual(service.keys(), ['r0', 'r1', 'r2'])
    service.sent[2]?.answer()
    await clock.settle()
    assert.deepEqual(service.keys(), ['r0', 'r1', 'r2', 'r3', 'r4'])
  })

  it('continues one by one while there is no response', async () => {
    const { submit, clock, service } = setupQuota()
    for (const key of keys('r', 4)) submit(key)
    await clock.settle()
    service.sent[0]?.answer({ headers: null })
    await clock.settle()
    assert.equal(service.sent.length, 2)
  })

  it('never has more in flight than the smallest concurrency of its nodes', async () => {
    const { submit, clock, service, quota, leave } = await setupAnswered({ concurrency: 5 })
    const leaveOther = quota.join(participant({ concurrency: 2 }))
    for (const key of keys('r', 9)) submit(key)
    await clock.settle()
    assert.deepEqual([service.sent.length, quota.counts().running], [2, 2])
    service.sent[0]?.answer()
    await clock.settle()
    assert.equal(service.sent.length, 3)
    leaveOther()
    service.sent[1]?.answer()
    await clock.settle()
    assert.deepEqual([service.sent.length, quota.counts().running], [7, 5])
    leave()
  })

  it('applies the strictest limits of its nodes, and forgets those of a removed node', async () => {
    const { quota } = setupQuota({ limits: { alert: { limit: 8 } } })
    const leave = quota.join(participant({ limits: { alert: { limit: 4, window: 60 } } }))
    const row = () => {
      const { limit, windowSeconds } = quota.counts().endpoints.alert
      return [limit, windowSeconds]
    }
    assert.deepEqual(row(), [4, 3600])
    leave()
    assert.deepEqual(row(), [8, 3600])
  })

  it('releases the permit of what never reached the service', async () => {
    const { submit, clock, service, quota } = await setupAnswered()
    submit('one')
    await clock.settle()
    service.sent[0]?.answer({ headers: null, isUnsent: true })
    await clock.settle()
    assert.equal(quota.counts().endpoints.current.left, 10)
  })

  it('applies the limit that responses report, if complete: a higher one only when repeated', async () => {
    const { submit, clock, service, quota } = setupQuota()
    const limitAfter = async (limit: number | null, windowSeconds: number | null) => {
      submit(`${limit} in ${windowSeconds} ${service.sent.length}`)
      await clock.settle()
      service.sent
        .at(-1)
        ?.answer({ headers: { limit, windowSeconds, remaining: null, recordsRemaining: null } })
      await clock.pass(OCCUPIED_MS)
      const row = quota.counts().endpoints.current
      return [row.limit, row.windowSeconds]
    }
    assert.deepEqual(await limitAfter(5, null), [10, 120])
    assert.deepEqual(await limitAfter(null, 60), [10, 120])
    assert.deepEqual(await limitAfter(0, 60), [10, 120])
    assert.deepEqual(await limitAfter(1, 60), [1, 60])
    assert.deepEqual(await limitAfter(20, 30), [1, 60])
    assert.deepEqual(await limitAfter(20, 30), [20, 30])
    assert.deepEqual(await limitAfter(1000, 1), [20, 30])
    assert.deepEqual(await limitAfter(20, 30), [20, 30])
    assert.deepEqual(await limitAfter(1000, 1), [20, 30])
  })

  it('is not misled by one odd header with a generous limit', async () => {
    const { submit, clock, service } = await setupAnswered()
    for (const [limit, windowSeconds] of [
      [10, 120],
      [1000, 1],
    ] as const) {
      submit(`${limit}`)
      await clock.settle()
      service.sent.at(-1)?.answer({ headers: headersWith({ limit, windowSeconds, remaining: limit - 1 }) })
      await clock.pass(2 * OCCUPIED_MS)
    }
    service.sent.length = 0
    for (const key of keys('k', 50)) submit(key)
    for (let count = 0; count < 60; count++) {
      await clock.pass(10)
      for (const sent of service.sent) sent.answer()
    }
    assert.equal(service.sent.length, 10)
  })

  it('takes what remains for the rest of the limit in the same response, which does not apply yet', async () => {
    const { submit, clock, service, quota } = setupQuota()
    submit('first')
    await clock.settle()
    service.sent[0]?.answer({ headers: headersWith({ limit: 10, windowSeconds: 120, remaining: 9 }) })
    await clock.pass(2 * OCCUPIED_MS)
    submit('one')
    await clock.settle()
    service.sent[1]?.answer({ headers: headersWith({ limit: 1, windowSeconds: 2, remaining: 0 }) })
    await clock.settle()
    const { own, foreign, left } = quota.counts().endpoints.current
    assert.deepEqual([own, foreign, left], [1, 0, 9])
  })

  it('knows the usage of a long window even if a shorter one was reported meanwhile', async () => {
    const { submit, clock, service, quota } = await setupAnswered()
    const answered = async (key: string, limit: number, windowSeconds: number) => {
      submit(key)
      await clock.settle()
      service.sent.at(-1)?.answer({ headers: headersWith({ limit, windowSeconds }) })
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
    const { submit, clock, service } = await setupAnswered({ limits: { current: { limit: 1 } } })
    submit('one')
    submit('two')
    await clock.settle()
    service.sent[0]?.answer()
    clock.jump(86_400_000)
    await clock.pass(OCCUPIED_MS - 1)
    assert.equal(service.sent.length, 1)
    clock.jump(-2 * 86_400_000)
    await clock.pass(1)
    assert.equal(service.sent.length, 2)
  })

  it('estimates when a number of further requests will have been sent', async () => {
    const { submit, clock, service, quota } = await setupAnswered()
    for (const key of keys('r', 4)) submit(key)
    await clock.settle()
    for (const one of service.sent) one.answer()
    await clock.settle()
    const ends = (requests: number) => Math.round(quota.roundEnds('current', requests) - clock.now())
    assert.deepEqual([ends(6), ends(7), ends(16), ends(17)], [0, OCCUPIED_MS, OCCUPIED_MS, 2 * OCCUPIED_MS])
  })
})

describe('the counts of a quota', () => {
  it('show what runs and waits, and who has used what', async () => {
    const { submit, clock, service, quota } = await setupAnswered()
    for (const key of keys('r', 12)) submit(key)
    await clock.settle()
    const answer = { headers: { limit: null, windowSeconds: null, remaining: 0, recordsRemaining: null } }
    service.sent[0]?.answer(answer)
    await clock.settle()
    const { running, waiting, ledgerHere, endpoints } = quota.counts()
    assert.deepEqual([running, waiting, ledgerHere], [9, 2, null])
    const { limit, windowSeconds, own, foreign, left, waiting: queued } = endpoints.current
    assert.deepEqual([limit, windowSeconds, own, foreign, left, queued], [10, 120, 10, 0, 0, 2])
    assert.deepEqual([endpoints.alert.own, endpoints.alert.left], [0, 12])
  })

  it('show what others used', async () => {
    const { submit, clock, service, quota } = await setupAnswered()
    submit('one')
    await clock.settle()
    service.sent[0]?.answer({
      headers: { limit: 10, windowSeconds: 120, remaining: 4, recordsRemaining: null },
    })
    await clock.settle()
    const { own, foreign, left } = quota.counts().endpoints.current
    assert.deepEqual([own, foreign, left], [1, 5, 4])
    await clock.pass(OCCUPIED_MS)
    assert.equal(quota.counts().endpoints.current.left, 10)
  })

  it('are zero while nothing happens', async () => {
    const { clock, quota } = await setupAnswered()
    const { running, waiting } = quota.counts()
    assert.deepEqual([running, waiting, clock.pending()], [0, 0, 0])
  })

  it('do not mistake what was released while a response was in flight for usage by others', async () => {
    const { submit, clock, service, quota } = await setupAnswered()
    submit('early')
    await clock.settle()
    service.sent[0]?.answer()
    await clock.pass(OCCUPIED_MS - 2000)
    submit('late')
    await clock.pass(3000)
    // The service counted it two seconds ago, in a window that includes the earlier one.
    service.sent[1]?.answer({
      headers: { limit: 10, windowSeconds: 120, remaining: 8, recordsRemaining: null },
    })
    await clock.settle()
    const { own, foreign } = quota.counts().endpoints.current
    assert.deepEqual([own, foreign], [1, 0])
  })
})
