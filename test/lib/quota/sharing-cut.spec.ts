import assert from 'node:assert/strict'
import { ALONE, HELD } from '../../support/quota/one-of-several'
import { several } from '../../support/quota/several'

describe('one of several whose line to the ledger is cut', () => {
  it('takes nothing that its headers tell while others may take the same', async () => {
    const { spend, sent, cut } = await several(2, { honest: true })
    cut(1, 'away')
    assert.equal(await spend(1, 10, 'alone', 3000), 0)
    assert.equal(await spend(0, 10, 'all', ALONE), 10)
    assert.ok(sent() <= 11, `${sent()}`)
  })

  it('nor by headers of what it had sent before', async () => {
    const { all, clock, spend, sent, cut, answer } = await several(2, { honest: true })
    all[1]?.ask('before')
    await clock.settle()
    cut(1, 'away')
    all[1]?.ask('notices')
    await clock.settle()
    await answer()
    assert.equal(await spend(1, 10, 'alone', 5000), 0)
    assert.equal(await spend(0, 10, 'all', ALONE), 9)
    assert.ok(sent() <= 11, `${sent()}`)
  })

  it('has its share once others leave it, where headers tell that it is there', async () => {
    const { spend, cut } = await several(2, { honest: true })
    cut(1, 'away')
    assert.equal(await spend(1, 10, 'alone', ALONE + 1000), 5)
    assert.equal(await spend(0, 10, 'all'), 5)
  })
})
