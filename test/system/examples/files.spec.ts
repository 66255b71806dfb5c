import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type DeviceDefinition, manualClock, type Simulator, startSimulator } from '../../../simulator'
import { useExamples } from '../../support/examples'
import type { FlowNode } from '../../support/node-red'
import { CSV_COLUMNS } from '../../support/outputs'
import { until } from '../../support/wait'

const FLOW_MS = 180_000
/** The server's clock: in Tokyo it is half past midnight, on the first day of the next month. */
const NOW = Date.UTC(2026, 9, 31, 15, 30)
/** Minutes ahead of UTC, and yesterday there. */
const TOKYO = { offset: 540, yesterday: '2026-10-31', today: '2026-11-01' }
const DELHI = { offset: 330, yesterday: '2026-10-30', today: '2026-10-31' }

const MONTH = 'Files and reports/last month of a device to a CSV file'
const NIGHT = 'Files and reports/nightly file of all devices'

/** A spreadsheet would read 52140. */
const READ_AS_NUMBER = '5214E001'

/** As in the flows. */
const CHOSEN = '52A10001'
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
        serial: READ_AS_NUMBER,
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
    const [chosen, ...others] = fleet() as [DeviceDefinition]
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
    const ofHall2 = minutely(serial, 'Hall 2', TOKYO)
    // Serial numbers are unique at a base unit only.
    const ofHall3 = { ...ofHall2, base: { serial: '5FA10003', name: 'Hall 3' } }
    simulator.set({ fleet: [ofHall2, ofHall3] })
    const add = (flow: FlowNode[]) =>
      flow.map((node) => (node.type === 'envlog-range' ? { ...node, devices: [{ serial }] } : node))
    await harness.deploy([MONTH], { simulator }, add)
    const text = await writtenBy('write it', `envlog-5FC10003-${serial}-2026-10.csv`)
    await written(`envlog-5FA10003-${serial}-2026-10.csv`, (found) => found.startsWith('\ufefftime,'))
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
          const at = clockOf(time, place).slice(0, 19).replace('T', ' ')
          const cell = serial === READ_AS_NUMBER ? `'${serial}` : serial
          return [at, time, cell, num, typeof values[num] === 'number' ? values[num] : ''].join(' ')
        }),
      )
    })
    assert.equal(expected.length, 48 * 2 + 24)
    const text = await writtenBy('every night at 0:30', 'envlog-2026-10-31.csv')
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

    const more = { 'envlog-account': { timeZone: 'Asia/Kolkata' } }
    await harness.deploy([NIGHT], { simulator, more })
    const [, first] = (await writtenBy('every night at 0:30', 'envlog-2026-10-30.csv')).split('\r\n')
    assert.match(String(first), /^2026-10-30 /, 'the day of the time zone')
  })

  it('write in the nightly file which devices and records are missing, each time, with decimal commas if set', async function () {
    this.timeout(FLOW_MS)
    const [chosen, ...others] = fleet() as [DeviceDefinition]
    const kept = '52C10003'
    const lossy = '52C10004'
    const silent = '52B10005'
    const refused = '41C10006'
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
      const text = await writtenBy('every night at 0:30', 'envlog-2026-10-31.csv')
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
    // Without a device's clock, that of the server counts.
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

  it('append to the nightly file later what could not be written', async function () {
    this.timeout(FLOW_MS)
    const name = 'envlog-2026-10-30.csv'
    const props = Object.entries({ filename: name, language: 'en', decimal: '.' }).map(([p, v]) => ({
      p,
      v,
      vt: 'str',
    }))
    const afterHeader = (flow: FlowNode[]) => {
      const range = flow.find(({ type }) => type === 'envlog-range') as FlowNode
      const place = { z: range.z, x: 0, y: 0, wires: [[range.id]] }
      return [...flow, { id: 'go', type: 'inject', name: 'after the header', props, ...place }]
    }
    // Slower than in the example: the file node loses what waits behind a message that it cannot append.
    const more = { delay: { timeoutUnits: 'seconds', rate: '1' } }
    await harness.deploy([NIGHT], { simulator, more }, afterHeader)
    // A file that cannot be written.
    mkdirSync(join(harness.nodeRed.userDir, name))
    await harness.press('after the header')
    // Node-RED drops a message that fails for the tenth time at the same node.
    await until('it is tried often', () => harness.nodeRed.log().split('EISDIR').length > 60)
    rmdirSync(join(harness.nodeRed.userDir, name))
    const lines = [`,${CHOSEN},`, `,'${READ_AS_NUMBER},`, 'End of the file']
    await written(name, (text) => lines.every((line) => text.includes(line)))
  })
})
