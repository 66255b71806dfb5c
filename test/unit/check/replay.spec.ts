import assert from 'node:assert/strict'
import { type Simulator, startSimulator } from '../../../simulator'
import { isSuccessful } from '../../../src/lib/check/exchange'
import { checkSimulated } from '../../support/check'
import { request } from '../simulator/support'

const START = Date.UTC(2026, 10, 20, 8)

describe('a replayed report', () => {
  let original: Simulator
  let replayed: Simulator

  afterEach(() => Promise.all([original?.close(), replayed?.close()]))

  it('responds like the service: checking it saves the same report', async () => {
    original = await startSimulator({ startTime: START, speed: 0 })
    const { report } = await checkSimulated(original)
    replayed = await startSimulator({ replay: report })
    const again = await checkSimulated(replayed, 0)
    const responsesOf = ({ responses }: typeof report) =>
      responses.map(({ endpoint, params, status, ...answer }) => [
        endpoint,
        params,
        status,
        'body' in answer && answer.body,
      ])
    assert.deepEqual(responsesOf(again.report), responsesOf(report))
  })

  it('gives every other device its current reading, and no alerts', async () => {
    // At some times, the device that was measured last is one whose records are refused.
    original = await startSimulator({ startTime: START, speed: 0 })
    const { report } = await checkSimulated(original)
    replayed = await startSimulator({ replay: report, limits: 'off' })
    for (const { serial, base, standalone } of replayed.truth.devices()) {
      const path = standalone ? 'latest-data' : 'latest-data-relay'
      const body = await post(path, {
        'remote-serial': serial,
        ...(standalone ? {} : { 'base-serial': base }),
      })
      assert.ok(body.data.length >= 1)
      assert.equal(body.serial ?? body['remote-serial'], serial)
      const alerts = await post('alert', { 'remote-serial': serial, 'base-serial': base })
      assert.ok(Array.isArray(alerts['alert-logs']))
    }
  })

  it('refuses the same requests as the service, with its status', async () => {
    for (const [endpoint, status] of [
      ['current', 401],
      ['alert', 503],
    ] as const) {
      original = await startSimulator({
        startTime: START,
        speed: 0,
        faults: [{ kind: 'status', status, endpoints: [endpoint] }],
      })
      const { report } = await checkSimulated(original)
      replayed = await startSimulator({ replay: report })
      const { originals } = await checkSimulated(replayed)
      const failed = originals.flatMap((exchange) =>
        isSuccessful(exchange) ? [] : [exchange.error.cause.status],
      )
      assert.deepEqual(failed, [status])
      await Promise.all([original.close(), replayed.close()])
    }
  })

  const post = async (path: string, params: object) => (await request(replayed, path, { ...params })).json
})
