import assert from 'node:assert/strict'

import type { EndpointName, ParamsOf } from '../../../../src/lib/endpoints'
import { json, text } from '../../../support/fake-transport'
import { alertResponse, context, currentDevice, graph, relayGraph } from '../responses'
import { clientOf, credentials } from './setup'

const common = {
  'api-key': credentials.apiKey,
  'login-id': credentials.loginId,
  'login-pass': credentials.loginPass,
}
const serial = { 'remote-serial': '5212A1B2' }
const both = { ...serial, 'base-serial': '5839F001' }
const period = { 'unixtime-from': 100, 'unixtime-to': 200, number: 16_000 }

/** Endpoint, path, parameters, response. */
const requests: readonly [EndpointName, string, object, object][] = [
  ['current', '/v1/devices/current', {}, { devices: [] }],
  ['current', '/v1/devices/current', { 'remote-serial': ['5212A1B2'] }, { devices: [currentDevice()] }],
  ['current', '/v1/devices/current', { 'base-serial': ['5839F001', '5839F002'] }, { devices: [] }],
  ['latest-data', '/v1/devices/latest-data', serial, graph()],
  ['latest-data-relay', '/v1/devices/latest-data-relay', both, relayGraph()],
  ['data', '/v1/devices/data', { ...serial, ...period }, graph()],
  ['data-relay', '/v1/devices/data-relay', { ...both, ...period }, relayGraph()],
  ['alert', '/v1/devices/alert', both, alertResponse()],
]

describe('a request', () => {
  for (const [endpoint, path, params, response] of requests) {
    it(`to ${endpoint} with ${JSON.stringify(params)} is as described`, async () => {
      const { client, transport } = clientOf(() => json(response))
      await client.read(endpoint, params as ParamsOf<EndpointName>, context)
      const [sent] = transport.sent
      assert.equal(transport.sent.length, 1)
      assert.equal(sent?.url, `https://service.example/api${path}`)
      assert.deepEqual(JSON.parse(sent?.body ?? ''), { ...common, ...params })
    })
  }

  it("uses the account's suffix for the relay paths only", async () => {
    const { client, transport } = clientOf(
      ({ url }) => json(/latest-data|data/.test(url) ? graph() : alertResponse()),
      {
        relaySuffix: 'other-1',
      },
    )
    for (const endpoint of ['latest-data-relay', 'data-relay', 'latest-data', 'data', 'alert'] as const) {
      await client.read(endpoint, both, context)
    }
    assert.deepEqual(
      transport.sent.map(({ url }) => url.split('/').at(-1)),
      ['latest-data-other-1', 'data-other-1', 'latest-data', 'data', 'alert'],
    )
  })

  it('for more records than the quota of the device has left asks for these, and its response says how many', async () => {
    const limits = { data: { records: 10_000 } }
    const response = graph({ data: [{ unixtime: 1_795_161_600, 'data-id': 1, ch1: 1 }] })
    const { client, transport, quota } = clientOf(() => json(response), { limits })
    const { number } = await client.read('data', { ...serial, ...period }, context)
    assert.deepEqual([JSON.parse(transport.sent[0]?.body ?? '').number, number], [10_000, 10_000])
    assert.equal(quota.counts().records[0]?.left, 9999, 'those it did not receive are released')
  })

  it('for raw JSON returns every field, known or not, without reading any', async () => {
    const response = { serial: 7, 'x-revision': 3, data: [{ unixtime: 'never', ch1: ' 1.50 ' }, null] }
    for (const params of [serial, { ...serial, type: 'json' as const }]) {
      const { client, transport } = clientOf(() => json(response))
      const { body, endpoint } = await client.readRaw('data', params, context)
      assert.deepEqual([body, endpoint], [response, 'data'])
      assert.deepEqual(JSON.parse(transport.sent[0]?.body ?? ''), { ...common, ...params })
    }
  })

  it('for raw JSON fails with ENVLOG_REPLY if the response is not a JSON object', async () => {
    for (const body of [
      'Array',
      '',
      'null',
      '[]',
      '"text"',
      '{"error":{"code":400,"message":"no"}}',
      '<html>',
    ]) {
      const { client } = clientOf(() => text(body))
      await assert.rejects(client.readRaw('data', serial, context), { code: 'ENVLOG_REPLY' }, body)
    }
  })

  it('for CSV fails with ENVLOG_REPLY if the response is none', async () => {
    for (const body of ['Array', '', ' ', 'null', '[]', '{}', '<html>']) {
      const { client } = clientOf(() => text(body))
      const csv = client.readRaw('data', { ...serial, type: 'csv' }, context)
      await assert.rejects(csv, { reason: 'response-not-csv' }, body)
    }
  })
})
