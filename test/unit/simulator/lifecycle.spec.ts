import assert from 'node:assert/strict'
import { type SimulatorOptions, startSimulator } from '../../../simulator'
import { request, simulate, useSimulators } from './support'

describe('simulator: start and end', () => {
  useSimulators()
  it('reports that a port is in use', async () => {
    const { port } = await simulate()
    await assert.rejects(startSimulator({ port }), {
      message: `port ${port} is already in use`,
      code: 'EADDRINUSE',
    })
  })

  it('runs alongside others, each with its own state', async () => {
    const [one, two] = await Promise.all([simulate({ seed: 1 }), simulate({ seed: 2 })])
    await request(one, 'current')
    assert.deepEqual([one.counts().current.total, two.counts().current.total], [1, 0])
    const { apiKey, loginId, loginPass } = one.account
    const credentials = { 'api-key': apiKey, 'login-id': loginId, 'login-pass': loginPass }
    assert.equal((await request(two, 'current', {}, { credentials })).status, 401)
  })

  const wrong: readonly [unknown, RegExp][] = [
    [{ devices: 5001 }, /devices/],
    [{ windows: 'round' }, /windows/],
    [{ variants: { numbers: 'roman' } }, /variants\.numbers/],
    [{ limits: { alert: { limit: 'many' } } }, /limits\.alert\.limit/],
    [{ faults: [{ kind: 'status', probability: 2 }] }, /faults\[0\]\.probability/],
  ]
  for (const [options, message] of wrong) {
    it(`refuses ${JSON.stringify(options)}`, () =>
      assert.rejects(startSimulator(options as SimulatorOptions), message))
  }
})
