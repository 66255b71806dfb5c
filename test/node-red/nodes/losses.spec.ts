import assert from 'node:assert/strict'
import type { EventEmitter } from 'node:events'
import helper from 'node-red-node-test-helper'
import { type DeviceDefinition, manualClock } from '../../../simulator'
import { startFlow, useSimulator } from '../../support/flow'

const HOUR = 3_600_000
/** Two in the morning in Tokyo. */
const NOW = Date.UTC(2026, 10, 20, 17)
/** It records every minute, and the service keeps 1,500 of its records: 25 hours. */
const unit: DeviceDefinition = {
  serial: '52C10001',
  name: 'Freezer',
  base: { serial: '5F0A1001', zone: { timeDiff: 540 } },
  channels: [{ num: 1, unit: 'C' }],
  records: { interval: 60 },
}

describe('records that the service no longer has', () => {
  const simulator = useSimulator(() => ({ clock: manualClock(NOW), limits: 'off', fleet: [unit] }))

  async function start(action: 'range' | 'latest', settings: object) {
    const flow = await startFlow(action, simulator(), { node: { time: 'local', ...settings } })
    const warnings: string[] = []
    const node = helper.getNode('node') as unknown as EventEmitter
    node.on('call:warn', ({ args }: { args: unknown[] }) => warnings.push(String(args[0])))
    return { ...flow, warnings, text: () => String(flow.shown().at(-1)?.text) }
  }

  for (const output of ['readings', 'statistics'] as const) {
    it(`are reported if yesterday is requested too late: ${output}`, async () => {
      const yesterday = { from: '2026-11-20', fromType: 'date', to: '2026-11-21', toType: 'date' }
      const flow = await start('range', { output, ...yesterday })
      flow.send()
      const { envlog } = await flow.output.next()
      await flow.completed.next()
      assert.equal(envlog.overflow, true)
      assert.deepEqual(flow.warnings, ['failure.devicewarnings.records-lost-between'])
      assert.match(flow.text(), /status\.losses/)
      simulator().clock.advance(-90 * 60_000)
      flow.send()
      assert.equal((await flow.output.next()).envlog.overflow, undefined)
      await flow.completed.next()
      assert.equal(flow.warnings.length, 1)
      assert.doesNotMatch(flow.text(), /status\.losses/)
    })
  }

  it('are missed in the status if the whole period is gone', async () => {
    const flow = await start('range', {
      from: '2026-11-01',
      fromType: 'date',
      to: '2026-11-10',
      toType: 'date',
    })
    flow.send()
    await flow.completed.next()
    assert.match(flow.text(), /^status\.records .*status\.empty/)
    assert.equal(flow.shown().at(-1)?.fill, 'yellow')
  })

  it('are reported when a database that was down for three days returns receipts again', async () => {
    const flow = await start('latest', { onlyNew: true, backfill: true, advance: 'acknowledged' })
    const stored = async () => {
      const { envlog } = await flow.output.next()
      flow.send({ envlog })
      await flow.completed.next()
      return envlog.overflow
    }
    flow.send()
    await flow.completed.next()
    simulator().clock.advance(72 * HOUR)
    flow.send()
    await flow.completed.next()
    assert.equal(flow.output.messages.length, 1, 'nothing is requested before the receipt')
    assert.equal(await stored(), undefined)
    flow.send()
    await stored()
    await stored()
    await flow.completed.next()
    assert.deepEqual(flow.warnings, ['failure.devicewarnings.records-lost-between'])
    assert.match(flow.text(), /status\.losses/)
    // The request that found no more records has no message, so the next one says so.
    simulator().clock.advance(60_000)
    flow.send()
    assert.equal(await stored(), true)
  })
})
