import assert from 'node:assert/strict'
import { type EndpointName, manualClock, type Variants } from '../../../simulator'
import { OFFERED } from '../../../src/shared/outputs'
import { A_DAY, freezer, fridge, NOW, rackA } from '../../support/devices'
import { startFlow, useSimulator } from '../../support/flow'
import type { ActionName, Message } from '../../support/flow-types'

const SPAN = {
  'unixtime-from': Date.parse(A_DAY.from) / 1000 - 1,
  'unixtime-to': Date.parse(A_DAY.to) / 1000,
}
const MAX_NUMBER = 65_535
const devices = [fridge, rackA]
const forms = { raw: 'json', csv: 'csv', csv2: 'csv2' } as const
type Form = keyof typeof forms

describe('a raw response', () => {
  const simulator = useSimulator(() => ({ clock: manualClock(NOW), limits: 'off' }))

  /** The service's response to an independent request, byte for byte. */
  async function request(endpoint: EndpointName, params: object): Promise<string> {
    const { apiKey, loginId, loginPass } = simulator().account
    const response = await fetch(`${simulator().url}/v1/devices/${endpoint}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-http-method-override': 'GET' },
      body: JSON.stringify({ 'api-key': apiKey, 'login-id': loginId, 'login-pass': loginPass, ...params }),
    })
    assert.equal(response.status, 200)
    return Buffer.from(await response.arrayBuffer()).toString('utf8')
  }

  /** The request that returns the data of a device. */
  function requestFor(action: ActionName, { serial, base }: { serial: string; base?: string }) {
    const isRemote = base !== undefined && base !== serial
    const both = { 'remote-serial': serial, 'base-serial': base ?? serial }
    const own = isRemote ? both : { 'remote-serial': serial }
    if (action === 'alerts') return { endpoint: 'alert', params: both } as const
    if (action === 'latest')
      return { endpoint: isRemote ? 'latest-data-relay' : 'latest-data', params: own } as const
    return {
      endpoint: isRemote ? 'data-relay' : 'data',
      params: { ...own, ...SPAN, number: MAX_NUMBER },
    } as const
  }

  async function run(action: ActionName, output: Form, devices: readonly object[], node: Message = {}) {
    const flow = await startFlow(action, simulator(), {
      node: { select: 'list', devices, ...A_DAY, output, ...node },
    })
    flow.send()
    await flow.completed.next()
    const requests = simulator().log.map(({ endpoint, params }) => ({ endpoint, ...params }))
    return {
      flow,
      messages: flow.output.messages,
      requests,
      named: requests.filter((one) => 'remote-serial' in one),
    }
  }

  /** The payload is the response to a request of the test for the same device. */
  async function assertOwn(
    action: ActionName,
    output: Form,
    device: (typeof devices)[number],
    { payload, envlog, ...others }: Message,
  ): Promise<void> {
    const { serial, base } = device
    const { endpoint, params } = requestFor(action, device)
    const type = action === 'alerts' ? {} : { type: forms[output] }
    const text = await request(endpoint, { ...params, ...type })
    assert.deepEqual(payload, output === 'raw' ? JSON.parse(text) : text)
    assert.equal(envlog.endpoint, endpoint)
    const truth = simulator().truth.devices()
    const { name } = truth.find((one) => one.serial === serial && one.base === base) ?? {}
    assert.deepEqual(envlog.device, { serial, base, name })
    assert.equal('parts' in others || 'columns' in others, false)
  }

  const odd: Partial<Variants> = {
    numbers: 'text',
    extraFields: true,
    nested: 'array',
    recordOrder: 'shuffled',
    csvBom: true,
    csvSpaces: true,
    csvLabels: 'ja',
    csv2OnLatestData: true,
  }

  for (const action of ['latest', 'range', 'alerts'] as const) {
    for (const output of Object.keys(forms).filter((one) => one in OFFERED[`envlog-${action}`]) as Form[]) {
      it(`of ${action} as ${output} is the service's own, from one request per device, about that device`, async () => {
        simulator().set({ variants: odd })
        const { flow, messages, named } = await run(action, output, devices)
        assert.deepEqual(flow.errors.messages, [])
        assert.deepEqual([messages.length, named.length], [2, 2])
        for (const device of devices) {
          const msg = messages.find(({ envlog }) => envlog.device.serial === device.serial)
          await assertOwn(action, output, device, msg ?? assert.fail())
        }
      })
    }
  }

  it("of current as raw is the service's own, about no device, from one request", async () => {
    simulator().set({ variants: odd })
    const { messages, requests } = await run('current', 'raw', [], { select: 'all' })
    assert.equal(requests.length, 1)
    assert.deepEqual(
      messages.map(({ payload }) => payload),
      [JSON.parse(await request('current', {}))],
    )
    assert.equal('device' in (messages[0]?.envlog ?? assert.fail()), false)
  })

  it('of range as raw contains the newest records of the period, at most those of one request', async () => {
    for (const [number, expected] of [
      ['', MAX_NUMBER],
      ['7', 7],
      ['200000', MAX_NUMBER],
    ] as const) {
      simulator().reset()
      const { named, messages } = await run('range', 'raw', [fridge], { number })
      assert.deepEqual(named, [
        { endpoint: 'data', 'remote-serial': fridge.serial, ...SPAN, number: expected, type: 'json' },
      ])
      const { records } = simulator().truth
      const held = records(fridge.serial, fridge.base, Date.parse(A_DAY.from), Date.parse(A_DAY.to) - 1)
      assert.equal(messages[0]?.payload.data.length, Math.min(expected, held.length))
      assert.deepEqual(messages[0]?.envlog.range, {
        from: new Date(A_DAY.from).toISOString(),
        to: new Date(A_DAY.to).toISOString(),
      })
    }
  })

  it('of latest as csv2 uses csv for standalone devices, which already has header rows', async () => {
    const { flow, named, messages } = await run('latest', 'csv2', [freezer, rackA])
    assert.deepEqual(flow.errors.messages, [])
    const types = new Map(named.map((one) => [one.endpoint, 'type' in one ? one.type : undefined]))
    assert.deepEqual([types.get('latest-data'), types.get('latest-data-relay')], ['csv', 'csv2'])
    assert.equal(messages.length, 2)
  })

  it('that is not CSV fails with ENVLOG_REPLY for that device, and the others continue', async () => {
    simulator().set({ variants: { unknownSerialCsv2: 'array' } })
    const unknown = { serial: 'NOSUCH01', base: rackA.base }
    const { flow, messages } = await run('range', 'csv2', [unknown, rackA])
    assert.deepEqual(
      flow.errors.messages.map(({ error, envlog }) => [error.code, envlog.device.serial]),
      [['ENVLOG_REPLY', unknown.serial]],
    )
    assert.equal(messages.length, 1)
  })
})
