import assert from 'node:assert/strict'
import { type Simulator, startSimulator } from '../../../simulator'
import { OptionError } from '../../../simulator/option-error'
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

  it('filters current readings, selects periods, and refuses requests without saved responses', async () => {
    original = await startSimulator({ startTime: START, speed: 0, seed: 'other' })
    const { report } = await checkSimulated(original)
    replayed = await startSimulator({ replay: report })
    const devices = replayed.truth.devices()
    const [{ serial = '' } = {}] = devices
    const found = (await post('current', { 'remote-serial': [serial] })).devices
    assert.equal(found.length, devices.filter((device) => device.serial === serial).length)
    assert.ok(found.length > 0 && found.length < devices.length)
    const saved = report.responses.find((answer) => answer.endpoint === 'latest-data-relay')
    assert.ok(saved && 'body' in saved)
    const times = (saved.body.data as { unixtime: string }[]).map(({ unixtime }) => Number(unixtime))
    const [from, to] = [times[100], times[120]]
    const period = { ...saved.params, 'unixtime-from': from, 'unixtime-to': to }
    for (const [params, expected] of [
      [period, times.slice(100, 121)],
      [{ ...period, number: 3 }, times.slice(118, 121)],
    ] as const) {
      const { data } = await post('data-relay', params)
      assert.deepEqual(
        data.map(({ unixtime }: { unixtime: string }) => Number(unixtime)),
        expected,
      )
    }
    assert.ok('error' in (await post('latest-data', { 'remote-serial': '00000000' })))
    assert.ok('error' in (await post('latest-data-relay', { ...saved.params, type: 'csv' })))
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

  it('cannot be made from any other file', async () => {
    for (const replay of [{}, [], 'report', { format: 'envlog-report', version: 2, responses: [] }]) {
      await assert.rejects(startSimulator({ replay }), OptionError)
    }
  })

  const post = async (path: string, params: object) => (await request(replayed, path, { ...params })).json
})
