import assert from 'node:assert/strict'
import { headersWith, refusedResult } from '../../../support/quota/manual-service'
import { setupAnswered } from '../../../support/quota/quota'
import { data, RECORDS_OCCUPIED_MS, requestRecords, setupRecords } from '../../../support/quota/records'

describe('the service’s own count of records', () => {
  it('reduces what is available if it reports less than we count', async () => {
    const all = await setupRecords()
    await requestRecords(all, 'one', 1000, {
      records: 1000,
      headers: headersWith({ recordsRemaining: 50_000 }),
    })
    assert.equal(await requestRecords(all, 'one', 160_000, {}), 50_000)
  })

  it('changes nothing if it reports more', async () => {
    const all = await setupRecords()
    await requestRecords(all, 'one', 100_000, {
      records: 100_000,
      headers: headersWith({ recordsRemaining: 160_000 }),
    })
    assert.equal(await requestRecords(all, 'one', 160_000, {}), 60_000)
  })

  it('applies only to the requested device', async () => {
    const all = await setupRecords()
    await requestRecords(all, 'one', 1000, { records: 1000, headers: headersWith({ recordsRemaining: 0 }) })
    assert.equal(await requestRecords(all, 'other', 160_000, {}), 160_000)
  })
})

describe('a refusal for records', () => {
  for (const [words, headers, left] of [
    ['requests remain', { remaining: 3 }, 3],
    ['DataCount is 0', { recordsRemaining: 0 }, 19],
  ] as const) {
    it(`closes only that device for an hour, if ${words}`, async () => {
      const { submit, clock, service, quota } = await setupRecords()
      submit('refused', data('one', 1000))
      await clock.settle()
      service.sent[0]?.answer(refusedResult(429, headers))
      await clock.settle()
      assert.equal(quota.counts().endpoints.data.left, left)
      submit('other', data('other', 1000))
      await clock.pass(RECORDS_OCCUPIED_MS - 1)
      assert.deepEqual(service.keys(), ['refused', 'other'])
      await clock.pass(1)
      assert.deepEqual(service.keys(), ['refused', 'other', 'refused'])
    })
  }

  it('is sent again immediately for as many as the service reports as left', async () => {
    const { submit, clock, service } = await setupRecords()
    submit('refused', data('one', 16_000))
    await clock.settle()
    service.sent[0]?.answer(refusedResult(429, { remaining: 3, recordsRemaining: 5000 }))
    await clock.settle()
    assert.deepEqual(
      service.sent.map(({ number }) => number),
      [16_000, 5000],
    )
  })

  it('closes the endpoint if nothing shows that it is about records', async () => {
    for (const headers of [{}, { remaining: 0 }, { remaining: 0, recordsRemaining: 5 }]) {
      const { submit, clock, service } = await setupRecords()
      submit('refused', data('one', 16_000))
      await clock.settle()
      service.sent[0]?.answer(refusedResult(429, headers))
      await clock.settle()
      submit('other', data('other', 1000))
      await clock.pass(60_999)
      assert.deepEqual(service.keys(), ['refused'])
    }
  })

  it('that comes three times rejects the caller: records-refused', async () => {
    const { submit, clock, service } = await setupRecords()
    const submitted = submit('refused', data('one', 1000))
    await clock.settle()
    for (let count = 0; count < 3; count++) {
      service.sent[count]?.answer(refusedResult(429, { remaining: 3 }))
      await clock.pass(count < 2 ? RECORDS_OCCUPIED_MS : 0)
    }
    const { reason, code, cause } = submitted.error ?? {}
    assert.deepEqual([reason, code, cause?.status], ['records-refused', 'ENVLOG_QUOTA', 429])
    assert.equal(cause?.retryAt, new Date(clock.now() + RECORDS_OCCUPIED_MS).toISOString())
  })

  it('is never about records that are not counted', async () => {
    const { submit, clock, service, quota } = await setupAnswered()
    submit('refused')
    await clock.settle()
    service.sent[0]?.answer(refusedResult(429, { remaining: 7, recordsRemaining: 0 }))
    await clock.settle()
    assert.equal(quota.counts().endpoints.current.left, 0)
  })
})
