import assert from 'node:assert/strict'
import { manualClock } from '../../../simulator'
import { fridge, rackA } from '../../support/devices'
import { startFlow, useSimulator } from '../../support/flow'

/** An hour after the end of summer time in Berlin. */
const NOW = Date.UTC(2026, 9, 25, 2)
const HOUR = 3_600_000

const inBerlin = (instant: number) => {
  const offset = instant < Date.UTC(2026, 9, 25, 1) ? 2 : 1
  return new Date(instant + offset * HOUR).toISOString().replace('Z', `+0${offset}:00`)
}

describe('local times with a time zone', () => {
  const simulator = useSimulator(() => ({ clock: manualClock(NOW) }))
  const account = { timeZone: 'Europe/Berlin' }
  const list = (...devices: object[]) => ({ select: 'list', devices, time: 'local' })

  it('are in the zone for current readings', async () => {
    const flow = await startFlow('current', simulator(), { account, node: list(fridge) })
    flow.send()
    const { payload } = await flow.output.next()
    const [{ time, timestamp, utcOffset }] = payload
    assert.deepEqual([time, utcOffset], [inBerlin(timestamp), 60])
  })

  it('are in the zone for records, each with the offset at its own time', async () => {
    const flow = await startFlow('latest', simulator(), { account, node: list(fridge) })
    flow.send()
    const { payload } = await flow.output.next()
    assert.equal(payload.utcOffset, 60)
    for (const { time, timestamp } of payload.records) assert.equal(time, inBerlin(timestamp))
    assert.match(payload.records[0].time, /\+02:00$/)
  })

  for (const send of ['each', 'chunk'] as const) {
    it(`are in the zone if ${send} message has its own offset`, async () => {
      const node = { ...list(fridge), send, chunk: 1, from: '2026-10-25T02:59+02:00', fromType: 'date' }
      const period = { to: '2026-10-25T02:01+01:00', toType: 'date' }
      const flow = await startFlow('range', simulator(), { account, node: { ...node, ...period } })
      flow.send()
      await flow.completed.next()
      assert.deepEqual(
        flow.output.messages.map(({ payload }) => payload.utcOffset),
        [120, 60],
      )
    })
  }

  it('are in the zone for rows and alerts', async () => {
    const rows = await startFlow('latest', simulator(), { account, node: { ...list(rackA), output: 'rows' } })
    rows.send()
    for (const { time, timestamp } of (await rows.output.next()).payload)
      assert.equal(time, inBerlin(timestamp))
    const alerts = await startFlow('alerts', simulator(), { account, node: list(fridge) })
    alerts.send()
    const { payload } = await alerts.output.next()
    assert.ok(payload.length > 0)
    for (const { time, timestamp, utcOffset } of payload) {
      assert.equal(time, inBerlin(timestamp))
      assert.match(time, utcOffset === 120 ? /\+02:00$/ : /\+01:00$/)
    }
  })

  it('are in the zone for the bounds of a period: a day of 25 hours', async () => {
    const period = { from: '2026-10-25', fromType: 'date', to: '2026-10-26', toType: 'date' }
    const flow = await startFlow('range', simulator(), { account, node: { ...list(fridge), ...period } })
    flow.send()
    const { envlog } = await flow.output.next()
    assert.deepEqual(envlog.range, { from: '2026-10-24T22:00:00.000Z', to: '2026-10-25T23:00:00.000Z' })
  })

  it('are in the zone for a calendar period, which a message may name', async () => {
    const node = { ...list(fridge), from: 'when', fromType: 'msg' }
    const flow = await startFlow('range', simulator(), { account, node })
    flow.send({ when: 'yesterday' })
    const { envlog } = await flow.output.next()
    const shown = new Intl.DateTimeFormat('sv', {
      timeZone: 'Europe/Berlin',
      dateStyle: 'short',
      timeStyle: 'medium',
    })
    const dateOf = (instant: number | string) => shown.format(new Date(instant)).slice(0, 10)
    assert.match(shown.format(new Date(envlog.range.from)), / 00:00:00$/)
    assert.equal(shown.format(new Date(envlog.range.to)), `${dateOf(Date.now())} 00:00:00`)
    assert.equal(dateOf(Date.parse(envlog.range.to) - 1), dateOf(envlog.range.from))
  })

  it('change neither times in UTC nor the offset of the device', async () => {
    const flow = await startFlow('current', simulator(), { account, node: { ...list(fridge), time: 'utc' } })
    flow.send()
    const { payload } = await flow.output.next()
    assert.equal(payload[0].time, new Date(payload[0].timestamp).toISOString())
    assert.equal(payload[0].utcOffset, 540)
  })

  it('in an unknown zone are ENVLOG_CONFIG', async () => {
    const flow = await startFlow('current', simulator(), { account: { timeZone: 'Europe/Berlim' } })
    flow.send()
    const { error } = await flow.errors.next()
    assert.equal(error.code, 'ENVLOG_CONFIG')
  })
})
