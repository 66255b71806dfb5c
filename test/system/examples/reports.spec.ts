import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, parse } from 'node:path'
import { type DeviceDefinition, manualClock, type Simulator, startSimulator } from '../../../simulator'
import { useExamples } from '../../support/examples'
import type { FlowNode } from '../../support/node-red'
import { until } from '../../support/wait'

const FLOW_MS = 180_000
/** In Tokyo it is half past midnight, on the first day of the next month; in Adelaide it is two in the morning. */
const NOW = Date.UTC(2026, 9, 31, 15, 30)
const TOKYO = 540
const ADELAIDE = 630
/** Midnight of October 31 in Tokyo, in Unix seconds. */
const MIDNIGHT = Date.UTC(2026, 9, 30, 15) / 1000

const DAILY = 'Files and reports/daily report'
const MONTHLY = 'Files and reports/monthly report'
const CHECKS = 'Files and reports/fixed-time freezer checks'
const EVERY_NIGHT = 'every day at half past midnight'

const FREEZER = '52A10001'
const AMERICAN = '52A10006'
const REMOTE = '52C10002'
const REFUSED = '31D10003'
const SPARE = '52B10004'
const SILENT = '52A10005'
const ABSENT = '52A10009'
const BASE = { serial: '5F0A1001', name: 'Hall 1', zone: { timeDiff: ADELAIDE } }

const HOSTILE = '=a "b", c\n<b>冷'
const ESCAPED = '&#x3D;a &quot;b&quot;, c\n&lt;b&gt;冷'

const ROWS = [{ above: -15, below: -30, minutes: 10, margin: 1 }]

/** A record every half hour: from 10:00 to 11:00 too warm, and one without a value at 15:00. */
function recordsOf(fahrenheit: boolean) {
  return Array.from({ length: 49 }, (_, index) => {
    const celsius = index >= 20 && index <= 22 ? -12.5 : -20
    const value = index === 30 ? 'E1' : fahrenheit ? celsius * 1.8 + 32 : celsius
    return { unixtime: MIDNIGHT + index * 1800, value }
  })
}

const freezer: DeviceDefinition = {
  serial: FREEZER,
  name: HOSTILE,
  zone: { timeDiff: TOKYO },
  channels: [{ num: 1, name: HOSTILE, unit: 'C' }],
  records: recordsOf(false).map(({ unixtime, value }) => ({ unixtime, values: { 1: value } })),
}

/** The same in °F, and a probe that is not connected. */
const american: DeviceDefinition = {
  serial: AMERICAN,
  name: 'Truck',
  zone: { timeDiff: TOKYO },
  channels: [
    { num: 1, name: 'The same', unit: 'F' },
    { num: 2, name: 'Dead', unit: 'F' },
  ],
  records: recordsOf(true).map(({ unixtime, value }) => ({
    unixtime,
    values: { 1: value, 2: 'E <b>off</b>' },
  })),
}

/** A record each minute, of which the service keeps 1,500. */
const remote: DeviceDefinition = {
  serial: REMOTE,
  name: 'Remote',
  base: BASE,
  channels: [{ num: 1, name: 'Air', unit: '%' }],
  records: { interval: 60, drift: 0 },
}

const oneOfEach: DeviceDefinition[] = [
  remote,
  { kind: 'older-remote', serial: REFUSED, name: 'Refused', base: BASE, channels: [{ num: 1, unit: 'C' }] },
  { kind: 'standalone-2', serial: SPARE, name: 'Spare', records: [] },
  {
    serial: SILENT,
    name: 'Silent',
    zone: { timeDiff: ADELAIDE },
    channels: [{ num: 1, unit: 'C' }],
    records: { interval: 600, until: MIDNIGHT - 5 * 86_400 },
  },
]

interface Setup {
  settings?: object
  limits?: unknown
  devices?: readonly object[]
  account?: object
}

describe('examples for reports', () => {
  const harness = useExamples({ now: NOW })
  let simulator: Simulator

  beforeEach(async () => {
    for (const file of readdirSync(harness.nodeRed.userDir))
      if (/\.(?:csv|html)$/.test(file)) rmSync(join(harness.nodeRed.userDir, file))
    simulator = await startSimulator({ clock: manualClock(NOW), limits: 'off', fleet: [freezer] })
  })

  afterEach(() => simulator?.close())

  /** Deploys an example with changed settings; the message with which it ends is written to the log. */
  async function deploy(name: string, setup: Setup = {}): Promise<void> {
    await harness.deploy([name], { simulator }, (flow) => flow.map((node) => withSetup(node, setup)))
  }

  function withSetup(node: FlowNode, setup: Setup): FlowNode {
    const { settings = {}, limits = ROWS, devices = [{ serial: FREEZER }], account = {} } = setup
    if (node.type === 'envlog-account') return { ...node, ...account }
    if (node.type === 'envlog-current') return { ...node, devices }
    if (node.name === 'settings') return { ...node, rules: changed(node, settings, limits) }
    // Hours become seconds.
    if (node.type === 'delay') return { ...node, timeoutUnits: 'seconds' }
    return node.name === 'the report' ? { ...node, complete: 'payload' } : node
  }

  function changed({ rules }: FlowNode, settings: object, limits: unknown): object[] {
    const [first, second] = rules as [{ to: string }, object]
    const to = JSON.stringify({ ...JSON.parse(first.to), ...settings })
    return [
      { ...first, to },
      { ...second, to: JSON.stringify(limits) },
    ]
  }

  /** The newest file with this name, whose time of making may stand before the extension. */
  function find(name: string): string | undefined {
    const { dir, name: stem, ext } = parse(join(harness.nodeRed.userDir, name))
    const files = readdirSync(dir).filter((file) => file.startsWith(stem) && file.endsWith(ext))
    const [newest] = files.sort().reverse()
    return newest && join(dir, newest)
  }

  /** The text of a file once it is complete. */
  async function written(name: string, isComplete = (text: string) => text.length > 0): Promise<string> {
    return until(
      `${name} is complete`,
      () => {
        const file = find(name)
        const text = file !== undefined && readFileSync(file, 'utf8')
        return text !== false && isComplete(text) && text
      },
      FLOW_MS,
    )
  }

  /** Presses the button and reads the page once it is finished. */
  async function report(button: string, name: string) {
    const earlier = find(name)
    if (earlier) rmSync(earlier)
    await harness.press(button)
    const html = await written(
      name,
      (text) => text.includes('</html>') && !/is not finished|作成しています/.test(text),
    )
    return read(html)
  }

  function read(html: string) {
    const plain = (text = '') =>
      text
        .replace(/<[^>]*>/g, ' ')
        .replace(/ +/g, ' ')
        .trim()
    const verdict = plain(/<div class="verdict[\s\S]*?<\/div>/.exec(html)?.[0].replace(/<b>.*?<\/b>/, ''))
    const items = [...html.matchAll(/<li><b>([^<]*)<\/b>(<span>[\s\S]*?)<\/li>/g)]
    const missing = Object.fromEntries(items.map(([, device = '', text]) => [device, plain(text)]))
    const rows = [...html.matchAll(/<tr[ >][\s\S]*?<\/tr>/g)].map(([row]) =>
      [...row.matchAll(/<t[dh][\s\S]*?<\/t[dh]>/g)].map(([cell]) => plain(cell)),
    )
    return { html, verdict, missing, rows, texts: plain(html.slice(html.indexOf('<body>'))) }
  }

  it('show figures, excursions and charts of yesterday in the unit of the device, and write them as CSV', async function () {
    this.timeout(FLOW_MS)
    simulator.set({ fleet: [freezer, american] })
    await deploy(DAILY, { devices: [{ serial: FREEZER }, { serial: AMERICAN }] })
    const { html, verdict, rows, missing } = await report(EVERY_NIGHT, 'daily-report-2026-10-31.html')
    assert.equal(verdict, '2 excursions, 1 channel without a value')
    const excursion = ['10:00', '11:30', '1 h 30 min']
    assert.deepEqual(rows.slice(1, 3), [
      [ESCAPED, ESCAPED, 'above −15 °C', ...excursion, '−12.5 °C'].map(nonBreaking),
      ['Truck', 'The same', 'above 5 °F', ...excursion, '9.5 °F'].map(nonBreaking),
    ])
    const figures = [
      '−20.0 °C',
      '−12.5 °C',
      '−19.52 °C',
      '97.9%',
      '−30 to −15 °C (for 10 min)',
      '1 excursion',
    ]
    assert.deepEqual(rows[4], [ESCAPED, ESCAPED, ...figures].map(nonBreaking))
    assert.deepEqual(missing, {
      Truck: 'Dead: no value, 48 records without a value (E &lt;b&gt;off&lt;&#x2F;b&gt;)',
    })
    assert.match(html, /47 of 48 values/)
    assert.match(html, /longest gap 1 h \(14:30–15:30\)/)
    assert.ok(!html.includes('<b>冷') && !html.includes('<b>off'), 'escaped')
    // The excursions and the channels lead to the card of their device.
    const links = [...html.matchAll(/ href="#(.*?)"/g)].map(([, id]) => id)
    assert.deepEqual(links, ['d1', 'd2', 'd1', 'd2', 'd2'])
    for (const id of links) assert.ok(html.includes(` class="device" id="${id}"`), id)
    // Two lines, interrupted by the record without a value.
    const [, path = ''] =
      /<path class="value" d="(M\d[^"]*)"/.exec(html.slice(html.indexOf('class="plot"'))) ?? []
    assert.equal(path.split('M').length - 1, 2)
    assert.ok(html.includes('class="error"') && html.includes('class="outside"'))

    const csv = await written('daily-report-2026-10-31.csv')
    const name = `"'${HOSTILE.replaceAll('"', '""')}"`
    const line = `2026-10-31,,${name},${FREEZER},${FREEZER},1,${name},temperature,°C,-20,00:00,-12.5,10:00,-19.52,,-30,-15,1,90,97.9,47,48,1,60,\r\n`
    assert.ok(csv.includes(line), csv)
    assert.match(csv, /,2,Dead,temperature,°F,,,,,,,-22,5,0,0,0,0,48,48,1440,"Dead: no value, .*"\r\n$/)
  })

  it('do not overwrite a report that was made before', async function () {
    this.timeout(FLOW_MS)
    await deploy(DAILY)
    const first = await report(EVERY_NIGHT, 'daily-report-2026-10-31.html')
    const file = find('daily-report-2026-10-31.html') as string
    simulator.set({
      faults: [
        { kind: 'delay', delay: 1000, endpoints: ['current'] },
        { kind: 'status', status: 503, endpoints: ['data'] },
      ],
    })
    await harness.press(EVERY_NIGHT)
    await until('another page says why', () => {
      const newest = find('daily-report-2026-10-31.html')
      return newest !== file && /The service failed \(503\)/.test(readFileSync(newest as string, 'utf8'))
    })
    assert.equal(readFileSync(file, 'utf8'), first.html)
  })

  it('say what is missing, also of a device that was refused before', async function () {
    this.timeout(FLOW_MS)
    const chosen = [
      { serial: REFUSED, base: BASE.serial },
      { serial: SPARE },
      { serial: SILENT },
      { serial: ABSENT },
    ]
    simulator.set({ fleet: oneOfEach })
    await deploy(DAILY, { devices: [...chosen, { serial: REMOTE, base: BASE.serial }], limits: [] })
    for (let night = 0; night < 2; night++) {
      const { verdict, missing, html } = await report(EVERY_NIGHT, 'daily-report-2026-10-31.html')
      assert.equal(verdict, '4 devices not checked, 1 channel incomplete, 2 devices silent')
      assert.match(missing.Refused ?? '', /^not checked: (?:Refused \(400\)|Not requested before)/)
      assert.match(missing[ABSENT] ?? '', /^not checked: The account has no device .*52A10009/)
      assert.equal(missing.Spare, 'no channels, so nothing was checked silent: no measurement yet')
      assert.match(missing.Silent ?? '', /^no records in this period silent since 2026-10-2\d \d\d:\d\d$/)
      assert.match(
        missing.Remote ?? '',
        /^The service no longer has the records from 00:00 to 01:00\. ch1: 95\.\d% covered, longest gap 1 h 1 min \(00:00–01:00\)$/,
      )
      assert.match(html, /1 of 5 devices, 1 channel</)
      assert.match(await written('daily-report-2026-10-31.csv'), new RegExp(`,${ABSENT},,{20}`))
    }
  })

  it('say that they are not done, and why, in one message', async function () {
    this.timeout(2 * FLOW_MS)
    const [start, presses] = [harness.nodeRed.log().length, 5]
    const isNotDone = async (expected: RegExp, day = '2026-10-31') => {
      const { verdict, texts } = await report(EVERY_NIGHT, `daily-report-${day}.html`)
      assert.match(verdict, expected)
      assert.doesNotMatch(texts, /checked, no excursion/)
      return texts
    }
    const others = [2, 3, 4].map((number) => ({
      ...freezer,
      serial: `52A1000${number}`,
      name: `Freezer ${number}`,
    }))
    const fleet = [{ ...freezer, name: 'Freezer 1' }, ...others]
    simulator.set({ fleet })
    const devices = fleet.map(({ serial }) => ({ serial }))
    await deploy(DAILY, { devices })
    simulator.set({
      faults: [
        {
          kind: 'status',
          status: 503,
          endpoints: ['data'],
          serials: devices.slice(1).map(({ serial }) => serial),
        },
      ],
    })
    const partly = await isNotDone(/^Not done: The service failed \(503\)/)
    assert.match(partly, /1 of 4 devices, 1 channel /)
    simulator.set({ faults: [{ kind: 'status', status: 503 }] })
    // Without a reading, the date is that of the computer.
    await isNotDone(/^Not done: The service .*503/, '2026-10-30')
    simulator.set({ faults: [] })
    await deploy(DAILY, { limits: [{ above: -30, below: -15 }] })
    await isNotDone(/^Not done: .*Limit 1: .*must be greater/)

    await deploy(DAILY, { limits: 'none' })
    await isNotDone(/^Not done: .*is not a list of limits/)

    await deploy(DAILY, { settings: { language: 'xx' } })
    await harness.press(EVERY_NIGHT)
    assert.match(await written('daily-report-not-done.html'), /No texts in the language xx/)
    assert.equal(harness.nodeRed.log().slice(start).split('[debug:the report]').length - 1, presses)

    writeFileSync(join(harness.nodeRed.userDir, 'occupied.csv'), '')
    const before = harness.nodeRed.log().length
    await deploy(DAILY, { settings: { file: 'occupied.csv/daily' } })
    await harness.press(EVERY_NIGHT)
    const log = await until('both are in the log', () => {
      const text = harness.nodeRed.log().slice(before)
      return (
        /debug:what went wrong\][\s\S]*occupied/.test(text) &&
        /debug:the report\] 1 excursion/.test(text) &&
        text
      )
    })
    assert.match(log, /\[debug:the report\] 1 excursion/)
  })

  it('are in Japanese, with decimal commas, and about another day of 25 hours', async function () {
    this.timeout(FLOW_MS)
    const first = Date.UTC(2026, 9, 24, 22) / 1000
    const records = Array.from({ length: 50 }, (_, index) => ({
      unixtime: first + index * 1800,
      values: { 1: -18.5 },
    }))
    simulator.set({
      fleet: [{ ...freezer, name: '冷凍庫', channels: [{ num: 1, name: '庫内', unit: 'C' }], records }],
    })
    await deploy(DAILY, {
      settings: { language: 'ja', title: '温度日報', decimalComma: true, period: '2026-10-25' },
      account: { timeZone: 'Europe/Berlin' },
    })
    const { html, verdict, rows } = await report(EVERY_NIGHT, 'daily-report-2026-10-25.html')
    assert.equal(verdict, '測定途絶 1 台')
    assert.match(html, /<html lang="ja">[\s\S]*<h1>温度日報<\/h1>\n<p class="date">2026年10月25日日曜日/)
    const figures = ['−18.5 °C', '−18.5 °C', '−18.50 °C', '100%', '−30～−15 °C（10 分継続）', '範囲内']
    assert.deepEqual(rows.at(-1), ['冷凍庫', '庫内', ...figures].map(nonBreaking))
    assert.ok(html.includes('値 50 &#x2F; 50 件'))
    const hours = [...html.matchAll(/<i class="x" style="left: ([\d.]+)%">(\d+)</g)].map(([, left, hour]) => [
      hour,
      left,
    ])
    assert.deepEqual(hours.slice(0, 3), [
      ['0', '0'],
      ['3', '16'],
      ['6', '28'],
    ])
    const csv = await written('daily-report-2026-10-25.csv')
    assert.match(csv, /^\ufeff期間;グループ;/)
    assert.match(
      csv,
      /;-18,5;00:00;-18,5;00:00;-18,5;;-30;-15;0;0;100;50;50;0;;"測定途絶|;-18,5;00:00;-18,5;00:00;-18,5;;-30;-15;0;0;100;50;50;0;;測定途絶/,
    )
  })

  it('show last month with the mean kinetic temperature, and say what a remote unit no longer has', async function () {
    this.timeout(FLOW_MS)
    const first = Date.UTC(2026, 8, 30, 15) / 1000
    // Half of the month at 20 °C, and half at 30 °C.
    const records = Array.from({ length: 31 * 24 }, (_, index) => ({
      unixtime: first + index * 3600,
      values: { 1: index < 372 ? 20 : 30 },
    }))
    simulator.set({
      fleet: [{ ...freezer, name: 'Store', channels: [{ num: 1, name: 'Air', unit: 'C' }], records }, remote],
    })
    await deploy(MONTHLY, {
      devices: [{ serial: FREEZER }, { serial: REMOTE, base: BASE.serial }],
      limits: [{ above: 28 }],
      settings: { coverage: 90 },
    })
    const { html, missing, rows } = await report('on the 1st at 2', 'monthly-report-2026-10.html')
    assert.match(html, /<p class="date">October 2026</)
    const kinetic = rows.find((row) => row.includes('Store') && row.includes('100%'))
    // 26.26 °C: (e^(-10000/293.15) + e^(-10000/303.15)) / 2 = e^(-10000/299.41)
    assert.deepEqual(kinetic?.slice(2, 6), ['20 °C', '30 °C', '25.0 °C', '26.3 °C'].map(nonBreaking))
    assert.match(
      missing.Remote ?? '',
      /^The service no longer has the records from 10-01 00:00 to 10-31 01:0\d\./,
    )
    assert.ok(rows.some((row) => row.join().includes(nonBreaking('10-16 12:00,end of period,372 h,30 °C'))))
    assert.equal(html.split('class="range"').length - 3, 31 + 1)
  })

  it('check freezers, with the reason for each failure, as a page and a line in the list of the month', async function () {
    this.timeout(FLOW_MS)
    let reading = { value: -18.5 as number | string, age: 60 }
    const fleetOf = (unit: string): DeviceDefinition[] => [
      {
        ...freezer,
        channels: [
          { num: 1, name: HOSTILE, unit },
          { num: 2, name: 'Probe', unit: 'F', broken: 'Sensor Error' },
        ],
        current: () => ({
          unixtime: NOW / 1000 - reading.age,
          values: { 1: reading.value, 2: 'Sensor Error' },
        }),
      },
      { kind: 'standalone-2', serial: SPARE, name: 'Spare', records: [], zone: { timeDiff: TOKYO } },
    ]
    await deploy(CHECKS, { devices: [{ serial: FREEZER }, { serial: SPARE }, { serial: ABSENT }] })
    const states = [
      { value: -18.5, age: 60, reads: '−18.5 °C', result: 'pass' },
      { value: -14.9, age: 60, reads: '−14.9 °C', result: 'FAIL above −15 °C' },
      { value: -31, age: 60, reads: '−31 °C', result: 'FAIL below −30 °C' },
      { value: -18.5, age: 4000, reads: '−18.5 °C', result: 'FAIL not measured for an hour' },
      { value: 'E\n<b>off', age: 60, reads: '–', result: 'FAIL no value: E\n&lt;b&gt;off' },
      { value: -0.4, unit: 'F', age: 60, reads: '−0.4 °F', result: 'pass' },
      { value: 10.4, unit: 'F', age: 60, reads: '10.4 °F', result: 'FAIL above 5 °F' },
    ]
    const page = async (button: string) => {
      await harness.press(button)
      const name = await until('the page is written', () =>
        readdirSync(harness.nodeRed.userDir).find((file) => /^freezer-check-2026-1[\d-]+\.html$/.test(file)),
      )
      const html = await written(name, (text) => text.includes('</html>'))
      rmSync(join(harness.nodeRed.userDir, name))
      return read(html)
    }
    const isHostile = ([device]: string[]) => device?.startsWith(ESCAPED) === true
    for (const [at, { value, unit = 'C', age, reads, result }] of states.entries()) {
      reading = { value, age }
      simulator.set({ fleet: fleetOf(unit) })
      const { rows, verdict } = await page(at % 2 === 0 ? 'at 8' : 'at 17')
      assert.equal(verdict, result === 'pass' ? '3 of 4 channels failed' : '4 of 4 channels failed')
      const [inside, probe] = rows.filter(isHostile)
      assert.deepEqual([inside?.[2], inside?.[5]], [reads, result].map(nonBreaking))
      assert.match(probe?.[5] ?? '', /^FAIL .*no value: Sensor Error$/)
      assert.ok(
        rows.some(
          (row) => row[0]?.startsWith('Spare') && row[5] === 'FAIL no channels, so nothing was checked',
        ),
      )
      assert.ok(
        rows.some(
          ([device, , , , , why]) => device === ABSENT && /^FAIL not checked: The account/.test(why ?? ''),
        ),
      )
    }
    simulator.set({ faults: [{ kind: 'status', status: 503 }] })
    const { verdict } = await page('at 8')
    assert.match(verdict, /^Not done: The service .*503/)
    // Without a reading, the date is that of the computer.
    assert.match(await written('freezer-checks-2026-10.csv'), /,Not done: The service .*503/)
    const list = await written('freezer-checks-2026-11.csv')
    assert.equal(list.split('\ufeff').length, 2, 'one heading')
    const name = `"'${HOSTILE.replaceAll('"', '""')}"`
    const line = `,,${name},${FREEZER},${FREEZER},1,${name},-14.9,°C,2026-11-01 00:29,-30,-15,FAIL,above −15\u00a0°C\r\n`
    assert.ok(list.includes(line), list)
    assert.equal(list.split(`,${ABSENT},`).length - 1, states.length)
  })

  it('write a check into the list of the month later if that is not possible, and say so at once', async function () {
    this.timeout(FLOW_MS)
    await deploy(CHECKS)
    // A file that cannot be written.
    const list = join(harness.nodeRed.userDir, 'freezer-checks-2026-11.csv')
    mkdirSync(list)
    await harness.press('at 8')
    await until('it is said', () => /debug:list not written\][\s\S]*EISDIR/.test(harness.nodeRed.log()))
    rmdirSync(list)
    const [, heading] = (await written('freezer-checks-2026-11.csv')).split('\ufeff')
    assert.match(String(heading), /^Date,.*\r\n/)
  })
})

/** Numbers are not separated from their units. */
const nonBreaking = (text: string) => text.replace(/(\d) (°[CF])/g, '$1\u00a0$2')
