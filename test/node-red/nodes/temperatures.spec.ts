import assert from 'node:assert/strict'
import { manualClock } from '../../../simulator'
import { fridge, NOW, truck } from '../../support/devices'
import { startFlow, useSimulator } from '../../support/flow'

describe('temperatures with a temperature unit', () => {
  const simulator = useSimulator(() => ({ clock: manualClock(NOW) }))
  const account = { temperatureUnit: 'C' }
  const node = { select: 'list', devices: [fridge, truck] }
  const toCelsius = (fahrenheit: number) => Math.round(((fahrenheit - 32) / 1.8) * 100) / 100

  it('have it in current readings of all devices, and those that already have it stay unchanged', async () => {
    const flow = await startFlow('current', simulator(), { account, node })
    flow.send()
    const { payload } = await flow.output.next()
    const truth = simulator().truth.current()
    const [cold, inTruck] = [fridge, truck].map(({ serial, base }) => {
      const isIt = (one: { serial: string; base: string }) => one.serial === serial && one.base === base
      return Number(truth.find(isIt)?.values[1])
    })
    const found = payload.map(({ channels: [first] }: { channels: { value: number; unit: string }[] }) => [
      first?.value,
      first?.unit,
    ])
    assert.deepEqual(found, [
      [cold, '°C'],
      [toCelsius(inTruck ?? 0), '°C'],
    ])
  })

  for (const output of ['rows', 'values', 'points', 'readings'] as const) {
    it(`have it in ${output} of records`, async () => {
      const how = { select: 'list', devices: [truck], output, send: output === 'values' ? 'value' : 'device' }
      const flow = await startFlow('latest', simulator(), { account, node: how })
      flow.send()
      const { payload, envlog } = await flow.output.next()
      const first = simulator().truth.records(truck.serial, truck.base).at(-300)
      const found = {
        rows: () => payload[0],
        values: () => envlog.reading,
        points: () => ({
          value: payload[0].fields.ch1,
          unit: '°C',
        }),
        readings: () => ({ value: payload.records[0].ch1, unit: payload.channels[0].unit }),
      }[output]() as { value: number; unit: string }
      assert.deepEqual([found.value, found.unit], [toCelsius(Number(first?.values[1])), '°C'])
    })
  }

  it('stay unchanged in raw responses', async () => {
    const how = { select: 'list', devices: [truck], output: 'raw' }
    const flow = await startFlow('latest', simulator(), { account, node: how })
    flow.send()
    const { payload } = await flow.output.next()
    assert.equal(payload.channel[0].unit, 'F')
  })
})
