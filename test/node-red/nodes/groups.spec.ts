import assert from 'node:assert/strict'
import helper from 'node-red-node-test-helper'
import { manualClock } from '../../../simulator'
import { A_DAY, freezer, NOW, rackA } from '../../support/devices'
import { startFlow, useSimulator } from '../../support/flow'

describe('the groups of devices', () => {
  const simulator = useSimulator(() => ({ clock: manualClock(NOW), limits: 'off' }))

  it('are the same in current readings and in records, even in missing ones', async () => {
    const place = { z: 'tab', account: 'account', wires: [['output']] }
    const devices = [{ ...freezer, base: freezer.serial }, rackA]
    const chosen = { select: 'list', devices, ...A_DAY, from: '2026-01-15T11:00:00Z', start: A_DAY.from }
    const others = ['latest', 'range']
    const flow = await startFlow('current', simulator(), {
      node: { send: 'device' },
      flow: others.map((action) => ({ id: action, type: `envlog-${action}`, ...place, ...chosen })),
      watched: others,
    })
    // After a start, the list of all devices is not known.
    for (const id of [...others, 'node']) {
      helper.getNode(id).receive({})
      await flow.completed.next()
    }
    const sent = flow.output.messages
    assert.ok(sent.some(({ envlog }) => envlog.backfill))
    const groups: Record<string, object | null> = {
      [freezer.serial]: { number: 1, name: 'Cold store' },
      [rackA.serial]: null,
    }
    const found = sent.flatMap(({ payload }) => (payload.serial in groups ? payload : []))
    assert.ok(found.length > 4)
    for (const { serial, group } of found) assert.deepEqual(group, groups[serial])
    assert.equal(simulator().log.filter(({ endpoint }) => endpoint === 'current').length, 2)
  })
})
