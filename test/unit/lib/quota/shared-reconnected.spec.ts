import assert from 'node:assert/strict'
import { CURRENT_OCCUPIED_MS, createMember, SHARE_LEFT_MS } from '../../../support/quota/one-member'

/** Time until the store is connected and all processes have reported their usage. */
const BACK = 10_000

describe('a shared store that comes back', () => {
  it('is reconnected within seconds, automatically', async () => {
    for (const state of ['disconnected', 'silent'] as const) {
      const { go, clock, sharedStore, connections, quota } = await createMember()
      sharedStore.setState(state)
      await go('r', 1)
      sharedStore.setState('connected')
      await clock.pass(BACK)
      assert.deepEqual([connections.at(-1), quota.counts().ledgerHere], [true, true])
    }
  })

  it('is reconnected under any load', async () => {
    const { submit, clock, service, sharedStore, quota } = await createMember({
      limits: { current: { limit: 1000 } },
    })
    sharedStore.setState('disconnected')
    const busy = async (seconds: number) => {
      for (let count = 0; count < seconds * 2; count++) {
        submit(`${clock.monotonic()}`)
        await clock.pass(500)
        service.sent.at(-1)?.answer()
        await clock.settle()
      }
    }
    await busy(3)
    sharedStore.setState('connected')
    await busy(10)
    assert.equal(quota.counts().ledgerHere, true)
  })

  it('is used completely then', async () => {
    const { go, clock, service, sharedStore } = await createMember()
    sharedStore.setState('disconnected')
    await go('disconnected', 1)
    await clock.pass(SHARE_LEFT_MS - 5000)
    assert.equal(service.sent.length, 1)
    sharedStore.setState('connected')
    service.sent[0]?.answer()
    await clock.pass(BACK)
    await go('first', 1)
    service.sent[1]?.answer()
    await clock.pass(100)
    assert.equal(await go('whole', 12), 8)
  })

  it('learns what was used without it, with its age', async () => {
    const { go, clock, service, sharedStore } = await createMember({}, 'disconnected')
    await go('r', 3)
    for (const sent of service.sent) sent.answer()
    await clock.pass(20_000)
    assert.equal(sharedStore.used('current'), 0)
    sharedStore.setState('connected')
    await clock.pass(3000)
    assert.equal(sharedStore.used('current'), 3)
    await clock.pass(CURRENT_OCCUPIED_MS - 23_000)
    assert.equal(sharedStore.used('current'), 0)
  })

  it('learns of responses during the disconnection to requests from before', async () => {
    const { go, clock, service, sharedStore } = await createMember()
    await go('r', 2)
    sharedStore.setState('disconnected')
    for (const sent of service.sent) sent.answer()
    await clock.pass(2000)
    sharedStore.setState('connected')
    await clock.pass(3000)
    assert.equal(sharedStore.used('current'), 2)
    await clock.pass(CURRENT_OCCUPIED_MS)
    assert.equal(sharedStore.used('current'), 0)
  })

  it('without data gets the earlier usage, and what is in flight', async () => {
    const { go, clock, service, sharedStore } = await createMember()
    await go('r', 4)
    for (const sent of service.sent) sent.answer()
    await clock.pass(1000)
    sharedStore.lose()
    sharedStore.setState('disconnected')
    await go('notices', 1)
    await clock.pass(SHARE_LEFT_MS - 5000)
    sharedStore.setState('connected')
    await clock.pass(3000)
    assert.deepEqual([sharedStore.used('current'), sharedStore.inFlight('current')], [4 + 1, 1])
  })

  it('without data gets this again if the first report failed', async () => {
    const { go, clock, service, sharedStore } = await createMember()
    await go('r', 4)
    for (const sent of service.sent) sent.answer()
    await clock.pass(1000)
    sharedStore.lose()
    sharedStore.failOnce('replay')
    await clock.pass(BACK)
    assert.equal(sharedStore.used('current'), 4)
  })

  it('without data also gets usage from just before it was lost', async () => {
    const { go, clock, service, sharedStore } = await createMember()
    await go('r', 4)
    const [last, ...rest] = service.sent
    for (const sent of rest) sent.answer()
    await clock.pass(50)
    sharedStore.lose()
    sharedStore.setState('disconnected')
    last?.answer()
    await clock.pass(1500)
    sharedStore.setState('connected')
    await clock.pass(3000)
    assert.equal(sharedStore.used('current'), 4)
  })

  it('releases what it granted too late, if it was not sent', async () => {
    const { submit, go, clock, service, sharedStore } = await createMember()
    await go('r', 6)
    for (const sent of service.sent) sent.answer()
    await clock.settle()
    sharedStore.slow(() => 1500)
    const abort = new AbortController()
    submit('late', {}, { signal: abort.signal })
    await clock.pass(1100)
    abort.abort()
    sharedStore.slow(() => 0)
    await clock.pass(BACK)
    assert.deepEqual(
      [service.sent.length, sharedStore.inFlight('current'), sharedStore.used('current')],
      [6, 0, 6],
    )
  })

  it('learns what ended while it was disconnected, for any time', async () => {
    for (const away of [70_000, 3_700_000]) {
      const { submit, clock, service, sharedStore } = await createMember()
      const [data, current] = [{ endpoint: 'data', device: 'one' } as const, { endpoint: 'current' } as const]
      submit('first of data', { endpoint: 'data' })
      await clock.settle()
      service.sent[0]?.answer()
      await clock.settle()
      submit('records', data)
      await clock.settle()
      assert.equal(sharedStore.used('data one'), 16_000)
      sharedStore.setState('disconnected')
      service.sent[1]?.answer({ records: 10 })
      await clock.pass(away)
      submit('short', current)
      await clock.settle()
      service.sent[2]?.answer()
      await clock.pass(100)
      sharedStore.setState('connected')
      await clock.pass(3000)
      const used = away < 3_600_000 ? 10 : 0
      assert.deepEqual([sharedStore.used('data one'), sharedStore.inFlight('data one')], [used, 0])
    }
  })

  it('learns of a response that was received while requests in flight were reported', async () => {
    const { go, clock, service, sharedStore } = await createMember()
    sharedStore.setState('disconnected')
    await go('r', 1)
    await clock.pass(SHARE_LEFT_MS - 5000)
    sharedStore.setState('connected')
    sharedStore.slow(() => 900)
    await clock.pass(2500)
    service.sent[0]?.answer()
    await clock.pass(2 * BACK)
    assert.deepEqual([sharedStore.used('current'), sharedStore.inFlight('current')], [1, 0])
  })

  it('accepts a replay of 300 devices and counts it once, even if each command is slow', async () => {
    const { submit, clock, service, sharedStore, leave, quota, member } = await createMember({
      ...{ concurrency: 400, limits: { data: { limit: 1000 } } },
    })
    void leave()
    quota.join(member({ concurrency: 400, limits: { data: { limit: 1000 } } }))
    submit('first', { endpoint: 'data' })
    await clock.settle()
    service.sent[0]?.answer()
    await clock.settle()
    for (let at = 0; at < 300; at++)
      submit(`${at}`, { endpoint: 'data', device: `device ${at}`, wanted: 100, minimum: 100 })
    await clock.settle()
    for (const sent of service.sent) sent.answer({ records: 100 })
    await clock.pass(3000)
    sharedStore.slow(() => 900)
    sharedStore.calls.length = 0
    quota.join(
      member({
        concurrency: 400,
        limits: { data: { limit: 1000 } },
        openSharedStore: () => sharedStore.open(),
      }),
    )
    await clock.pass(8000)
    assert.equal(quota.counts().ledgerHere, true)
    assert.equal(sharedStore.calls.filter((call) => call === 'replay').length, 1)
    assert.deepEqual([sharedStore.used('data device 7'), sharedStore.used('data')], [100, 301])
  })
})
