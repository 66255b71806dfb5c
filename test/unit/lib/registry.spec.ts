import assert from 'node:assert/strict'
import { limitsWith } from '../../../src/lib/quota/account-limits'
import { Registry } from '../../../src/lib/registry'
import { createVirtualClock } from '../../support/clock'

/** Time limit for thousands of logins. */
const MANY_MS = 30_000

const login = (apiKey: string) => ({
  baseUrl: 'https://service.example',
  credentials: { apiKey, loginId: 'user0001', loginPass: 'pass' },
})

describe('the registry of accounts', () => {
  it('has one quota for an API key, and a list of devices for each login, across deploys', () => {
    const registry = new Registry(createVirtualClock())
    const user = login('one')
    const reference = {
      ...user,
      credentials: { ...user.credentials, loginId: 'refer001', loginPass: 'other' },
    }
    const [one, other] = [registry.getOrCreateShared(user), registry.getOrCreateShared(reference)]
    assert.equal(one.quota, other.quota)
    assert.equal(registry.getOrCreateShared(user).devices, one.devices)
    assert.notEqual(registry.getOrCreateShared(login('two')).quota, one.quota)
    assert.notEqual(one.devices, other.devices)
  })

  it('shares no state with a user who tests a login', () => {
    const registry = new Registry(createVirtualClock())
    const of = (triedBy?: string) => registry.getOrCreateShared(login('one'), triedBy)
    const states = [of(), of(''), of('one'), of('other')]
    assert.equal(new Set(states.map(({ devices }) => devices)).size, states.length)
    assert.equal(new Set(states.map(({ quota }) => quota)).size, 1)
    assert.equal(of('one').devices, states[2]?.devices)
  })

  it('forgets logins that were only tested, and none that a node uses', async function () {
    this.timeout(MANY_MS)
    const registry = new Registry(createVirtualClock())
    const used = registry.getOrCreateShared(login('used')).quota
    const leave = used.join({ concurrency: 1, limits: limitsWith() })
    const tried = registry.getOrCreateShared(login('tried')).quota
    for (let count = 0; count < 1000; count++) registry.getOrCreateShared(login(`${count}`))
    assert.equal(registry.getOrCreateShared(login('used')).quota, used)
    assert.notEqual(registry.getOrCreateShared(login('tried')).quota, tried)
    await leave()
    for (let count = 0; count < 1000; count++) registry.getOrCreateShared(login(`${count}`))
    assert.notEqual(registry.getOrCreateShared(login('used')).quota, used)
  })

  it('keeps the state of a node until it is forgotten', () => {
    const registry = new Registry(createVirtualClock())
    const state = registry.getOrCreateNodeState('a node')
    registry.forget('another node')
    assert.equal(registry.getOrCreateNodeState('a node'), state)
    registry.forget('a node')
    assert.notEqual(registry.getOrCreateNodeState('a node'), state)
  })
})
