import assert from 'node:assert/strict'
import { EnvlogError } from '../../../../src/lib/errors'
import { headersWith, refusedResult } from '../../../support/quota/manual-service'
import { keys } from '../../../support/quota/quota'
import { data, RECORDS_OCCUPIED_MS, requestRecords, setupRecords } from '../../../support/quota/records'

const broken = (headers: number | null) => ({
  records: null,
  headers: headersWith({ recordsRemaining: headers }),
  error: new EnvlogError('connection-broken'),
})

describe('the records of a device', () => {
  it('are requested as wanted while enough are left, then as many as are left', async () => {
    const all = await setupRecords()
    assert.equal(await requestRecords(all, 'one', 100_000, { records: 100_000 }), 100_000)
    assert.equal(await requestRecords(all, 'one', 100_000, { records: 50_000 }), 60_000)
    assert.equal(await requestRecords(all, 'one', 100_000, { records: 0 }), 10_000)
  })

  it('are reserved while a request is on its way', async () => {
    const { submit, clock, service } = await setupRecords()
    submit('first', data('one', 65_535))
    submit('second', data('one', 65_535))
    submit('third', data('one', 65_535))
    await clock.settle()
    assert.deepEqual(
      service.sent.map(({ number }) => number),
      [65_535, 65_535, 160_000 - 2 * 65_535],
    )
  })

  it('are waited for if fewer than 1000 are left, until the first are released', async () => {
    const all = await setupRecords()
    const { submit, clock, service } = all
    await requestRecords(all, 'one', 500, { records: 500 })
    await clock.pass(60_000)
    await requestRecords(all, 'one', 158_600, { records: 158_600 })
    submit('waits', data('one', 16_000))
    await clock.pass(RECORDS_OCCUPIED_MS - 60_001)
    assert.equal(service.sent.length, 2)
    await clock.pass(1)
    assert.equal(service.sent.at(-1)?.number, 1400)
  })

  it('are requested immediately if all that are wanted are left, even if fewer than 1000', async () => {
    const all = await setupRecords()
    await requestRecords(all, 'one', 159_900, { records: 159_900 })
    assert.equal(await requestRecords(all, 'one', 100, {}), 100)
  })

  it('are each device’s own, and each endpoint’s', async () => {
    const all = await setupRecords()
    await requestRecords(all, 'one', 160_000, { records: 160_000 })
    assert.equal(await requestRecords(all, 'other', 16_000, {}), 16_000)
    all.submit('relay', { ...data('one', 16_000), endpoint: 'data-relay' })
    await all.clock.settle()
    assert.equal(all.service.sent.at(-1)?.number, 16_000)
  })

  it('that are used up do not delay other devices', async () => {
    const all = await setupRecords()
    await requestRecords(all, 'one', 160_000, { records: 160_000 })
    for (const key of keys('used up', 5)) all.submit(key, data('one', 1000), { queueKey: 'a' })
    all.submit('other', data('other', 1000), { queueKey: 'a' })
    await all.clock.settle()
    assert.equal(all.service.sent.at(-1)?.key, 'other')
    assert.equal(all.quota.counts().waiting, 5)
  })

  it('stay used for an hour, whatever window the headers report', async () => {
    const all = await setupRecords()
    const headers = headersWith({ limit: 20, windowSeconds: 60, remaining: 19 })
    await requestRecords(all, 'one', 160_000, { records: 160_000, headers })
    all.submit('waits', data('one', 1000))
    await all.clock.pass(RECORDS_OCCUPIED_MS - 1)
    assert.equal(all.service.sent.length, 1)
    await all.clock.pass(1)
    assert.equal(all.service.sent.length, 2)
  })

  it('that were reserved and did not come are available to those that wait for them', async () => {
    const { submit, clock, service } = await setupRecords()
    submit('first', data('one', 160_000))
    submit('waits', data('one', 16_000))
    await clock.pass(1000)
    service.sent[0]?.answer({ records: 10 })
    await clock.pass(1000)
    assert.deepEqual([service.sent[1]?.key, service.sent[1]?.number], ['waits', 16_000])
  })

  it('of a failed request are not used', async () => {
    const all = await setupRecords()
    await requestRecords(all, 'one', 160_000, {
      ...refusedResult(400),
      headers: headersWith({ remaining: 10 }),
    })
    assert.equal(await requestRecords(all, 'one', 100_000, {}), 100_000)
  })
})

describe('the records of a response that broke off', () => {
  it('stay reserved without a header', async () => {
    const all = await setupRecords()
    await requestRecords(all, 'one', 100_000, broken(null))
    assert.equal(await requestRecords(all, 'one', 100_000, {}), 60_000)
  })

  it('are what the header reports', async () => {
    const all = await setupRecords()
    await requestRecords(all, 'one', 100_000, broken(159_000))
    assert.equal(await requestRecords(all, 'one', 160_000, {}), 159_000)
  })

  it('are not released because of what another request has reserved and the service has not counted yet', async () => {
    const all = await setupRecords()
    const { submit, clock, service } = all
    submit('slow', data('one', 60_000))
    submit('broken', data('one', 60_000))
    await clock.settle()
    // Only the second was counted.
    service.sent[1]?.answer(broken(100_000))
    await clock.settle()
    assert.equal(await requestRecords(all, 'one', 160_000, {}), 40_000)
  })

  it('are not released because of what an earlier window of the service counted', async () => {
    const all = await setupRecords()
    await requestRecords(all, 'one', 60_000, { records: 60_000 })
    await all.clock.pass(3_600_500)
    // A new window: the service counted only this one.
    await requestRecords(all, 'one', 60_000, broken(100_000))
    await all.clock.pass(1000)
    assert.equal(await requestRecords(all, 'one', 160_000, {}), 100_000)
  })
})
