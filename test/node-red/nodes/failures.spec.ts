import assert from 'node:assert/strict'
import { manualClock } from '../../../simulator'
import { freezer, fridge, NOW, oldRelay, rackA } from '../../support/devices'
import { startFlow, useSimulator } from '../../support/flow'
import type { Message } from '../../support/flow-types'

describe('failures of the actions', () => {
  const simulator = useSimulator(() => ({ clock: manualClock(NOW) }))
  const list = (...devices: object[]) => ({ select: 'list', devices })
  const code = ({ error }: Message) => error.code

  describe('without usable settings', () => {
    const settings: Record<string, { node?: Message; account?: Message; credentials?: Message }> = {
      'no account': { node: { account: '' } },
      'an account that is another node': { node: { account: 'catch' } },
      'a setting of the node': { node: { repeat: -1 } },
      'an output that is not offered': { node: { output: 'rows', send: 'chunk' } },
      'no API key': { credentials: { apiKey: '' } },
      'a TLS node that does not exist': { account: { tls: 'gone' } },
      'a context store that does not exist': { account: { store: 'nowhere' } },
    }
    for (const [name, setup] of Object.entries(settings)) {
      it(`are a grey status, and an error with ENVLOG_CONFIG for each message: ${name}`, async () => {
        const flow = await startFlow('latest', simulator(), setup)
        const { fill, shape, text } = flow.shown().at(-1) ?? {}
        assert.deepEqual([fill, shape], ['grey', 'ring'])
        assert.match(String(text), /^status\.(?:unconfigured|no-account|missing-apiKey)$/)
        for (const id of [1, 2]) {
          flow.send({ id })
          const msg = await flow.errors.next()
          assert.equal(code(msg), 'ENVLOG_CONFIG')
          assert.equal(msg.id, id)
        }
        assert.equal(simulator().log.length, 0)
      })
    }
  })

  it('include a refused device even if the account fails after it', async () => {
    simulator().set({ faults: [{ kind: 'status', status: 401, serials: [freezer.serial] }] })
    const node = list(oldRelay, freezer)
    const flow = await startFlow('latest', simulator(), { node, account: { concurrency: 1 } })
    flow.send()
    const [device, account] = [await flow.errors.next(), await flow.errors.next()]
    assert.deepEqual([device, account].map(code), ['ENVLOG_SERVICE', 'ENVLOG_AUTH'])
    assert.deepEqual(
      [device.error.cause.serial, device.error.cause.status, account.error.cause.status],
      [oldRelay.serial, 400, 401],
    )
  })

  it('end the trigger with the last one, once, if no device succeeded', async () => {
    simulator().set({ faults: [{ kind: 'brokenJson', endpoints: ['latest-data'] }] })
    const flow = await startFlow('latest', simulator(), {
      node: list(freezer, fridge),
      account: { concurrency: 1 },
    })
    flow.send({ keep: 'me' })
    const [first, last] = [await flow.errors.next(), await flow.errors.next()]
    assert.equal(first.envlog.device.serial, freezer.serial)
    assert.equal(last.envlog, undefined, "the trigger's own failure")
    assert.equal(last.error.cause.serial, fridge.serial)
    assert.match(last.error.message, /^failure\.device/, 'its text begins with the device')
    assert.equal(flow.completed.messages.length, 0)
  })

  it('of a refused device are reported for each message without another request, until a deploy or forget', async () => {
    const flow = await startFlow('latest', simulator(), { node: list(oldRelay) })
    const requestCount = () => simulator().log.filter(({ endpoint }) => endpoint !== 'current').length
    for (const note of ['first', 'no device is left']) {
      flow.send({ note })
      const { error, envlog } = await flow.errors.next()
      assert.match(error.cause.retryAt, /^\d{4}-/)
      assert.deepEqual([error.cause.serial, envlog.device.serial], [oldRelay.serial, oldRelay.serial])
      assert.equal((await flow.completed.next()).note, note)
      assert.equal(requestCount(), 1)
      assert.match(String(flow.shown().at(-1)?.text), /refused/)
    }
    flow.send({ envlog: { forget: [oldRelay.serial] } })
    await flow.completed.next()
    flow.send()
    await flow.completed.next()
    assert.equal(requestCount(), 2)
  })

  it('of all devices, three or more, are a failure of the account beside each of them, and none is skipped', async () => {
    simulator().set({
      faults: [{ kind: 'status', status: 400, endpoints: ['latest-data', 'latest-data-relay'] }],
    })
    const flow = await startFlow('latest', simulator(), { node: list(freezer, fridge, rackA) })
    flow.send()
    const errors = []
    for (let count = 0; count < 4; count++) errors.push((await flow.errors.next()).error)
    assert.deepEqual(
      errors.map(({ cause }) => cause.serial),
      [freezer.serial, fridge.serial, rackA.serial, undefined],
    )
    assert.ok(errors.every(({ code, cause }) => code === 'ENVLOG_SERVICE' && cause.status === 400))
    simulator().set({ faults: [] })
    flow.send()
    await flow.completed.next()
    assert.deepEqual([flow.errors.messages.length, flow.output.messages.length], [4, 3])
  })
})

describe('a message that Node-RED cannot copy', () => {
  const simulator = useSimulator(() => ({ clock: manualClock(NOW) }))
  /** Nested more deeply than the stack of calls. JSON of a few kilobytes can be. */
  function nested(): Message {
    let value = {}
    for (let level = 0; level < 20_000; level++) value = { value }
    return value
  }

  it('fails like any other, but for its properties, and ends no process', async () => {
    const flow = await startFlow('current', simulator(), {
      node: { select: 'msg', property: 'devices', propertyType: 'msg' },
    })
    flow.send({ devices: nested() })
    const { error, devices } = await flow.errors.next()
    assert.deepEqual([error.code, devices], ['ENVLOG_INPUT', undefined])
  })

  it('fails, if its results or its completion cannot have its properties', async () => {
    for (const properties of [{ kept: nested() }, { payload: nested() }]) {
      const flow = await startFlow('current', simulator())
      flow.send(properties)
      assert.match((await flow.errors.next()).error.message, /unexpected/)
    }
  })
})

describe('an account without devices', () => {
  const simulator = useSimulator(() => ({ fleet: [] }))

  for (const [action, output, sent] of [
    ['current', 'readings', [[]]],
    ['current', 'raw', [{ devices: [] }]],
    ['latest', 'readings', []],
    ['range', 'readings', []],
    ['alerts', 'readings', []],
  ] as const) {
    it(`fails each trigger of ${action} as ${output}, because its login may no longer see them`, async () => {
      const flow = await startFlow(action, simulator(), { node: { output } })
      flow.send({ id: 1 })
      const { id, error } = await flow.errors.next()
      assert.deepEqual([id, error.code], [1, 'ENVLOG_SERVICE'])
      assert.equal(flow.shown().at(-1)?.fill, 'red')
      // Flows that compare the devices with those before need the empty list.
      assert.deepEqual(
        flow.output.messages.map(({ payload }) => payload),
        sent,
      )
    })
  }
})
