import assert from 'node:assert/strict'
import { manualClock } from '../../../simulator'
import { fridge, rackA, truck } from '../../support/devices'
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

  it('are in the zone for current readings, records, rows and alerts, each with the offset at its own time', async () => {
    for (const [action, node] of [
      ['current', list(fridge)],
      ['latest', list(fridge)],
      ['latest', { ...list(rackA), output: 'rows' }],
      ['alerts', list(fridge)],
    ] as const) {
      const flow = await startFlow(action, simulator(), { account, node })
      flow.send()
      const { payload } = await flow.output.next()
      const timed = Array.isArray(payload) ? payload : payload.records
      assert.ok(timed.length > 0)
      for (const { time, timestamp } of timed) assert.equal(time, inBerlin(timestamp))
    }
  })
})

describe('temperatures with a temperature unit', () => {
  const simulator = useSimulator(() => ({ clock: manualClock(NOW) }))

  /** The payload of a device that measures in °F. */
  async function payloadOf(action: 'current' | 'latest', output: string) {
    const node = { select: 'list', devices: [truck], output, send: 'all' }
    const flow = await startFlow(action, simulator(), { account: { temperatureUnit: 'C' }, node })
    flow.send()
    return (await flow.output.next()).payload
  }

  it('have it in rows, and stay unchanged in raw responses', async () => {
    const [row] = await payloadOf('current', 'rows')
    const isTruck = ({ serial, base }: { serial: string; base: string }) =>
      serial === truck.serial && base === truck.base
    const fahrenheit = Number(simulator().truth.current().find(isTruck)?.values[1])
    assert.deepEqual([row.value, row.unit], [Math.round(((fahrenheit - 32) / 1.8) * 100) / 100, '°C'])
    assert.equal((await payloadOf('latest', 'raw')).channel[0].unit, 'F')
  })
})
