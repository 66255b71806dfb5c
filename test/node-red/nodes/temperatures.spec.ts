import assert from 'node:assert/strict'
import { manualClock } from '../../../simulator'
import { NOW, truck } from '../../support/devices'
import { startFlow, useSimulator } from '../../support/flow'

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
