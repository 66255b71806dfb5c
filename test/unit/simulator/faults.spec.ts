import assert from 'node:assert/strict'
import type { Fault } from '../../../simulator'
import { remote, request, simulate, tiny, useSimulators } from './support'

const serial = { 'remote-serial': '52000001' }
const withFaults = (...faults: Fault[]) => simulate({ fleet: [tiny(3), remote()], faults })

describe('simulator: faults', () => {
  useSimulators()
  it('change the response, once', async () => {
    const simulator = await withFaults({ kind: 'truncatedJson', times: 1, headers: { 'X-Note': 'odd' } })
    const reply = await request(simulator, 'current')
    const whole = await request(simulator, 'current')
    assert.deepEqual([reply.status, reply.headers['x-note']], [200, 'odd'])
    assert.ok(reply.text.length < whole.text.length && whole.text.startsWith(reply.text))
    assert.deepEqual(
      simulator.log.map((entry) => entry.faults),
      [['truncatedJson'], []],
    )
  })

  for (const [kind, status, content] of [
    ['brokenJson', 200, /^\{"devices";/],
    ['html', 200, /^<!DOCTYPE html>/],
    ['errorWith200', 200, /^\{"error":\{"code":500/],
    ['status', 500, /^\{"error":\{"code":500/],
  ] as const) {
    it(`${kind}: status ${status} with ${content}`, async () => {
      const reply = await request(await withFaults({ kind }), 'current')
      assert.equal(reply.status, status)
      assert.match(reply.text, content)
    })
  }

  it('silence: accepted, never answered, ended by close', async () => {
    const simulator = await withFaults({ kind: 'silence' })
    const failed = assert.rejects(request(simulator, 'current'))
    while (simulator.log.length === 0) await new Promise((resolve) => setImmediate(resolve))
    assert.equal(simulator.log[0]?.status, 0)
    await simulator.close()
    await failed
  })

  it('apply to the given endpoints, serials and number of requests', async () => {
    const fault: Fault = {
      kind: 'status',
      status: 503,
      endpoints: ['data'],
      serials: ['52000001'],
      times: 2,
    }
    const simulator = await withFaults(fault)
    const statuses: number[] = []
    for (let i = 0; i < 5; i++) statuses.push((await request(simulator, 'data', serial)).status)
    assert.deepEqual(statuses, [503, 503, 200, 200, 200])
    simulator.set({ faults: [{ kind: 'status', status: 503, serials: ['5F000001'] }] })
    assert.equal((await request(simulator, 'current')).status, 200)
    const params = { 'remote-serial': '52000002', 'base-serial': '5F000001' }
    assert.equal((await request(simulator, 'data-relay', params)).status, 503)
    assert.equal((await request(simulator, 'current', { 'base-serial': ['5F000001'] })).status, 503)
  })

  it('occur after the request was counted, unless it never reached the service', async () => {
    const simulator = await withFaults({ kind: 'status', status: 502, times: 1 })
    await request(simulator, 'current')
    simulator.set({ faults: [{ kind: 'status', status: 502, counts: false, times: 1 }] })
    await request(simulator, 'current')
    assert.equal((await request(simulator, 'current')).headers['x-ratelimit-remaining'], '8')
    assert.deepEqual(
      simulator.log.map((entry) => entry.counted),
      [true, false, true],
    )
  })

  it('a 429 reports that nothing is left, and does not count as over the limit', async () => {
    const simulator = await withFaults({ kind: 'status', status: 429, times: 1 })
    assert.equal((await request(simulator, 'current')).headers['x-ratelimit-remaining'], '0')
    const { refused, over } = simulator.counts().current
    assert.deepEqual([refused, over], [1, 0])
  })
})
