import assert from 'node:assert/strict'
import { request, simulate, start, tiny, useSimulators } from './support'

const serial = { 'remote-serial': '52000001' }

describe('simulator: log and counts', () => {
  useSimulators()
  it('contain each request without its credentials', async () => {
    const simulator = await simulate({ fleet: [tiny(3)] })
    await request(simulator, 'data', { ...serial, number: 2 })
    await request(simulator, 'current', { 'login-pass': 'wrong' })
    const [first, second] = simulator.log
    assert.deepEqual(first, {
      time: start,
      endpoint: 'data',
      path: '/v1/devices/data',
      params: { ...serial, number: 2 },
      status: 200,
      counted: true,
      over: false,
      remaining: 19,
      records: 2,
      faults: [],
    })
    assert.deepEqual([second?.status, second?.counted], [401, false])
    assert.ok(!JSON.stringify(simulator.log).includes(simulator.account.apiKey))
  })

  it('count requests over the limit', async () => {
    const simulator = await simulate({ fleet: [tiny(3)], limits: { data: { limit: 2, records: 4 } } })
    for (let i = 0; i < 4; i++) await request(simulator, 'data', serial)
    simulator.spend('data', 5)
    // Twice 3 records exceed a budget of 4; the third and fourth request exceed the request limit.
    assert.deepEqual(simulator.counts().data, { total: 4, refused: 3, over: 2, foreign: 5, records: 3 })
    assert.deepEqual(
      simulator.log.map(({ status, over }) => [status, over]),
      [
        [200, false],
        [429, false],
        [429, true],
        [429, true],
      ],
    )
  })
})
