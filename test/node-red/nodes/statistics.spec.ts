import assert from 'node:assert/strict'
import { manualClock } from '../../../simulator'
import { A_DAY, fridge, NOW, oldRelay, rackA } from '../../support/devices'
import { startFlow, useSimulator } from '../../support/flow'
import type { Message } from '../../support/flow-types'
import { STATISTICS_COLUMNS } from '../../support/outputs'

describe('statistics of a period', () => {
  const simulator = useSimulator(() => ({ clock: manualClock(NOW) }))
  const list = (...devices: object[]) => ({ select: 'list', devices, output: 'statistics', ...A_DAY })

  it('are one message per device, with a row for each channel', async () => {
    const flow = await startFlow('range', simulator(), { node: list(fridge, rackA) })
    flow.send({ keep: 'me' })
    await flow.completed.next()
    assert.equal(flow.output.messages.length, 2)
    for (const [index, { serial, base }] of [fridge, rackA].entries()) {
      const { payload, topic, columns, keep, envlog } = flow.output.messages[index] ?? {}
      const values = simulator()
        .truth.records(serial, base, Date.parse(A_DAY.from), Date.parse(A_DAY.to) - 1)
        .flatMap(({ values: { 1: value } }) => (typeof value === 'number' ? value : []))
      const [{ count, min, max }, second] = payload
      assert.deepEqual([count, min, max], [values.length, Math.min(...values), Math.max(...values)])
      assert.equal(second.channel, 2)
      assert.deepEqual([topic, columns, keep], [`envlog/${base}/${serial}`, STATISTICS_COLUMNS, 'me'])
      assert.deepEqual(envlog.range, { from: '2026-01-14T12:00:00.000Z', to: '2026-01-15T12:00:00.000Z' })
    }
  })

  it('are one message for all devices, without a failing one, which is reported', async () => {
    const node = { ...list(fridge, oldRelay, rackA), send: 'all', topic: '' }
    const flow = await startFlow('range', simulator(), { node })
    flow.send({ topic: 'mine' })
    await flow.completed.next()
    const [message, ...others] = flow.output.messages
    assert.deepEqual(others, [])
    assert.deepEqual(
      message?.payload.map(({ serial, channel }: Message) => [serial, channel]),
      [fridge, rackA].flatMap(({ serial }) => [
        [serial, 1],
        [serial, 2],
      ]),
    )
    assert.deepEqual([message?.topic, message?.envlog.device], ['mine', undefined])
    assert.deepEqual(
      flow.errors.messages.map(({ error }) => [error.code, error.cause.serial]),
      [['ENVLOG_SERVICE', oldRelay.serial]],
    )
  })

  it('are one message per row, as a sequence with the topic of its channel', async () => {
    const node = { ...list(rackA), send: 'each', per: 'hour' }
    const flow = await startFlow('range', simulator(), { node, account: { timeZone: 'Europe/Berlin' } })
    flow.send()
    await flow.completed.next()
    const sent = flow.output.messages
    assert.equal(sent.length, 2 * 24)
    const { topic, parts, payload } = sent[1] as Message
    assert.equal(topic, `envlog/${rackA.base}/${rackA.serial}/2`)
    assert.deepEqual([parts.index, parts.count, payload.localtime], [1, 48, '2026-01-14T13:00:00.000+01:00'])
  })

  it('are not sent if the service fails in between and all devices share one message', async () => {
    const flow = await startFlow('range', simulator(), { node: { ...list(fridge, rackA), send: 'all' } })
    simulator().set({ faults: [{ kind: 'status', status: 401, endpoints: ['data-relay'] }] })
    flow.send()
    const { error } = await flow.errors.next()
    assert.equal(error.code, 'ENVLOG_AUTH')
    assert.deepEqual(flow.output.messages, [])
  })
})
