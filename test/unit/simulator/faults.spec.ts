import assert from 'node:assert/strict'
import type { Fault, FaultKind } from '../../../simulator'
import { type Reply, remote, request, simulate, tiny, useSimulators } from './support'

const serial = { 'remote-serial': '52000001' }
const withFaults = (...faults: Fault[]) => simulate({ fleet: [tiny(3), remote()], faults })

const isJson = ({ text }: Reply) => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Effect of each fault that returns a response. */
const answers: readonly [Fault, (reply: Reply, whole: Reply) => void][] = [
  [
    { kind: 'status', status: 403 },
    (reply) => {
      assert.equal(reply.status, 403)
      assert.equal(reply.json.error.code, 403)
      assert.equal(reply.headers['x-ratelimit-limit'], '10')
    },
  ],
  [
    { kind: 'brokenJson' },
    (reply, whole) => {
      assert.equal(isJson(reply), false)
      assert.equal(reply.text.length, whole.text.length)
    },
  ],
  [
    { kind: 'truncatedJson' },
    (reply, whole) => {
      assert.equal(isJson(reply), false)
      assert.ok(whole.text.startsWith(reply.text))
      assert.equal(reply.headers['content-length'], String(reply.text.length))
    },
  ],
  [
    { kind: 'html' },
    (reply) => {
      assert.equal(reply.status, 200)
      assert.match(String(reply.headers['content-type']), /^text\/html/)
      assert.match(reply.text, /^<!DOCTYPE html>/)
    },
  ],
  [
    { kind: 'errorWith200', status: 503 },
    (reply) => assert.deepEqual([reply.status, reply.json.error.code], [200, 503]),
  ],
  [
    { kind: 'redirect', location: '/elsewhere' },
    (reply) => assert.deepEqual([reply.status, reply.headers.location], [302, '/elsewhere']),
  ],
  [
    { kind: 'wrongContentType' },
    (reply, whole) => {
      assert.match(String(reply.headers['content-type']), /^text\/plain/)
      assert.equal(reply.text, whole.text)
    },
  ],
  [
    { kind: 'body', body: '{"devices":7}', status: 200, headers: { 'X-Note': 'odd' } },
    (reply) => assert.deepEqual([reply.text, reply.headers['x-note']], ['{"devices":7}', 'odd']),
  ],
  [{ kind: 'drip', piece: 40, pause: 0 }, (reply, whole) => assert.equal(reply.text, whole.text)],
  [{ kind: 'delay', delay: 1 }, (reply, whole) => assert.equal(reply.text, whole.text)],
]

describe('simulator: faults', () => {
  useSimulators()
  for (const [fault, check] of answers) {
    it(`${fault.kind} ${fault.status ?? ''}`.trim(), async () => {
      const simulator = await withFaults({ ...fault, times: 1 })
      const reply = await request(simulator, 'current')
      check(reply, await request(simulator, 'current'))
      assert.deepEqual(
        simulator.log.map((entry) => [entry.status, ...entry.faults]),
        [[reply.status, fault.kind], [200]],
      )
    })
  }

  for (const kind of ['drop', 'dropMidBody'] satisfies FaultKind[]) {
    it(`${kind}: no complete response`, async () => {
      const simulator = await withFaults({ kind, times: 1 })
      await assert.rejects(request(simulator, 'current'))
      assert.equal((await request(simulator, 'current')).status, 200)
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

  it('occur at random, identically for the same seed', async () => {
    const run = async (seed: string) => {
      const faults: Fault[] = [{ kind: 'status', status: 500, probability: 0.4 }]
      const simulator = await simulate({ fleet: [], faults, seed, limits: 'off' })
      const statuses: number[] = []
      for (let i = 0; i < 20; i++) statuses.push((await request(simulator, 'current')).status)
      return statuses
    }
    const one = await run('a')
    assert.deepEqual(await run('a'), one)
    assert.notDeepEqual(await run('b'), one)
    const failed = one.filter((status) => status === 500).length
    assert.ok(failed > 2 && failed < 15, `${failed} of 20`)
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
