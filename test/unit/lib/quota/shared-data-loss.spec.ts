import assert from 'node:assert/strict'
import { createMembers } from '../../../support/quota/members'
import { CURRENT_OCCUPIED_MS } from '../../../support/quota/one-member'
import { keys } from '../../../support/quota/quota'

describe('a shared store that loses its data', () => {
  it('grants nothing twice, even if nothing was in flight and it was not noticed', async () => {
    const { sharedStore, send, sent } = await createMembers(2)
    assert.equal(await send(0, 10), 10)
    sharedStore.lose()
    assert.equal(await send(1, 10), 0)
    assert.equal(sent(), 10)
  })

  it('grants nothing for some seconds, until all have reported what they used', async () => {
    const { all, clock, sharedStore, send } = await createMembers(3)
    assert.equal(await send(0, 4), 4)
    assert.equal(await send(1, 3), 3)
    sharedStore.lose()
    const [, , last] = all
    for (const key of keys('waits', 10)) last?.submit(key)
    await clock.pass(4900)
    assert.equal(last?.service.sent.length, 0)
    await clock.pass(200)
    last?.service.sent[0]?.answer()
    await clock.pass(200)
    assert.equal(last?.service.sent.length, 3)
    assert.equal(sharedStore.used('current'), 10)
  })

  it('grants nothing for as long if the address leads to another store that is older', async () => {
    const { send, sent, switchStore } = await createMembers(2)
    assert.equal(await send(0, 10), 10)
    switchStore()
    assert.equal(await send(1, 10), 0)
    assert.equal(sent(), 10)
  })

  it('does not count as disconnected for that', async () => {
    const { all, clock, sharedStore } = await createMembers(2)
    sharedStore.lose()
    await clock.pass(10_000)
    for (const { quota } of all) assert.equal(quota.counts().ledgerHere, true)
  })

  it('reserves a share for a member with unreported usage, and admits one request until headers arrive', async () => {
    for (const honest of [true, false]) {
      for (const used of [2, 8]) {
        const { sharedStore, send, sent, setLink, pass } = await createMembers(2, { honest })
        assert.equal(await send(0, used), used)
        setLink(0, 'disconnected')
        sharedStore.lose()
        assert.equal(await send(1, 10, 'first', 20_000), honest && used === 2 ? 10 - used - 5 : 1)
        await pass(CURRENT_OCCUPIED_MS - 40_000)
        assert.ok(sent() <= 10, `${sent()}`)
        await pass(40_000)
        assert.ok(sent() > 10, `${sent()}`)
        assert.equal(sharedStore.inFlight('current'), 0)
      }
    }
  })
})

describe('a shared store that one of several has lost', () => {
  it('costs one request at most if no other member has lost it and there are no headers', async () => {
    const { clock, send, sent, setLink } = await createMembers(2)
    setLink(1, 'disconnected')
    assert.equal(await send(1, 10, 'r', 10_000), 1)
    assert.ok((await send(0, 10)) <= 10)
    await clock.pass(20_000)
    assert.ok(sent() <= 11, `${sent()}`)
  })

  it('costs one request if it is lost for all just when the whole limit is used', async () => {
    const { sharedStore, send } = await createMembers(2)
    assert.equal(await send(0, 10), 10)
    sharedStore.setState('disconnected')
    assert.equal(await send(1, 10, 'r', CURRENT_OCCUPIED_MS - 10_000), 1)
    assert.equal(await send(1, 0, 'r', 20_000), 5)
  })

  it('reserves a share for the member that lost it, for a window', async () => {
    const { clock, send, setLink } = await createMembers(2)
    setLink(1, 'silent')
    await clock.pass(10_000)
    assert.equal(await send(0, 10, 'r', 5000), 5)
    assert.equal(await send(0, 0, 'r', CURRENT_OCCUPIED_MS), 5)
  })

  it('reserves nothing for a member that left', async () => {
    const { all, clock, send } = await createMembers(2)
    void all[1]?.leave()
    await clock.pass(10_000)
    assert.equal(await send(0, 10), 10)
  })

  it('grants each of three a third', async () => {
    const { clock, sharedStore, send, sent } = await createMembers(3)
    sharedStore.setState('disconnected')
    await clock.pass(CURRENT_OCCUPIED_MS + 5000)
    for (const which of [0, 1, 2]) assert.equal(await send(which, 10), 3)
    assert.equal(sent(), 9)
  })
})
