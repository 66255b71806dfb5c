import assert from 'node:assert/strict'
import { reading } from '../../support/quota/desk'
import { HELD, oneOfSeveral } from '../../support/quota/one-of-several'

describe('a ledger that is away', () => {
  it('leaves each process half of every limit', async () => {
    for (const state of ['away', 'silent'] as const) {
      const { go, told } = await oneOfSeveral({}, state)
      assert.equal(await go('r', 8), 5)
      assert.equal(told.includes(true), false)
    }
  })

  it('leaves one place where the limit is one', async () => {
    const { go } = await oneOfSeveral({ limits: { current: { limit: 1 } } }, 'away')
    assert.equal(await go('r', 3), 1)
  })

  it('leaves what is missing to the half, to who has spent some already', async () => {
    const { go, ledger, told } = await oneOfSeveral()
    assert.equal(await go('before', 3), 3)
    ledger.become('away')
    assert.equal(await go('after', 8), 2)
    assert.equal(told.at(-1), false)
  })

  it('leaves nothing to who has spent more than half, until that is released', async () => {
    const { go, clock, desk, ledger } = await oneOfSeveral()
    assert.equal(await go('before', 7), 7)
    for (const sent of desk.sent) sent.answer()
    await clock.settle()
    ledger.become('away')
    assert.equal(await go('after', 8), 0)
    await clock.pass(HELD)
    assert.equal(desk.sent.length, 7 + 5)
  })

  it('is away after a second of silence', async () => {
    const { ask, clock, desk, ledger } = await oneOfSeveral()
    ledger.become('silent')
    ask('one')
    await clock.pass(999)
    assert.equal(desk.sent.length, 0)
    await clock.pass(1)
    assert.equal(desk.sent.length, 1)
  })

  it('lets nothing wait for good that headers say others have spent', async () => {
    const { ask, clock, desk } = await oneOfSeveral({}, 'away')
    ask('one')
    await clock.settle()
    desk.sent[0]?.answer({ reading: reading({ limit: 10, windowSeconds: 120, remaining: 0 }) })
    await clock.settle()
    ask('waits')
    const hurried = ask('hurried', {}, { wait: 1000 })
    await clock.pass(HELD)
    assert.deepEqual(desk.keys(), ['one', 'waits'])
    assert.equal(hurried.state, 'failed')
  })
})
