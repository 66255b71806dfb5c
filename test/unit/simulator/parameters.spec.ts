import assert from 'node:assert/strict'
import type { EndpointName, Simulator } from '../../../simulator'
import { type Asking, office, remote, request, simulate, tiny, useSimulators } from './support'

const standalone = { 'remote-serial': '52000001' }
const unit = { 'remote-serial': '52000002', 'base-serial': '5F000001' }

/** Rejected parameters, and the status of the response. */
const refused: readonly [string, EndpointName, Record<string, unknown>, Asking, number][] = [
  ['no method override', 'current', {}, { headers: { 'X-HTTP-Method-Override': undefined } }, 400],
  ['text instead of JSON', 'current', {}, { headers: { 'Content-Type': 'text/plain' } }, 415],
  ['no credentials', 'current', {}, { credentials: {} }, 401],
  ['a wrong password', 'current', { 'login-pass': 'wrong-pass' }, {}, 401],
  ['one serial where a list is due', 'current', { 'remote-serial': '52000001' }, {}, 400],
  ['no serial', 'latest-data', {}, {}, 400],
  ['an unknown serial', 'latest-data', { 'remote-serial': '99999999' }, {}, 400],
  ['no base serial', 'data-relay', { 'remote-serial': '52000002' }, {}, 400],
  ['a remote unit on data', 'data', { 'remote-serial': '52000002' }, {}, 400],
  ['a number of 0', 'data', { ...standalone, number: 0 }, {}, 400],
  ['csv2 on latest-data', 'latest-data', { ...standalone, type: 'csv2' }, {}, 400],
]

describe('simulator: requirements for a request', () => {
  useSimulators()
  let simulator: Simulator

  beforeEach(async () => {
    simulator = await simulate({ fleet: [tiny(2), remote()] })
  })

  for (const [what, endpoint, params, asking, status] of refused) {
    it(`refuses ${what} with ${status}`, async () => {
      const reply = await request(simulator, endpoint, params, asking)
      assert.equal(reply.status, status)
      assert.equal(reply.json.error.code, status)
      assert.equal(typeof reply.json.error.message, 'string')
      assert.equal(reply.headers['content-type'], 'application/json; charset=utf-8')
    })
  }

  it('responds with 404 on any other path', async () => {
    assert.equal((await request(simulator, 'nothing')).status, 404)
    assert.equal((await request(simulator, '', {}, { path: '/v2/devices/current' })).status, 404)
  })

  it('accepts a charset and unknown parameters', async () => {
    const headers = { 'Content-Type': 'application/json; charset=utf-8' }
    const params = { ...standalone, 'temperature-unit': 'F', more: 1 }
    assert.equal((await request(simulator, 'data', params, { headers })).status, 200)
  })

  it('accepts the relay paths with another suffix', async () => {
    simulator.set({ relaySuffix: 'sub' })
    assert.equal((await request(simulator, 'data-sub', unit)).status, 200)
    assert.equal((await request(simulator, 'latest-data-sub', unit)).status, 200)
    assert.equal((await request(simulator, 'data-relay', unit)).status, 404)
    assert.equal((await request(simulator, 'data', standalone)).status, 200)
  })

  it('serves each kind on the described endpoints', async () => {
    const ftp = { ...office, serial: '5F000002', sends: 'ftp' } as const
    const alone = { ...office, serial: '5F000003', relayEndpoints: false }
    simulator.set({
      fleet: [
        { serial: 'SERIES01', kind: 'standalone-1' },
        { serial: 'SERIES02', kind: 'standalone-2' },
        { serial: 'SERIES03', kind: 'other-standalone' },
        { serial: 'REMOTE01', base: office },
        { serial: 'REMOTE02', base: ftp },
        { serial: 'REMOTE03', base: alone },
        { serial: 'REMOTE04', base: office, kind: 'older-remote' },
      ],
    })
    const served: Record<string, string[]> = {}
    for (const { serial, base } of simulator.truth.devices()) {
      const params = { 'remote-serial': serial, 'base-serial': base }
      const names: string[] = []
      for (const endpoint of ['latest-data', 'data', 'latest-data-relay', 'data-relay', 'alert'] as const) {
        if ((await request(simulator, endpoint, params)).status === 200) names.push(endpoint)
      }
      served[serial] = names
    }
    assert.deepEqual(served, {
      SERIES01: ['latest-data', 'data', 'alert'],
      SERIES02: ['latest-data', 'data'],
      SERIES03: [],
      REMOTE01: ['latest-data-relay', 'data-relay', 'alert'],
      REMOTE02: [],
      REMOTE03: ['alert'],
      REMOTE04: [],
    })
    assert.equal((await request(simulator, 'current')).json.devices.length, 7)
  })
})
