import assert from 'node:assert/strict'
import helper from 'node-red-node-test-helper'
import { manualClock } from '../../../simulator'
import { OFFERED } from '../../../src/shared/outputs'
import { A_DAY, fridge, NOW, rackA } from '../../support/devices'
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

  /** The request for the data of a device. *Latest* responses in CSV of standalone devices already have header rows. */
  function requestFor(action: ActionName, output: Form, { serial, base }: (typeof devices)[number]) {
    const isRemote = base !== serial
    const both = { 'remote-serial': serial, 'base-serial': base }
    const own = isRemote ? both : { 'remote-serial': serial }
    const type = forms[output]
    if (action === 'alerts') return { endpoint: 'alert', ...both }
    if (action === 'range')
      return { endpoint: isRemote ? 'data-relay' : 'data', ...own, ...SPAN, number: MAX_NUMBER, type }
    if (isRemote) return { endpoint: 'latest-data-relay', ...own, type }
    return { endpoint: 'latest-data', ...own, type: output === 'raw' ? 'json' : 'csv' }
  }

  /** @param isListed whether the account's list is known, which has the names that CSV lacks */
  async function run(
    action: ActionName,
    output: Form,
    devices: readonly object[],
    node: Message = {},
    isListed = false,
  ) {
    const flow = await startFlow(action, simulator(), {
      node: { select: 'list', devices, ...A_DAY, output, ...node },
      flow: [{ id: 'list', type: 'envlog-current', account: 'account', z: 'tab' }],
      watched: ['list'],
    })
    if (isListed) {
      helper.getNode('list').receive({})
      await flow.completed.next()
    }
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

  for (const action of ['latest', 'range', 'alerts'] as const) {
    for (const output of Object.keys(forms).filter((one) => one in OFFERED[`envlog-${action}`]) as Form[]) {
      it(`of ${action} as ${output} is from one request per device, about that device`, async () => {
        const { flow, messages, named } = await run(action, output, devices, {}, true)
        assert.deepEqual(flow.errors.messages, [])
        const expected = devices.map((device) => requestFor(action, output, device))
        assert.deepEqual(named, expected)
        assert.equal(messages.length, 2)
        for (const [index, { payload, envlog, ...others }] of messages.entries()) {
          assert.equal(typeof payload, output === 'raw' ? 'object' : 'string')
          const { serial, base } = devices[index] ?? assert.fail()
          const truth = simulator().truth.devices()
          const { name } = truth.find((one) => one.serial === serial && one.base === base) ?? {}
          assert.deepEqual(
            [envlog.endpoint, envlog.device],
            [expected[index]?.endpoint, { serial, base, name }],
          )
          assert.equal('parts' in others || 'columns' in others, false)
        }
      })
    }
  }

  it('of current as raw is about no device, from one request', async () => {
    const { messages, requests } = await run('current', 'raw', [], { select: 'all' })
    assert.equal(requests.length, 1)
    const [{ payload, envlog }] = messages as [Message]
    assert.equal(payload.devices.length, simulator().truth.devices().length)
    assert.equal('device' in envlog, false)
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
