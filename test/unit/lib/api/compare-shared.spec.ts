import assert from 'node:assert/strict'
import { createAbort } from '../../../../src/lib/abort'
import { createVirtualClock } from '../../../support/clock'
import { chunksOf, json, streamed } from '../../../support/fake-transport'
import { graph, patient } from '../answers'
import { clientOf, credentials } from './setup'

const TIMEOUT_MS = 500
const serial = { 'remote-serial': '5212A1B2' }
const answerWith = (bytesPerRecord: number, fields: object = {}) =>
  graph({
    data: Array.from({ length: 300 }, (_, index) => ({
      unixtime: 1_795_000_000 + index,
      'data-id': index,
      ch1: 'x'.repeat(bytesPerRecord),
    })),
    ...fields,
  })

async function knownBy(answer: object) {
  const found = clientOf(() => json(answer), { concurrency: 1 })
  const { digest: known, body } = await found.client.read('latest-data', serial, patient, {})
  return { ...found, known, body }
}

describe('an equal answer that several callers share', () => {
  it('is read by the others as if it were not known, also above 4 MB', async () => {
    const { client, known, body } = await knownBy(answerWith(15_000))
    assert.equal(body.records.length, 300)
    const first = client.read('latest-data', serial, patient, { known })
    const others = [
      client.read('latest-data', serial, patient, {}),
      client.read('latest-data', serial, patient),
    ]
    await first
    for (const other of others) assert.equal((await other).body.records.length, 300)
  })

  it('is never passed on without its body, also where it cannot be decoded at once', async () => {
    const { client, known } = await knownBy(answerWith(15_000))
    const results = await Promise.allSettled([
      client.read('latest-data', serial, patient, { known }),
      client.read('latest-data', serial, patient, {}),
      client.read('latest-data', serial, patient, {}),
      client.read('latest-data', serial, patient),
    ])
    for (const result of results.slice(1)) {
      assert.ok(result.status === 'rejected' || result.value.body !== undefined, 'an answer without a body')
    }
  })

  it('is read by the next one where the first one is aborted, and contains no secret', async () => {
    const { client, known } = await knownBy(answerWith(3, { name: `a ${credentials.apiKey} b` }))
    for (const [first, second, third] of [
      [known, undefined, 'x'],
      [undefined, known, known],
      ['x', undefined, known],
    ]) {
      const abort = createAbort()
      const compare = (one: string | undefined) => ({ known: one })
      const all = [
        client.read('latest-data', serial, { ...patient, signal: abort.signal }, compare(first)),
        client.read('latest-data', serial, patient, compare(second)),
        client.read('latest-data', serial, patient, compare(third)),
        client.read('latest-data', serial, patient),
      ]
      const results = Promise.allSettled(all)
      await new Promise((resolve) => setImmediate(resolve))
      abort.abort()
      for (const result of (await results).slice(1)) {
        assert.ok(result.status === 'fulfilled', String((result as PromiseRejectedResult).reason))
        assert.equal(result.value.body.records.length, 300)
        assert.ok(!JSON.stringify(result.value).includes(credentials.apiKey))
      }
    }
  })

  it('is the same in each field as one that is decoded while it arrives', async () => {
    const odd = graph({
      name: 'é\u0001"\\',
      data: [
        { unixtime: 1, 'data-id': 1, ch1: 1e21, ch2: '--', ch3: null },
        { unixtime: '2', 'data-id': '2', ch2: '1e400', ch1: { deep: [1] } },
        { unixtime: 3.5, ch1: -0, ch9: true },
        'no record',
        null,
        { 'data-id': 4, ch1: '007' },
      ],
    })
    const { client, known, body } = await knownBy(odd)
    const late = await client.read('latest-data', serial, patient, { known })
    const copied = await Promise.all([
      client.read('latest-data', serial, patient, { known }),
      client.read('latest-data', serial, patient, {}),
    ])
    for (const other of [late, ...copied]) assert.deepEqual(plain(other.body), plain(body))
  })
})

describe('a complete answer that is compared', () => {
  for (const compare of [undefined, {}]) {
    it(`does not time out while other flows take the time${compare ? '' : ' (nor one that is not compared)'}`, async () => {
      const data = Array.from({ length: 60_000 }, (_, index) => ({
        unixtime: 1_795_000_000 + index,
        'data-id': index,
        ch1: '-18.4',
        odd: [index, 'text', index],
      }))
      const whole = Buffer.from(JSON.stringify(graph({ data })))
      const parts = Array.from({ length: Math.ceil(whole.length / 65_536) }, (_, index) =>
        whole.subarray(index * 65_536, (index + 1) * 65_536),
      )
      const clock = createVirtualClock()
      const settings = { clock, timeout: TIMEOUT_MS / 1000, retries: 1 }
      const { client, transport } = clientOf(() => streamed(chunksOf(parts)), settings)
      const start = clock.monotonic()
      let isOver = false
      const otherFlow = () => {
        if (isOver) return
        // Never as long as a whole exchange may take: a slow machine needs more turns.
        if (clock.monotonic() - start < 8 * TIMEOUT_MS) clock.advance(100)
        setImmediate(otherFlow)
      }
      setImmediate(otherFlow)
      const [result] = await Promise.allSettled([client.read('latest-data', serial, patient, compare)])
      isOver = true
      assert.equal(transport.sent.length, 1, 'a complete answer was requested again')
      assert.equal(result.status, 'fulfilled')
      assert.ok(clock.monotonic() - start > TIMEOUT_MS, 'longer than the timeout')
    })
  }
})

/** The capacity of the table depends on how it grew. */
const plain = (value: unknown) =>
  JSON.parse(JSON.stringify(value, (key, field) => (key === 'capacity' ? undefined : field)))
