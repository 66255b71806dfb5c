import assert from 'node:assert/strict'
import { manualClock } from '../../../simulator'
import { NOW } from '../../support/devices'
import { startFlow, useSimulator } from '../../support/flow'
import { BASE, currentDevice } from '../../unit/lib/responses'

/** Devices whose entry in `current` is unreadable. */
describe('a choice with unreadable devices', () => {
  const simulator = useSimulator(() => ({ clock: manualClock(NOW), limits: 'off' }))
  const under = (serial: string, base: string, group: string, fields: object = {}) =>
    currentDevice({ serial, baseunit: { ...BASE, serial: base }, group: { num: 1, name: group }, ...fields })
  const odd = { unixtime: 'never' }
  const devices = [
    under('5C000001', '5F000001', 'Racks'),
    under('5C000002', '5F000002', 'Cold', odd),
    under('5C000003', '5F000003', 'Elsewhere', odd),
  ]
  const start = (choice: object) => {
    const body = JSON.stringify({ devices })
    simulator().set({ faults: [{ kind: 'body', body, endpoints: ['current'] }] })
    return startFlow('current', simulator(), { node: { ...choice, send: 'device' } })
  }

  const choices = {
    'a chosen group': { select: 'group', groups: ['Cold', 'Racks'] },
    'a chosen base unit': { select: 'base', bases: ['5F000002', '5F000001'] },
    'the chosen devices': {
      select: 'list',
      devices: [{ serial: '5C000002', base: '5F000002' }],
      bases: ['5F000001'],
    },
  }
  for (const [where, choice] of Object.entries(choices)) {
    it(`reports one of ${where} for each message, and neither missing devices nor others`, async () => {
      const flow = await start(choice)
      for (const _ of [1, 2]) {
        flow.send()
        await flow.completed.next()
      }
      const [sent, errors] = [flow.output.messages, flow.errors.messages]
      assert.deepEqual(
        sent.map(({ payload }) => payload.serial),
        ['5C000001', '5C000001'],
      )
      assert.deepEqual(
        errors.map(({ error, envlog }) => [envlog.device.serial, error.code]),
        [
          ['5C000002', 'ENVLOG_REPLY'],
          ['5C000002', 'ENVLOG_REPLY'],
        ],
      )
    })
  }

  it('fails if nothing else is chosen', async () => {
    const flow = await start({ select: 'group', groups: ['Cold'] })
    flow.send()
    const { error, envlog } = await flow.errors.next()
    assert.deepEqual([error.code, envlog], ['ENVLOG_REPLY', undefined])
    assert.deepEqual(flow.output.messages, [])
  })
})
