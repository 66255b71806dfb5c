import assert from 'node:assert/strict'
import { manualClock, type Simulator } from '../../../simulator'
import { A_DAY, fridge, NOW, oldRelay, rackA } from '../../support/devices'
import { startFlow, useSimulator } from '../../support/flow'
import type { Message } from '../../support/flow-types'
import { STATISTICS_COLUMNS } from '../../support/outputs'

/** Count, minimum, maximum and mean of a channel in the simulator's own records. */
function truth(simulator: Simulator, { serial, base }: { serial: string; base: string }, channel: number) {
  const records = simulator.truth.records(serial, base, Date.parse(A_DAY.from), Date.parse(A_DAY.to) - 1)
  const values = records.map(({ values }) => values[channel]).filter((one) => typeof one === 'number')
  const mean = values.reduce((sum, one) => sum + one, 0) / values.length
  return [values.length, Math.min(...values), Math.max(...values), Math.round(mean * 100) / 100]
}
const figures = ({ count, min, max, mean }: Message) => [count, min, max, mean]

describe('statistics of a period', () => {
  const simulator = useSimulator(() => ({ clock: manualClock(NOW) }))
  const list = (...devices: object[]) => ({ select: 'list', devices, output: 'statistics', ...A_DAY })

  it('are one message per device, with the true figures of each channel', async () => {
    const flow = await startFlow('range', simulator(), { node: list(fridge, rackA) })
    flow.send({ keep: 'me' })
    await flow.completed.next()
    const sent = flow.output.messages
    assert.deepEqual(
      sent.map(({ payload }) => payload.map(figures)),
      [fridge, rackA].map((device) => [1, 2].map((channel) => truth(simulator(), device, channel))),
    )
    for (const [index, { serial, base }] of [fridge, rackA].entries()) {
      const { topic, columns, keep, envlog } = sent[index] ?? {}
      assert.deepEqual([topic, columns, keep], [`envlog/${base}/${serial}`, STATISTICS_COLUMNS, 'me'])
      assert.deepEqual(envlog.range, {
        from: '2026-01-14T12:00:00.000Z',
        to: '2026-01-15T12:00:00.000Z',
      })
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
    assert.deepEqual(
      sent
        .slice(0, 3)
        .map(({ topic, parts, payload }) => [topic, parts.index, parts.count, payload.localtime]),
      [
        [`envlog/${rackA.base}/${rackA.serial}/1`, 0, 48, '2026-01-14T13:00:00.000+01:00'],
        [`envlog/${rackA.base}/${rackA.serial}/2`, 1, 48, '2026-01-14T13:00:00.000+01:00'],
        [`envlog/${rackA.base}/${rackA.serial}/1`, 2, 48, '2026-01-14T14:00:00.000+01:00'],
      ],
    )
  })

  it('use local days regardless of the setting for times', async () => {
    const node = { ...list(fridge), per: 'day', from: '2026-01-14', to: '2026-01-15', time: 'utc' }
    const flow = await startFlow('range', simulator(), { node, account: { timeZone: 'Europe/Berlin' } })
    flow.send()
    const { payload } = await flow.output.next()
    assert.deepEqual(
      payload.map(({ time, localtime, channel }: Message) => [time, localtime, channel]),
      [1, 2].map((channel) => ['2026-01-13T23:00:00.000Z', '2026-01-14T00:00:00.000+01:00', channel]),
    )
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
