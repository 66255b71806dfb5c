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

  it('returns log and counts, and spends requests', async () => {
    await request(simulator, 'current')
    assert.equal((await change('/spend', { endpoint: 'current', count: 4 })).status, 200)
    const { json } = await get('/counts')
    assert.deepEqual([json.current.total, json.current.foreign], [1, 4])
    assert.equal((await get('/log')).json[0].endpoint, 'current')
    assert.equal((await request(simulator, 'current')).headers['x-ratelimit-remaining'], '4')
    assert.equal((await change('/spend', { endpoint: 'nothing' })).status, 400)
  })

  it('reports what is wrong', async () => {
    const wrong = async (path: string, value: unknown) => {
      const { status, json } = await change(path, value)
      assert.equal(status, 400)
      return json.error
    }
    assert.match(await wrong('/options', { variants: { number: 'text' } }), /variants\.number/)
    assert.match(await wrong('/options', { port: 1 }), /port/)
    assert.match(await wrong('/options', { faults: [{ kind: 'flood' }] }), /faults\[0\]\.kind/)
    assert.match(await wrong('/options', []), /object/)
    assert.equal((await get('/nothing')).status, 404)
    assert.equal((await get('/reset')).status, 405)
    assert.equal(
      (await send(simulator, 'POST', '/simulator/reset', { 'Content-Type': 'text/plain' }, '{}')).status,
      415,
    )
  })

  it('is available only to this machine: other host names and web pages are refused', async () => {
    const status = async (headers: Record<string, string>) =>
      (await send(simulator, 'GET', '/simulator/state', headers)).status
    assert.equal(await status({ Host: 'evil.example:80' }), 403)
    assert.equal(await status({ Origin: 'http://evil.example' }), 403)
    assert.equal(await status({ Host: `localhost:${simulator.port}` }), 200)
  })
})
