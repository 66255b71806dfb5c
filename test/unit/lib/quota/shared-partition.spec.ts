import assert from 'node:assert/strict'
import { createMembers } from '../../../support/quota/members'
import { CURRENT_OCCUPIED_MS, SHARE_LEFT_MS } from '../../../support/quota/one-member'

describe('a member whose connection to the shared store is cut', () => {
  it('uses nothing that its headers report while others may use the same', async () => {
    const { send, sent, setLink } = await createMembers(2, { honest: true })
    setLink(1, 'disconnected')
    assert.equal(await send(1, 10, 'alone', 3000), 0)
    assert.equal(await send(0, 10, 'all', SHARE_LEFT_MS), 10)
    assert.ok(sent() <= 11, `${sent()}`)
  })

  it('nor by headers of what it had sent before', async () => {
    const { all, clock, send, sent, setLink, answer } = await createMembers(2, { honest: true })
    all[1]?.submit('before')
    await clock.settle()
    setLink(1, 'disconnected')
    all[1]?.submit('notices')
    await clock.settle()
    await answer()
    assert.equal(await send(1, 10, 'alone', 5000), 0)
    assert.equal(await send(0, 10, 'all', SHARE_LEFT_MS), 9)
    assert.ok(sent() <= 11, `${sent()}`)
  })

  it('uses its share once others reserve it, if headers report that it is left', async () => {
    const { send, setLink } = await createMembers(2, { honest: true })
    setLink(1, 'disconnected')
    assert.equal(await send(1, 10, 'alone', SHARE_LEFT_MS + 1000), 5)
    assert.equal(await send(0, 10, 'all'), 5)
  })

  it('sends nothing that was pending before a deploy', async () => {
    const { all, clock, sharedStore, sent, setLink, deploy, pass } = await createMembers(2)
    sharedStore.slow(
      () => 100,
      () => 100,
    )
    for (let count = 0; count < 5; count++) all[1]?.submit(`under way ${count}`)
    await clock.pass(50)
    setLink(1, 'disconnected')
    deploy(1)
    await pass(5000)
    assert.equal(sent(), 0)
  })

  it('reports what is sent just during the reconnection', async () => {
    const { all, clock, sharedStore, send, sent, setLink } = await createMembers(2)
    setLink(0, 'disconnected')
    setLink(1, 'disconnected')
    await send(0, 0, 'none', CURRENT_OCCUPIED_MS + SHARE_LEFT_MS)
    sharedStore.slow(() => 900)
    setLink(0, 'connected')
    setLink(1, 'connected')
    // Some of these are sent while the usage is replayed.
    await clock.pass(1000)
    for (let count = 0; count < 5; count++) {
      all[1]?.submit(`late ${count}`)
      await clock.pass(200)
    }
    // All of these are still in flight when all processes have reconnected.
    await clock.pass(12_000)
    all[0]?.submit('first')
    await clock.pass(2000)
    all[0]?.service.sent[0]?.answer()
    for (let count = 0; count < 10; count++) all[0]?.submit(`whole ${count}`)
    await clock.pass(5000)
    assert.equal(sent(), 10)
  })

  it('counts all members, even if the shared store is lost again during the reconnection', async () => {
    const { sharedStore, send, sent, pass } = await createMembers(3)
    sharedStore.setState('disconnected')
    await pass(CURRENT_OCCUPIED_MS + SHARE_LEFT_MS)
    sharedStore.setState('connected')
    await pass(3000)
    sharedStore.setState('disconnected')
    await pass(CURRENT_OCCUPIED_MS + SHARE_LEFT_MS)
    for (const which of [0, 1, 2]) assert.equal(await send(which, 10), 3)
    assert.equal(sent(), 9)
  })

  it('has nothing reserved for it if the connection is lost again during the reconnection', async () => {
    const { all, sharedStore, send, sent, setLink, pass } = await createMembers(2)
    for (const which of [0, 1]) setLink(which, 'disconnected')
    await pass(CURRENT_OCCUPIED_MS + SHARE_LEFT_MS)
    setLink(0, 'connected')
    await pass(3500)
    setLink(1, 'connected')
    await pass(1500)
    setLink(1, 'disconnected')
    await pass(1500)
    assert.deepEqual([sharedStore.members(), all[0]?.quota.counts().ledgerHere], [2, true])
    // It waits for the reports of others, and then detects that the shared store is lost again.
    assert.equal(await send(1, 10, 'alone', 3000), 0)
    assert.equal(await send(0, 10, 'all', 500), 10)
    await pass(SHARE_LEFT_MS)
    assert.ok(sent() <= 11, `${sent()}`)
  })
})

describe('a member that is killed while its connection is cut', () => {
  it('has its share reserved until the shared store knows what it used', async () => {
    const { all, clock, sharedStore, send, sent, slowStores, ...one } = await createMembers(3, {
      honest: true,
    })
    const { setLink, kill, restart } = one
    setLink(1, 'disconnected')
    assert.equal(await send(1, 10, 'alone', SHARE_LEFT_MS + 1000), 3)
    kill(1)
    setLink(1, 'connected')
    sharedStore.slow(() => 900)
    slowStores(1000)
    restart(1)
    // It has connected and loaded its saved usage, and reports it now.
    await clock.pass(3000)
    for (let count = 0; count < 10; count++) all[0]?.submit(`whole ${count}`)
    await clock.pass(20_000)
    assert.equal(sent(), 10)
  })
})
