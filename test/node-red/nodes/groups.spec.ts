import assert from 'node:assert/strict'
import { type DeviceDefinition, manualClock } from '../../../simulator'
import { A_DAY, freezer, NOW, rackA } from '../../support/devices'
import { runEveryPair } from '../../support/every-pair'
import { useSimulator } from '../../support/flow'
import { HOSTILE, outputs, type Pair, pairs, stored } from '../../support/outputs'

const PERIOD = { ...A_DAY, from: '2026-01-15T11:00:00Z' }
const withoutCurrent = pairs(['latest', 'range', 'alerts'])
/** Series and rows of alerts have no property for a group. */
const tellsGroup = ({ action, output }: Pair) =>
  output === 'points' || output === 'values' || (output === 'rows' && action !== 'alerts')

describe('the name of a device', () => {
  const simulator = useSimulator(() => ({ clock: manualClock(NOW), limits: 'off' }))

  it('is the same in msg.envlog with every output, and valid for databases', async () => {
    const base = { serial: '5F000001', name: 'Hall' }
    for (const name of ['', HOSTILE[0], HOSTILE[3], 'half \ud83e a pair']) {
      const device: DeviceDefinition = {
        serial: '52000001',
        base,
        name,
        records: [{ unixtime: NOW / 1000 - 60, values: { 1: 1 } }],
        alerts: [{ unixtime: NOW / 1000 - 60, texts: { ch1: 'text' } }],
      }
      simulator().set({ fleet: [device] })
      const wanted = pairs().filter(({ send }) => send === 'device' || send === 'answer' || send === 'value')
      for (const { messages, ...pair } of await runEveryPair(simulator(), () => PERIOD, wanted)) {
        assert.equal(messages.length, 1, JSON.stringify(pair))
        if (pair.action === 'current' && pair.send === 'answer') continue
        const { device: sent } = messages[0]?.envlog ?? {}
        const expected = { serial: device.serial, name: stored(name), base: base.serial }
        assert.deepEqual(sent, expected, JSON.stringify(pair))
      }
    }
  })
})

describe('the names of groups', () => {
  const simulator = useSimulator(() => ({ clock: manualClock(NOW), limits: 'off' }))
  /** Everything that a request needs is set, so the list of devices is requested for nothing else. */
  const node = {
    select: 'list',
    devices: [{ ...freezer, base: freezer.serial }, rackA],
    ...PERIOD,
  }

  for (const pair of outputs(['latest', 'range', 'alerts']).filter(({ send }) => send !== 'answer')) {
    const { action, output, send } = pair
    const needed = tellsGroup(pair)
    const title = needed ? 'are requested once' : 'are not requested'
    it(`${title}: ${action} as ${output} by ${send}`, async () => {
      for (const topic of [undefined, '{serial}', '{group}/{serial}']) {
        simulator().reset()
        await runEveryPair(simulator(), () => ({ ...node, topic }), [pair])
        const requests = simulator().log.filter(({ endpoint }) => endpoint === 'current').length
        assert.equal(requests, needed || topic === '{group}/{serial}' ? 1 : 0, topic)
      }
    })

    it(`${needed ? 'fail the trigger' : 'are not needed'} if no response has them: ${action} as ${output} by ${send}`, async () => {
      simulator().set({ faults: [{ kind: 'status', status: 500, endpoints: ['current'] }] })
      const [ran] = await runEveryPair(simulator(), () => node, [pair])
      assert.equal(ran?.failed?.error.code, needed ? 'ENVLOG_SERVICE' : undefined)
      assert.equal(ran?.messages.length === 0, needed)
      assert.deepEqual(ran?.errors, [])
    })
  }

  it('are requested for CSV, which contains no name, but not for raw JSON', async () => {
    for (const pair of withoutCurrent.filter(({ send }) => send === 'answer')) {
      simulator().reset()
      simulator().set({ variants: { csv2OnLatestData: true } })
      const [ran] = await runEveryPair(simulator(), () => node, [pair])
      const requests = simulator().log.filter(({ endpoint }) => endpoint === 'current').length
      assert.deepEqual(
        [ran?.messages.length, requests],
        [2, pair.output === 'raw' ? 0 : 1],
        JSON.stringify(pair),
      )
    }
  })

  it('come with current readings, which need no other request', async () => {
    for (const pair of pairs(['current'])) {
      simulator().reset()
      await runEveryPair(simulator(), () => ({ ...node, topic: '{group}' }), [pair])
      assert.equal(simulator().log.length, 1, pair.output)
    }
  })
})
