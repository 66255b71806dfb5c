import assert from 'node:assert/strict'
import { type DeviceDefinition, manualClock, type TrueDevice, type Variants } from '../../../simulator'
import { choices } from '../../../simulator/variants'
import { NOW } from '../../support/devices'
import { type PairRun, runEveryPair } from '../../support/every-pair'
import { useSimulator } from '../../support/flow'
import { pairs } from '../../support/outputs'
import { alertOfRow, expectedAlerts, expectedValues, servedDevices, valueOfRow } from '../../support/truth'

const NOW_S = NOW / 1000
const alert = (back: number, texts: Record<string, string>) => ({ unixtime: NOW_S - back, texts })
const at = (back: number, ...measured: (number | string | null)[]) => ({
  unixtime: NOW_S - back,
  values: Object.fromEntries(measured.map((value, index) => [index + 1, value])),
})
/** In the office, it is summer time. */
const office = { serial: '5F0A1001', name: 'Office', zone: { timeDiff: 540, dst: true, dstBias: 60 } }
const FLEET: readonly DeviceDefinition[] = [
  {
    serial: '52A10001',
    name: 'Freezer\n1',
    zone: { timeDiff: -210, stdBias: -30 },
    channels: [
      { num: 1, name: 'Inside', unit: 'C' },
      { num: 2, unit: '%' },
      { num: 3, name: '__proto__', unit: '°F' },
    ],
    // Without a time, twice, with errors, before the period, and by a clock that was ahead and was set back.
    records: [{ ...at(0, 7, 8, 9), unixtime: 0 }, at(40, -18.4, 45, 0), at(20, 'E1', '12.3.4', null)].concat([
      at(20, 'E1', '12.3.4', null),
      at(-3, 1, 2, 3),
      at(5, -0.05, 0, 21.5),
    ]),
    alerts: [
      alert(9, { ch1: 'Inside: Sensor Error', ch2: '', 'battery-level': 'Low' }),
      alert(90, { ch3: 'x' }),
    ],
  },
  { serial: '52A10002', kind: 'other-standalone', current: { unixtime: NOW_S - 5, values: { 1: 'E1' } } },
  {
    serial: '52C10008',
    base: office,
    group: { num: 1, name: 'Racks' },
    records: { interval: 3, from: NOW_S - 60, firstId: 65_530, gaps: true },
    alerts: [
      alert(9, { 'communication-status': 'Communication Error' }),
      alert(9, { ch1: 'Upper Limit: 9' }),
    ],
  },
  {
    serial: '52C10008',
    base: { serial: '5F0A1002' },
    records: { interval: 3, from: NOW_S - 60, zeroIds: true },
  },
  {
    serial: '52C10009',
    base: office,
    records: { interval: 3, from: NOW_S - 60, restartedAt: NOW_S - 15 },
  },
]

/** Variants of the service that remove nothing. */
const changes = Object.entries(choices)
  .filter(([name]) => name !== 'dstFlag' && !/csv/i.test(name))
  .flatMap(([name, [, ...others]]) => others.map((value): Partial<Variants> => ({ [name]: value })))
const allAtOnce = Object.assign({ errorText: 'センサー異常 "E1"' }, ...changes)

describe('the rows of all four actions', () => {
  const simulator = useSimulator(() => ({ clock: manualClock(NOW), limits: 'off', fleet: FLEET }))
  const [from, to] = [NOW - 30_000, NOW + 2000]
  const period = { from: new Date(from).toISOString(), to: new Date(to).toISOString() }

  /** The messages of a device: all except a message about all devices name it. */
  const of = ({ messages }: PairRun, device: TrueDevice | undefined) =>
    messages.filter(
      ({ envlog }) =>
        !device || (envlog.device.serial === device.serial && envlog.device.base === device.base),
    )

  function assertTrue(ran: PairRun): void {
    const wanted = { action: ran.action, from, to, time: 'local' } as const
    const served = servedDevices(simulator(), ran.action)
    const inOne = ran.action === 'current' && ran.send === 'all'
    for (const device of inOne ? [undefined] : served) {
      const about = device ? [device] : served
      const rows = of(ran, device).flatMap(({ payload }) => payload)
      if (ran.action === 'alerts') {
        const truth = about.flatMap((one) => expectedAlerts(simulator(), one, wanted))
        assert.deepEqual(rows.map(alertOfRow), truth)
        continue
      }
      const truth = about.flatMap((one) => expectedValues(simulator(), one, wanted))
      assert.deepEqual(rows.map(valueOfRow), truth)
    }
  }

  const asRows = pairs().filter(({ output }) => output === 'rows')
  for (const variants of [{}, ...changes, allAtOnce]) {
    const names = JSON.stringify(variants)
    it(`have the true values, times, units and order with ${names.slice(0, 60)}`, async () => {
      simulator().set({ variants })
      const node = { ...period, fromType: 'date', toType: 'date', time: 'local' }
      for (const ran of await runEveryPair(simulator(), () => node, asRows)) {
        const refused = simulator().truth.devices().length - servedDevices(simulator(), ran.action).length
        assert.equal(ran.errors.length, ran.action === 'current' ? 0 : refused)
        assert.ok(ran.messages.length > 0)
        assertTrue(ran)
      }
    })
  }
})
