import assert from 'node:assert/strict'
import type { Simulator } from '../../../simulator'
import { request, send, simulate, tiny, useSimulators } from './support'

describe('simulator: control address', () => {
  useSimulators()
  let simulator: Simulator

  beforeEach(async () => {
    simulator = await simulate({ fleet: [tiny(3)] })
  })

  const get = (path: string) => send(simulator, 'GET', `/simulator${path}`, {})
  const change = (path: string, value: unknown, method = 'POST') => {
    const body = JSON.stringify(value)
    const headers = { 'Content-Type': 'application/json' }
    return send(simulator, method, `/simulator${path}`, headers, body)
  }

  it('changes options, and shows the remaining faults', async () => {
    const faults = [{ kind: 'status', status: 503, times: 2 }]
    const { status, json } = await change('/options', { faults, variants: { numbers: 'text' } }, 'PUT')
    assert.equal(status, 200)
    assert.equal(json.variants.numbers, 'text')
    assert.equal((await request(simulator, 'current')).status, 503)
    assert.equal((await get('/options')).json.faults[0].times, 1)
    assert.equal((await change('/reset', {})).status, 200)
    assert.equal((await get('/options')).json.variants.numbers, 'described')
    const reply = await request(simulator, 'current')
    assert.deepEqual([reply.status, reply.headers['x-ratelimit-remaining']], [200, '9'])
  })

  it('is available only to this machine: other host names and web pages are refused', async () => {
    const status = async (headers: Record<string, string>) =>
      (await send(simulator, 'GET', '/simulator/state', headers)).status
    assert.equal(await status({ Host: 'evil.example:80' }), 403)
    assert.equal(await status({ Origin: 'http://evil.example' }), 403)
    assert.equal(await status({ Host: `localhost:${simulator.port}` }), 200)
  })
})
