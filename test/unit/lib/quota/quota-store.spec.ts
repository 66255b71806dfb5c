import assert from 'node:assert/strict'
import type { StateStore } from '../../../../src/lib/state-store'
import { createVirtualClock } from '../../../support/clock'
import { createMemoryStore, type MemoryStore } from '../../../support/quota/memory-store'
import { createProcess, keys, participant } from '../../../support/quota/quota'

const OCCUPIED_MS = 121_000

/** A process that used this number of permits, and its saved state. */
async function left(used: number) {
  const clock = createVirtualClock()
  const store = createMemoryStore(clock)
  const { submit, service } = createProcess(clock, { store })
  await clock.settle()
  submit('first')
  await clock.settle()
  for (const key of keys('r', used - 1)) submit(key)
  service.sent[0]?.answer()
  await clock.settle()
  return { clock, store, service }
}

const own = ({ quota }: ReturnType<typeof createProcess>) => quota.counts().endpoints.current.own

describe('what a quota saves', () => {
  it('is saved when the request is sent, and again when it is answered', async () => {
    const { clock, store, service } = await left(3)
    const contents = () =>
      (store.contents() as { endpoints: { current: { inFlight: unknown[]; own: unknown[] } } }).endpoints
    assert.equal(contents().current.inFlight.length, 2)
    for (const sent of service.sent.slice(1)) sent.answer()
    await clock.settle()
    assert.equal(contents().current.inFlight.length, 0)
  })

  it('is known to the next process before it sends anything', async () => {
    const { clock, store } = await left(10)
    const next = createProcess(clock, { store })
    next.submit('waits')
    await clock.pass(OCCUPIED_MS - 1)
    assert.deepEqual([own(next), next.service.sent.length], [10, 0])
    await clock.pass(1)
    assert.equal(next.service.sent.length, 1)
  })

  it('is not counted twice by the process that saved it', async () => {
    const clock = createVirtualClock()
    const store = createMemoryStore(clock)
    const process = createProcess(clock, { store })
    await clock.settle()
    process.submit('one')
    await clock.settle()
    process.service.sent[0]?.answer()
    await clock.settle()
    process.leave()
    for (let count = 0; count < 3; count++) process.quota.join(participant({ store: store as StateStore }))
    await clock.settle()
    assert.equal(own(process), 1)
  })

  it('does not replace newer usage of the process that saved it', async () => {
    const clock = createVirtualClock()
    const store = createMemoryStore(clock)
    const process = createProcess(clock, { store })
    await clock.settle()
    process.submit('one')
    await clock.settle()
    process.leave()
    process.service.sent[0]?.answer({ headers: null, isUnsent: true })
    await clock.settle()
    process.quota.join(participant({ store }))
    await clock.settle()
    assert.equal(own(process), 0)
  })

  it('is in the store of each account node', async () => {
    const clock = createVirtualClock()
    const stores = [createMemoryStore(clock), createMemoryStore(clock)] as [MemoryStore, MemoryStore]
    const process = createProcess(clock, { store: stores[0] })
    process.quota.join(participant({ store: stores[1] }))
    await clock.settle()
    process.submit('one')
    await clock.settle()
    assert.deepEqual(stores[0].contents(), stores[1].contents())
    assert.notEqual(stores[0].contents(), undefined)
  })

  it('of another version is ignored', async () => {
    const { clock, store } = await left(10)
    await store.save(JSON.stringify({ ...(store.contents() as object), version: 1 }))
    const next = createProcess(clock, { store })
    await clock.settle()
    assert.equal(own(next), 0)
  })

  for (const [what, state] of Object.entries({
    text: 'nonsense',
    null: null,
    'an empty object': {},
    'a version alone': { version: 2 },
    'no entries': { version: 2, endpoints: { current: {} }, devices: {} },
    'no lists': { version: 2, endpoints: { current: { own: 5, foreign: null } }, devices: { data: 7 } },
  })) {
    it(`is ignored and replaced if it is damaged: ${what}`, async () => {
      const clock = createVirtualClock()
      const store = createMemoryStore(clock)
      await store.save(JSON.stringify(state))
      const next = createProcess(clock, { store })
      next.submit('one')
      await clock.settle()
      assert.deepEqual([next.service.sent.length, own(next)], [1, 1])
      assert.equal((store.contents() as { version: number }).version, 2)
    })
  }
})
