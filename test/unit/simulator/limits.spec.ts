import assert from 'node:assert/strict'
import type { EndpointName, Simulator } from '../../../simulator'
import { type Reply, request, simulate, tiny, useSimulators } from './support'

const serial = { 'remote-serial': '52000001' }

const rate = ({ headers }: Reply) =>
  ['limit', 'reset', 'remaining', 'remaining-datacount'].map((name) => headers[`x-ratelimit-${name}`])

const statuses = async (simulator: Simulator, endpoint: EndpointName, count: number, params: object = {}) => {
  const all: number[] = []
  for (let i = 0; i < count; i++) all.push((await request(simulator, endpoint, { ...params })).status)
  return all
}

describe('simulator: request limits', () => {
  useSimulators()
  it('are reported with errors as well, which count if the login is right', async () => {
    const simulator = await simulate({ fleet: [tiny(3)] })
    const rejected: readonly [object, object?][] = [
      [{ 'remote-serial': '99999999' }],
      [{ ...serial, 'login-pass': 'no' }],
      [{}, { body: '{' }],
    ]
    for (const [params, asking] of rejected) {
      const reply = await request(simulator, 'data', { ...params }, asking)
      assert.deepEqual(rate(reply), ['20', '60', '19', '160000'])
    }
  })

  it('refuse with 429, and do not affect other endpoints', async () => {
    const simulator = await simulate({ fleet: [tiny(3)] })
    assert.deepEqual(await statuses(simulator, 'current', 11), [...Array(10).fill(200), 429])
    const refused = await request(simulator, 'current')
    assert.equal(refused.json.error.code, 429)
    assert.deepEqual(rate(refused), ['10', '120', '0', undefined])
    assert.equal(refused.headers['retry-after'], undefined)
    assert.equal((await request(simulator, 'data', serial)).status, 200)
  })

  it('count what was sent over the limit, without the login', async () => {
    const simulator = await simulate({ fleet: [tiny(3)], limits: { data: { limit: 2, records: 4 } } })
    await statuses(simulator, 'data', 4, serial)
    simulator.spend('data', 5)
    // Twice 3 records exceed a budget of 4; the third and fourth request exceed the request limit.
    assert.deepEqual(simulator.counts().data, { total: 4, refused: 3, over: 2, foreign: 5, records: 3 })
    assert.ok(!JSON.stringify(simulator.log).includes(simulator.account.apiKey))
  })

  it('fixed windows all end at the same time, at multiples of their length', async () => {
    const limits = { current: { limit: 2, window: 10 } }
    const simulator = await simulate({ fleet: [], limits })
    simulator.clock.advance(9999)
    assert.deepEqual(await statuses(simulator, 'current', 3), [200, 200, 429])
    simulator.clock.advance(1)
    assert.deepEqual(await statuses(simulator, 'current', 3), [200, 200, 429])
  })

  it('sliding windows admit a request as each one expires', async () => {
    const limits = { current: { limit: 2, window: 10 } }
    const simulator = await simulate({ fleet: [], limits, windows: 'sliding' })
    await statuses(simulator, 'current', 1)
    simulator.clock.advance(6000)
    assert.deepEqual(await statuses(simulator, 'current', 2), [200, 429])
    simulator.clock.advance(3999)
    assert.deepEqual(await statuses(simulator, 'current', 1), [429])
    simulator.clock.advance(1)
    assert.deepEqual(await statuses(simulator, 'current', 2), [200, 429])
  })
})

describe('simulator: records budgets', () => {
  useSimulators()
  const limits = { data: { records: 10, recordsWindow: 100 } }
  const many = [tiny(8), tiny(8, { serial: '52000009' })]

  it('decrease by the returned records, per device', async () => {
    const simulator = await simulate({ fleet: many, limits })
    assert.equal(rate(await request(simulator, 'data', { ...serial, number: 6 }))[3], '4')
    assert.equal(rate(await request(simulator, 'data', { 'remote-serial': '52000009', number: 1 }))[3], '9')
    assert.equal(rate(await request(simulator, 'data', { ...serial, number: 1 }))[3], '3')
    assert.equal(rate(await request(simulator, 'latest-data', serial))[3], undefined)
  })

  it('refuse a response that exceeds the rest, and report the rest', async () => {
    const simulator = await simulate({ fleet: many, limits })
    await request(simulator, 'data', { ...serial, number: 6 })
    const refused = await request(simulator, 'data', { ...serial, number: 5 })
    assert.equal(refused.status, 429)
    assert.equal(rate(refused)[3], '4')
    assert.equal((await request(simulator, 'data', { ...serial, number: 4 })).status, 200)
    assert.equal((await request(simulator, 'data', { ...serial, number: 1 })).status, 429)
    simulator.clock.advance(100_000)
    assert.equal((await request(simulator, 'data', { ...serial, number: 8 })).status, 200)
  })
})
