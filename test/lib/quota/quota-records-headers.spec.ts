import assert from 'node:assert/strict'
import { headersWith, refusal } from '../../support/quota/manual-service'
import { known } from '../../support/quota/quota'
import { data, HELD, setup, spend } from '../../support/quota/records'

describe('the service’s own count of records', () => {
  it('takes away what it says is less than our count', async () => {
    const all = await setup()
    await spend(all, 'one', 1000, { records: 1000, headers: headersWith({ recordsRemaining: 50_000 }) })
    assert.equal(await spend(all, 'one', 160_000, {}), 50_000)
  })

  it('gives nothing where it says more', async () => {
    const all = await setup()
    await spend(all, 'one', 100_000, {
      records: 100_000,
      headers: headersWith({ recordsRemaining: 160_000 }),
    })
    assert.equal(await spend(all, 'one', 160_000, {}), 60_000)
  })

  it('is for the device that was asked alone', async () => {
    const all = await setup()
    await spend(all, 'one', 1000, { records: 1000, headers: headersWith({ recordsRemaining: 0 }) })
    assert.equal(await spend(all, 'other', 160_000, {}), 160_000)
  })
})

describe('a refusal for records', () => {
  for (const [words, told, left] of [
    ['requests remain', { remaining: 3 }, 3],
    ['DataCount is 0', { recordsRemaining: 0 }, 19],
  ] as const) {
    it(`closes that device alone for an hour, where ${words}`, async () => {
      const { ask, clock, desk, quota } = await setup()
      ask('refused', data('one', 1000))
      await clock.settle()
      desk.sent[0]?.answer(refusal(429, told))
      await clock.settle()
      assert.equal(quota.counts().endpoints.data.left, left)
      ask('other', data('other', 1000))
      await clock.pass(HELD - 1)
      assert.deepEqual(desk.keys(), ['refused', 'other'])
      await clock.pass(1)
      assert.deepEqual(desk.keys(), ['refused', 'other', 'refused'])
    })
  }

  it('goes again at once with as many as the service says are left', async () => {
    const { ask, clock, desk } = await setup()
    ask('refused', data('one', 16_000))
    await clock.settle()
    desk.sent[0]?.answer(refusal(429, { remaining: 3, recordsRemaining: 5000 }))
    await clock.settle()
    assert.deepEqual(
      desk.sent.map(({ number }) => number),
      [16_000, 5000],
    )
  })

  it('closes the endpoint where nothing says that it is for records', async () => {
    for (const told of [{}, { remaining: 0 }, { remaining: 0, recordsRemaining: 5 }]) {
      const { ask, clock, desk } = await setup()
      ask('refused', data('one', 16_000))
      await clock.settle()
      desk.sent[0]?.answer(refusal(429, told))
      await clock.settle()
      ask('other', data('other', 1000))
      await clock.pass(60_999)
      assert.deepEqual(desk.keys(), ['refused'])
    }
  })

  it('that comes three times is the asker’s: records-refused', async () => {
    const { ask, clock, desk } = await setup()
    const asked = ask('refused', data('one', 1000))
    await clock.settle()
    for (let count = 0; count < 3; count++) {
      desk.sent[count]?.answer(refusal(429, { remaining: 3 }))
      await clock.pass(count < 2 ? HELD : 0)
    }
    const { reason, code, cause } = asked.error ?? {}
    assert.deepEqual([reason, code, cause?.status], ['records-refused', 'ENVLOG_QUOTA', 429])
    assert.equal(cause?.retryAt, new Date(clock.now() + HELD).toISOString())
  })

  it('is never one where no records are counted', async () => {
    const { ask, clock, desk, quota } = await known()
    ask('refused')
    await clock.settle()
    desk.sent[0]?.answer(refusal(429, { remaining: 7, recordsRemaining: 0 }))
    await clock.settle()
    assert.equal(quota.counts().endpoints.current.left, 0)
  })
})
