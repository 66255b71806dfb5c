import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type DeviceDefinition, manualClock, type Simulator, startSimulator } from '../../../simulator'
import { useExamples } from '../../support/examples'
import type { FlowNode } from '../../support/node-red'
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
const REPORT = 'Files and reports/daily report'
const CHECKS = 'Files and reports/fixed-time freezer checks'

/** As in the flows. */
const CHOSEN = '52A10001'
const ABSENT = '52A10009'
/** An error text that would become a separate row. */
const FORGED = 'E |\n| forged | -18 °C | pass <b>'
const HOSTILE = '=a "b", c\n<冷'

/** Remote units that send a record per minute, of which the service keeps 1,500. */
const minutely = (serial: string, hall: string, { offset }: typeof TOKYO): DeviceDefinition => ({
  serial,
  name: hall,
  base: { serial: `5F${serial.slice(2)}`, name: hall, zone: { timeDiff: offset } },
  channels: [{ num: 1, unit: 'C' }],
  records: { interval: 60, drift: 0 },
})

describe('examples for files', () => {
  const harness = useExamples({ now: NOW })
  let simulator: Simulator
  let reading: { value: number | string; age: number }

  beforeEach(async () => {
    for (const file of readdirSync(harness.nodeRed.userDir))
      if (/\.(?:csv|md)$/.test(file)) rmSync(join(harness.nodeRed.userDir, file))
    reading = { value: -18.5, age: 60 }
    simulator = await startSimulator({ clock: manualClock(NOW), limits: 'off', fleet: fleet('C') })
  })

  afterEach(() => simulator?.close())

  /** @param unit of the first channel of the first device */
  function fleet(unit: string): DeviceDefinition[] {
    const from = NOW / 1000 - 70 * 86_400
    return [
      {
        serial: CHOSEN,
        name: HOSTILE,
        zone: { timeDiff: TOKYO.offset },
        channels: [
          { num: 1, name: HOSTILE, unit },
          { num: 2, name: 'Probe', unit: 'C', broken: 'Sensor Error' },
        ],
        records: { interval: 1800, from },
        current: () => ({
          unixtime: NOW / 1000 - reading.age,
          values: { 1: reading.value, 2: 'Sensor Error' },
        }),
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

  /** With other settings. */
  const set = (settings: Record<string, string>) => (flow: FlowNode[]) =>
    flow.map((node) => {
      if (node.name !== 'settings') return node
      const rules = node.rules as { p: string; to: string }[]
      return { ...node, rules: rules.map((rule) => ({ ...rule, to: settings[rule.p] ?? rule.to })) }
    })

  /** Presses the button, and returns what the file contains when the flow says that it is written. */
  async function writtenBy(button: string, name: string): Promise<string> {
    const count = () => harness.nodeRed.log().split('[debug:the file is written]').length
    const before = count()
    await harness.press(button)
    await until(`${name} is written`, () => count() > before)
    return readFileSync(join(harness.nodeRed.userDir, name), 'utf8')
  }

  /** The month's file of the first device. */
  function expectedMonth(separator: string, toText: (value: unknown) => string): string {
    const [from, to] = ['2026-10-01', '2026-11-01'].map((date) => midnight(date, TOKYO)) as [number, number]
    const quoted = `"ch1 ${HOSTILE.replaceAll('"', '""')} (°C)"`
    const lines = simulator.truth.records(CHOSEN, undefined, from, to - 1).map(({ time, values }) => {
      const at = clockOf(time, TOKYO)
      return [`${at.slice(0, 10)} ${at.slice(11, 19)}`, toText(values[1]), 'E1'].join(separator)
    })
    assert.ok(lines.length > 1000, 'more than one part')
    const head = ['time', quoted, 'ch2 Probe (°C)'].join(separator)
    return `\ufeff${[head, ...lines].join('\r\n')}\r\n`
  }

  it("write the last month of a device, by the device's clock, again each time", async function () {
    this.timeout(FLOW_MS)
    await harness.deploy([MONTH], { simulator })
    const expected = expectedMonth(',', String)
    for (let times = 0; times < 2; times++)
      assert.equal(await writtenBy('write it', `envlog-${CHOSEN}-2026-10.csv`), expected)
  })

  it('write the last month with decimal commas, and no file if there are no records or the request fails', async function () {
    this.timeout(FLOW_MS)
    await harness.deploy([MONTH], { simulator }, set({ decimal: ',' }))
    const expected = expectedMonth(';', (value) => String(value).replace('.', ','))
    assert.equal(await writtenBy('write it', `envlog-${CHOSEN}-2026-10.csv`), expected)
    const files = () => readdirSync(harness.nodeRed.userDir).filter((file) => file.endsWith('.csv'))
    const [chosen, ...others] = fleet('C') as [DeviceDefinition]
    for (const said of ['[debug:no records, no file]', '[debug:what went wrong]']) {
      for (const file of files()) rmSync(join(harness.nodeRed.userDir, file))
      simulator.set({ fleet: [{ ...chosen, records: [] }, ...others] })
      await harness.press('write it')
      await until(said, () => harness.nodeRed.log().includes(said))
      assert.deepEqual(files(), [])
      simulator.set({ faults: [{ kind: 'status', status: 503 }] })
    }
  })

  it('say in the file of the last month that the service no longer has all records', async function () {
    this.timeout(FLOW_MS)
    const serial = '52C10003'
    simulator.set({ fleet: [minutely(serial, 'Hall 2', TOKYO)] })
    const add = (flow: FlowNode[]) =>
      flow.map((node) => (node.type === 'envlog-range' ? { ...node, devices: [{ serial }] } : node))
    await harness.deploy([MONTH], { simulator }, add)
    const text = await writtenBy('write it', `envlog-${serial}-2026-10.csv`)
    const [head, remark, first] = text.split('\r\n') as [string, string, string]
    assert.match(head, /^\ufefftime,/)
    assert.match(remark, /^"Records of this month are missing/)
    assert.match(first, /^2026-10-30 23:3\d:\d\d,/)
  })

  const columns = CSV_COLUMNS.range.split(',')
  const [SERIAL, VALUE, ERROR] = ['serial', 'value', 'error'].map((name) => columns.indexOf(name)) as [
    number,
    number,
    number,
  ]
  const cellsOf = (line: string, separator = ',') =>
    [...line.matchAll(new RegExp(`("(?:[^"]|"")*"|[^${separator}]*)(?:${separator}|$)`, 'g'))].map(
      ([, cell]) => cell,
    )

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
    const text = await writtenBy('every night at 0:30', 'envlog-2026-10-30.csv')
    const [head, ...lines] = text.replace('\ufeff', '').trimEnd().split('\r\n')
    assert.equal(head, CSV_COLUMNS.range)
    assert.deepEqual(cellsOf(lines.pop() ?? '')[ERROR], 'End of the file: all devices were requested')
    const found = lines.map((line) => {
      const [time, timestamp, serial, , , , , channel, , , , value] = cellsOf(line)
      return [time, timestamp, serial, channel, value].join(' ')
    })
    assert.deepEqual(found.toSorted(), expected.toSorted())
    const name = `"'${HOSTILE.replaceAll('"', '""')}"`
    assert.ok(text.includes(name) && !text.includes(`"${HOSTILE.slice(0, 2)}`), 'no formula')
  })

  it('write in the nightly file which devices and records are missing, each time, with decimal commas if set', async function () {
    this.timeout(FLOW_MS)
    const [chosen, ...others] = fleet('C') as [DeviceDefinition]
    const kept = '52C10003'
    const lossy = '52C10004'
    const silent = '52B10005'
    const refused = '41E10006'
    simulator.set({
      fleet: [
        // At half past midnight in Tokyo, it is 21 o'clock in Delhi, and its yesterday began 45 hours ago.
        minutely(kept, 'Hall 2', TOKYO),
        minutely(lossy, 'Hall 3', DELHI),
        { serial: silent, kind: 'standalone-2', records: [] },
        { serial: refused, kind: 'other-standalone', records: { interval: 600 } },
        chosen,
        ...others,
      ],
    })
    await harness.deploy([NIGHT], { simulator }, set({ decimal: ',', language: 'ja' }))
    for (let times = 0; times < 2; times++) {
      const text = await writtenBy('every night at 0:30', 'envlog-2026-10-30.csv')
      const lines = text.replace('\ufeff', '').trimEnd().split('\r\n')
      assert.equal(lines[0], CSV_COLUMNS.range.replaceAll(',', ';'))
      const rows = lines.slice(1).map((line) => cellsOf(line, ';'))
      const of = (serial: string) => rows.filter((row) => row[SERIAL] === serial)
      assert.equal(of(kept).length, 1440)
      assert.ok(of(kept).every((row) => /^-?\d+(,\d+)?$/.test(String(row[VALUE]))))
      const remarks = rows.filter(([time]) => time === '')
      assert.equal(rows.at(-1), remarks.at(-1))
      assert.deepEqual(remarks.map((row) => row[SERIAL]).toSorted(), ['', lossy, refused, silent].toSorted())
      const said = (serial: string) => String(remarks.find((row) => row[SERIAL] === serial)?.[ERROR])
      assert.match(said(lossy), /一部がありません/)
      assert.match(said(silent), /この日の記録はありません/)
      assert.match(said(refused), times === 0 ? /Refused \(400\)/ : /because the service refused/)
      assert.match(said(''), /^ファイルの終わり/)
    }
    simulator.set({ faults: [{ kind: 'status', status: 503 }] })
    await harness.press('every night at 0:30')
    const text = await written('envlog-2026-10-30.csv', (found) => found.includes('The service failed (503)'))
    const errors = text
      .trimEnd()
      .split('\r\n')
      .slice(1)
      .map((line) => cellsOf(line, ';')[ERROR])
    assert.match(String(errors[0]), /because the service refused/)
    assert.match(String(errors[1]), /The service failed \(503\)/)
    assert.equal(errors.length, 2, 'not the last line of a complete file')
  })

  it('write a report of yesterday with figures of each temperature channel, minutes outside the limits, and unreadable devices', async function () {
    this.timeout(FLOW_MS)
    const start = midnight(TOKYO.yesterday, TOKYO) / 1000
    // Too warm for 30 minutes, then an error; the last one until midnight, but at most an hour.
    const values = [-20, -14, -12, 'E1', -20, -13]
    const hours = [0, 1, 1.25, 1.5, 2, 12]
    const records = hours.map((hour, at) => {
      const value = values[at] as number | string
      const fahrenheit = typeof value === 'number' ? value * 1.8 + 32 : value
      return { unixtime: start + hour * 3600, values: { 1: value, 2: fahrenheit } }
    })
    const [chosen, ...others] = fleet('C') as [DeviceDefinition]
    const channels = [
      { num: 1, name: HOSTILE, unit: 'C' },
      { num: 2, name: 'The same', unit: 'F' },
    ]
    const truck: DeviceDefinition = {
      serial: '52C10008',
      name: 'Truck',
      base: { serial: '5F0A1004', zone: { timeDiff: TOKYO.offset } },
      channels: [{ num: 1, unit: 'C', broken: 'E1' }],
      records: { interval: 3600 },
    }
    simulator.set({ fleet: [{ ...chosen, channels, records }, truck, ...others] })
    const add = (flow: FlowNode[]) =>
      flow.map((node) =>
        node.type === 'envlog-range'
          ? { ...node, devices: [...(node.devices as object[]), { serial: ABSENT }] }
          : node,
      )
    await harness.deploy([REPORT], { simulator }, add)
    await harness.press('every day at 1')
    const text = await written(
      'freezers-2026-10-30.md',
      // Two lines of the header and four rows.
      (found) => found.split('\n| ').length > 6,
    )
    const [title, , limits, , ...table] = text.trimEnd().split('\n')
    assert.equal(title, '# Freezers on 2026-10-30')
    assert.equal(limits, 'Limits: -30 to -15 °C')
    const device = `${HOSTILE.replace('\n<', ' ')} (${CHOSEN})`
    const [head, , ...rows] = table
    assert.equal(head, '| Device | Channel | Minimum | Maximum | Mean | Minutes outside | Records | Errors |')
    assert.deepEqual(
      rows.filter((row) => row.includes(CHOSEN)),
      [
        `| ${device} | ${HOSTILE.replace('\n<', ' ')} | -20.0 °C | -12.0 °C | -15.8 °C | 90 | 6 | 1 |`,
        `| ${device} | The same | -4.0 °F | 10.4 °F | 3.6 °F | 90 | 6 | 1 |`,
      ],
    )
    assert.ok(rows.includes('| Truck (52C10008) | ch1 | – | – | – | – | 24 | 24 |'), text)
    assert.equal(rows.length, 4)
    const missing = rows.find((row) => row.includes(ABSENT)) ?? ''
    assert.match(missing, /^\| The account has no device .*52A10009.*( \|){8}$/)
  })

  it('write a daily report of which checks passed, which failed and why, and which were not done', async function () {
    this.timeout(FLOW_MS)
    await harness.deploy([CHECKS], { simulator })
    let checks = 0
    const check = async (button: string): Promise<string> => {
      await harness.press(button)
      checks++
      const sections = (text: string) => text.split('\n## ')
      const text = await written(
        'freezer-checks-2026-10-31.md',
        (found) => sections(found).length > checks && found.endsWith('\n'),
      )
      return sections(text).at(-1) ?? ''
    }
    const device = HOSTILE.replace('\n<', ' ')
    const states = [
      { value: -18.5, age: 60, reads: '-18.5 °C', result: 'pass' },
      { value: -14.9, age: 60, reads: '-14.9 °C', result: 'FAIL: too warm' },
      { value: -31, age: 60, reads: '-31 °C', result: 'FAIL: too cold' },
      { value: -18.5, age: 4000, reads: '-18.5 °C', result: 'FAIL: old' },
      { value: FORGED, age: 60, reads: 'E forged -18 °C pass b ', result: 'FAIL: no value' },
      { value: -0.4, unit: 'F', age: 60, reads: '-0.4 °F', result: 'pass' },
      { value: 10.4, unit: 'F', age: 60, reads: '10.4 °F', result: 'FAIL: too warm' },
    ]
    for (const [at, { value, unit = 'C', age, reads, result }] of states.entries()) {
      reading = { value, age }
      simulator.set({ fleet: fleet(unit) })
      const text = await check(at % 2 === 0 ? 'at 8' : 'at 17')
      assert.match(text, /^Freezer check of 2026-10-31 15:3\d\n\nLimits: -30 to -15 °C\n\n\| Device \|/)
      const measured = clockOf(NOW - age * 1000, TOKYO)
        .slice(0, 16)
        .replace('T', ' ')
      const rows = text
        .split('\n')
        .filter((line) => line.startsWith('|'))
        .slice(2)
      assert.deepEqual(rows, [
        `| ${device} | ${device} | ${reads} | ${measured} | ${result} |`,
        `| ${device} | Probe | Sensor Error | ${measured} | FAIL: ${age > 3600 ? 'old' : 'no value'} |`,
      ])
    }
    simulator.set({ fleet: [] })
    assert.match(await check('at 8'), /\n\n\*\*Not done:\*\* The account has no device .*\n$/)
    simulator.set({ faults: [{ kind: 'status', status: 503 }] })
    assert.match(await check('at 8'), /\n\n\*\*Not done:\*\* The service .*\n$/)
  })
})
