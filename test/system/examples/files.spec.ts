import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type DeviceDefinition, manualClock, type Simulator, startSimulator } from '../../../simulator'
import { useExamples } from '../../support/examples'
import { CSV_COLUMNS } from '../../support/outputs'
import { until } from '../../support/wait'

const FLOW_MS = 60_000
/** The server's clock: in Tokyo it is half past midnight, on the first day of the next month. */
const NOW = Date.UTC(2026, 9, 31, 15, 30)
/** Minutes ahead of UTC, and yesterday there. */
const TOKYO = { offset: 540, yesterday: '2026-10-31', today: '2026-11-01' }
const DELHI = { offset: 330, yesterday: '2026-10-30', today: '2026-10-31' }

const MONTH = 'Files and reports/last month of a device to a CSV file'
const NIGHT = 'Files and reports/nightly file of all devices'

/** As in the flows. */
const CHOSEN = '52A10001'
const HOSTILE = '=a "b", c\n<冷'

describe('examples for files', () => {
  const harness = useExamples({ now: NOW })
  let simulator: Simulator

  beforeEach(async () => {
    for (const file of readdirSync(harness.nodeRed.userDir))
      if (/\.csv$/.test(file)) rmSync(join(harness.nodeRed.userDir, file))
    simulator = await startSimulator({ clock: manualClock(NOW), limits: 'off', fleet: fleet() })
  })

  afterEach(() => simulator?.close())

  function fleet(): DeviceDefinition[] {
    const from = NOW / 1000 - 70 * 86_400
    return [
      {
        serial: CHOSEN,
        name: HOSTILE,
        zone: { timeDiff: TOKYO.offset },
        channels: [
          { num: 1, name: HOSTILE, unit: 'C' },
          { num: 2, name: 'Probe', unit: 'C', broken: 'Sensor Error' },
        ],
        records: { interval: 1800, from },
      },
      {
        serial: '52C10002',
        name: 'Remote',
        base: { serial: '5F0A1001', name: 'Hall 1', zone: { timeDiff: DELHI.offset } },
        channels: [{ num: 1, name: 'Air', unit: '%' }],
        records: { interval: 3600, from },
      },
    ]
  }

  /** Midnight of a date by a device's clock, in ms. */
  const midnight = (date: string, { offset }: typeof TOKYO) =>
    Date.parse(`${date}T00:00:00Z`) - offset * 60_000
  const clockOf = (time: number, { offset }: typeof TOKYO) => new Date(time + offset * 60_000).toISOString()

  /** The text of a file when it is complete. The server's clock determines the name. */
  async function written(name: string, complete: (text: string) => boolean): Promise<string> {
    const file = join(harness.nodeRed.userDir, name)
    return until(`${name} is complete`, () => {
      const text = existsSync(file) && readFileSync(file, 'utf8')
      return text !== false && complete(text) && text
    })
  }

  it("write the last month of a device, by the device's clock, again each time", async function () {
    this.timeout(FLOW_MS)
    await harness.deploy([MONTH], { simulator })
    const [from, to] = ['2026-10-01', '2026-11-01'].map((date) => midnight(date, TOKYO)) as [number, number]
    const quoted = `"ch1 ${HOSTILE.replaceAll('"', '""')} (°C)"`
    const lines = simulator.truth.records(CHOSEN, undefined, from, to - 1).map(({ time, values }) => {
      const at = clockOf(time, TOKYO)
      return `${at.slice(0, 10)} ${at.slice(11, 19)},${values[1]},E1`
    })
    assert.ok(lines.length > 1000, 'more than one message')
    const expected = `\ufeff${[`time,${quoted},ch2 Probe (°C)`, ...lines].join('\r\n')}\r\n`
    for (let times = 0; times < 2; times++) {
      const asked = simulator.counts().data.total
      await harness.press('write it')
      await until('it is requested', () => simulator.counts().data.total > asked)
      const text = await written('envlog-2026-09.csv', (found) => found.length >= expected.length)
      assert.equal(text, expected)
    }
  })

  it('write yesterday for all devices, each by its own clock', async function () {
    this.timeout(FLOW_MS)
    await harness.deploy([NIGHT], { simulator })
    const expected = simulator.truth.devices().flatMap(({ serial, base, standalone, channels }) => {
      const place = standalone ? TOKYO : DELHI
      const within = [midnight(place.yesterday, place), midnight(place.today, place) - 1] as const
      const records = simulator.truth.records(serial, standalone ? undefined : base, ...within)
      return records.flatMap(({ time, values }) =>
        channels.map(({ num }) => {
          const at = clockOf(time, place).replace('Z', standalone ? '+09:00' : '+05:30')
          return [at, time, serial, num, typeof values[num] === 'number' ? values[num] : ''].join(' ')
        }),
      )
    })
    assert.equal(expected.length, 48 * 2 + 24)
    await harness.press('every night at 2')
    const text = await written(
      'envlog-2026-10-30.csv',
      (found) => found.split('52C10002').length > 24 && found.split(CHOSEN).length > 96,
    )
    const [head, ...lines] = text.replace('\ufeff', '').trimEnd().split('\r\n')
    assert.equal(head, CSV_COLUMNS.range)
    const name = `"'${HOSTILE.replaceAll('"', '""')}"`
    assert.ok(text.includes(name) && !text.includes(`"${HOSTILE.slice(0, 2)}`), 'no formula')
    const found = lines.map((line) => {
      const cells = [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, cell]) => cell)
      const [time, timestamp, serial, , , , , channel, , , , value] = cells
      return [time, timestamp, serial, channel, value].join(' ')
    })
    assert.deepEqual(found.toSorted(), expected.toSorted())
  })
})
