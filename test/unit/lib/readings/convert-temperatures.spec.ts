import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Content } from '../../../../src/lib/readings/content'
import { convertTemperatures } from '../../../../src/lib/readings/convert-temperatures'
import { readCurrent } from '../../../../src/lib/readings/current'
import {
  alertResponse,
  currentDevice,
  currentEnvelope,
  type Json,
  readAlerts,
  readSeries,
  relayGraph,
} from '../responses'

const measured = (unit: string, value: unknown) => ({ num: 1, name: 'a', unit, value })
const current = (...channel: Json[]): Content => {
  const options = { receivedAt: 0, time: 'utc', series1Models: [], staleAfter: null } as const
  const readings = readCurrent(currentEnvelope(currentDevice({ channel })), options)
  return { kind: 'current', readings }
}

async function converted(unit: string, value: unknown, to: 'C' | 'F') {
  const content = await convertTemperatures(current(measured(unit, value)), to)
  const channel = content.kind === 'current' ? content.readings[0]?.channels[0] : undefined
  return [channel?.value, channel?.unit, channel?.error]
}

const channels = [
  { num: '1', name: 'Inside', unit: 'F' },
  { num: '2', name: 'Damp', unit: '%' },
  { num: '3', name: 'Outside', unit: 'C' },
]
const data = [
  { unixtime: 10, 'data-id': 1, ch1: -0.4, ch2: 41, ch3: 21.4 },
  { unixtime: 20, 'data-id': 2, ch1: 'E1', ch2: 41, ch3: 21.5 },
]
const series = (): Content => ({
  kind: 'series',
  series: readSeries(relayGraph({ channel: channels, data }), 'utc'),
})

describe('temperatures in one unit', () => {
  for (const [value, fahrenheit] of [
    [21.4, 70.52],
    [-18.4, -1.12],
    [0, 32],
    [-40, -40],
    [-17.78, 0],
  ] as const) {
    it(`are ${fahrenheit} °F for ${value} °C`, async () => {
      assert.deepEqual(await converted('℃', String(value), 'F'), [fahrenheit, '°F', null])
    })
    it(`are ${value} °C for ${fahrenheit} °F`, async () => {
      assert.deepEqual(await converted('F', String(fahrenheit), 'C'), [value, '°C', null])
    })
  }

  it('have at most two decimals, and differ by less than that from the true value', async () => {
    const values = fc.double({ min: -400, max: 4000, noNaN: true })
    await fc.assert(
      fc.asyncProperty(values, async (value) => {
        const [found] = await converted('C', value, 'F')
        assert.match(String(found), /^-?\d+(?:\.\d\d?)?$/)
        assert.ok(Math.abs(Number(found) - (value * 1.8 + 32)) <= 0.005_001)
      }),
    )
  })

  it('leave values that already have the unit, other quantities and errors unchanged', async () => {
    assert.deepEqual(await converted('°C', '21.456', 'C'), [21.456, '°C', null])
    assert.deepEqual(await converted('%', '41.5', 'F'), [41.5, '%', null])
    assert.deepEqual(await converted('C', 'Sensor Error', 'F'), [null, '°F', 'Sensor Error'])
  })

  it('are converted in each record and its channel, and nothing else is', async () => {
    const before = series()
    const content = await convertTemperatures(before, 'C')
    assert.ok(content.kind === 'series' && before.kind === 'series')
    assert.deepEqual(
      content.series.channels.map(({ unit, quantity }) => [unit, quantity]),
      [
        ['°C', 'temperature'],
        ['%', 'humidity'],
        ['°C', 'temperature'],
      ],
    )
    assert.deepEqual(
      content.series.records.map(({ ch1, ch2, ch3, errors }) => [ch1, ch2, ch3, errors]),
      [
        [-18, 41, 21.4, undefined],
        [null, 41, 21.5, { ch1: 'E1' }],
      ],
    )
    assert.deepEqual(before, series(), 'records that wait for a receipt are sent again')
  })

  it('do not change alerts and raw responses', async () => {
    const response = alertResponse({
      'alert-logs': [{ unixtime: 10, ch1: 'Inside: upper limit exceeded, 21.4 C' }],
    })
    const alerts: Content = { kind: 'alerts', ...readAlerts(response, 'utc') }
    const raw: Content = { kind: 'raw', payload: { unit: 'C' } }
    for (const content of [alerts, raw])
      assert.deepEqual(await convertTemperatures(structuredClone(content), 'F'), content)
  })
})
