import assert from 'node:assert/strict'
import { toFileName } from '../../../../src/lib/report/file-name'
import { renderTable } from '../../../../src/lib/report/table'
import { Wording } from '../../../../src/lib/report/wording'
import { createTranslate } from '../../../../src/lib/texts'
import { fixedClock } from '../../../../src/shared/local-clock'
import { read } from '../../../support/documents'
import { type Asked, every, type PlantDevice, reportOf } from '../../../support/report/plant'

const MINUTE = 60_000
const at = (text: string) => Date.parse(text)

const wordsIn = (language: string) => {
  const catalogs = ['common', 'page'].map((name) => JSON.parse(read(`locales/${language}/${name}.json`)))
  return new Wording(language, createTranslate(Object.assign({}, ...catalogs), language))
}

/** The rows by column, without the byte order mark. */
async function tableOf(devices: readonly PlantDevice[], asked: Asked, language = 'en-US') {
  const { report } = await reportOf(devices, asked)
  const text = await renderTable(report, wordsIn(language), false)
  assert.ok(text.startsWith('\uFEFF'))
  const [head = '', ...lines] = text.slice(1).trimEnd().split('\r\n')
  const rows = lines.map((line) => {
    const cells = line.match(/("([^"]|"")*"|[^,]*)(,|$)/g)?.map((cell) => cell.replace(/,$/, '')) ?? []
    return Object.fromEntries(head.split(',').map((name, index) => [name, cells[index]]))
  })
  return { report, text, head: head.split(','), rows }
}

const now = at('2026-10-26T12:00Z')
const device: PlantDevice = {
  ...{ serial: '5212A1B2', name: 'Freezer 3', group: 'Cold, store', offset: 60 },
  records: every(10 * MINUTE, at('2026-10-24T00:00Z'), now, (time) =>
    time === at('2026-10-25T01:10Z') ? -9.5 : -19,
  ),
}
const asked = {
  now,
  zone: 'Europe/Berlin',
  rows: [
    { name: 'critical', above: -5, below: -40 },
    { name: 'too warm', above: -15, below: -30 },
  ],
}

describe('the table of a report', () => {
  it('has whole dates, with the offset in an hour that occurs twice, and the checksum in the last column', async () => {
    const { rows, head, report } = await tableOf([device], asked)
    const [row] = rows
    assert.deepEqual(
      [row?.Period, row?.Minimum, row?.['Minimum at'], row?.Maximum, row?.['Maximum at']],
      ['2026-10-25', '-19', '2026-10-25 00:00', '-9.5', '2026-10-25 02:10 UTC+1'],
    )
    assert.deepEqual([row?.['Lower limit'], row?.['Upper limit']], ['-30', '-15'])
    assert.deepEqual([row?.Excursions, row?.['Minutes of excursions']], ['1', '10'])
    assert.deepEqual([row?.['Measured (%)'], row?.Values, row?.['Expected values']], ['100', '150', '150'])
    assert.equal(row?.Group, '"Cold, store"')
    assert.equal(head.at(-1), 'SHA-256')
    assert.equal(row?.['SHA-256'], report.sha256)
  })

  it('has the number and the minutes of all excursions, also of those that the page only counts', async () => {
    const records = every(5 * MINUTE, at('2026-10-24T00:00Z'), now, (time) =>
      (time / MINUTE) % 10 === 0 ? -9 : -19,
    )
    const { rows } = await tableOf([{ ...device, records }], asked)
    assert.deepEqual([rows[0]?.Excursions, rows[0]?.['Minutes of excursions']], ['150', '750'])
  })

  it('has what is missing of each channel, and a row of a device without channels', async () => {
    const gap = device.records?.filter(
      ([time]) => time < at('2026-10-25T10:00Z') || time > at('2026-10-25T13:00Z'),
    )
    const { rows } = await tableOf([{ ...device, records: gap ?? [] }, { serial: '5212A1B9' }], asked)
    assert.equal(rows[0]?.['Longest gap (min)'], '200')
    assert.match(rows[0]?.Missing ?? '', /2026-10-25 10:50 – 2026-10-25 14:10/)
    assert.deepEqual(
      [rows[1]?.['Serial number'], rows[1]?.Channel, rows[1]?.Missing],
      ['5212A1B9', '', 'no records in this period'],
    )
  })

  it('has what is missing of a channel only in its own row', async () => {
    const records = device.records?.map(([time]) => [time, -19, 'E1'] as const) ?? []
    const { rows } = await tableOf([{ ...device, units: ['C', '%'], records }], asked)
    assert.deepEqual([rows[0]?.Missing, rows[1]?.Missing], ['', 'Damp: no value: E1: sensor'])
  })

  it('has what is missing of a device in the rows of all its channels', async () => {
    const records = device.records?.filter(([time]) => time < now - 2 * 60 * MINUTE) ?? []
    const damp = records.map(([time, value]) => [time, value ?? null, 40] as const)
    const today = { calendar: 'today', now } as const
    const { rows } = await tableOf([{ ...device, units: ['C', '%'], records: damp }], {
      ...{ ...asked, period: today },
    })
    assert.equal(rows.length, 2)
    for (const { Missing } of rows) assert.match(Missing ?? '', /silent since 2026-10-26 10:50/)
  })

  it('has quantities and limits only where there are some', async () => {
    const records = device.records?.map(([time]) => [time, -19, 40, 5] as const) ?? []
    const { rows } = await tableOf(
      [{ ...device, units: ['C', '%', 'x'], records }, { serial: '5212A1B9' }],
      asked,
    )
    assert.deepEqual(
      rows.map((row) => ['Quantity', 'Lower limit', 'Upper limit'].map((name) => row[name])),
      [
        ['temperature', '-30', '-15'],
        ['humidity', '', ''],
        ['', '', ''],
        ['', '', ''],
      ],
    )
  })

  it('of a check has the readings, and why they fail', async () => {
    const broken = { ...device, records: [[now - MINUTE, 'E1'] as const] }
    const { rows } = await tableOf([broken], { ...asked, period: 'now' })
    assert.deepEqual(
      ['Checked at', 'Reading', 'Why no reading', 'Measured at', 'Lower limit', 'Upper limit', 'Result'].map(
        (name) => rows[0]?.[name],
      ),
      ['2026-10-26 13:00', '', 'E1: sensor', '2026-10-26 12:59', '-30', '-15', 'FAIL'],
    )
  })

  it('contains no text that a spreadsheet reads as a formula or as a number', async () => {
    for (const [name, shown] of [
      ['=1+1', "'=1+1"],
      ['  @SUM(A1)', "'  @SUM(A1)"],
      ['＝1', "'＝1"],
      ['-"a"', '"\'-""a"""'],
      ['\t1', "'\t1"],
      ['5', '5'],
    ]) {
      const { rows } = await tableOf([{ ...device, name: name as string }], asked)
      assert.equal(rows[0]?.Device, shown)
    }
    for (const serial of ['5214E001', '00012345']) {
      const { rows } = await tableOf([{ ...device, serial }], asked)
      assert.equal(rows[0]?.['Serial number'], `'${serial}`)
    }
  })

  it('has a decimal comma and semicolons if wanted, and the words of the language', async () => {
    const { report } = await reportOf([device], asked)
    const table = await renderTable(report, wordsIn('ja'), true)
    assert.match(table, /^\uFEFF期間;グループ;機器;/)
    assert.match(table, /;-9,5;2026-10-25 02:10 UTC\+1;/)
  })
})

describe('the name of the file of a report', () => {
  const made = at('2026-11-28T23:41:05.123Z')
  const nameOf = (title: string, number?: number) =>
    toFileName(title, '2026-11-28', made, fixedClock(60), number)

  it('has the date of the period, and when it was made', () => {
    assert.equal(nameOf('Daily report'), 'Daily-report-2026-11-28-made-2026-11-29-004105123')
    assert.equal(nameOf('Daily report', 2), 'Daily-report-2026-11-28-made-2026-11-29-004105123-2')
    assert.equal(nameOf('日報 第 1 工場'), '日報-第-1-工場-2026-11-28-made-2026-11-29-004105123')
  })

  it('is safe', () => {
    assert.match(nameOf('../../etc/passwd\0'), /^etc-passwd-2026/)
    assert.match(nameOf('a\u202Egpj.exe "b" <c>|d'), /^a-gpj-exe-b-c-d-2026/)
    assert.match(nameOf('///'), /^report-2026/)
    assert.match(nameOf('u\u0308'), /^\u00fc-2026/)
    assert.match(nameOf('a'.repeat(500)), /^a{40}-2026/)
    assert.ok(Buffer.byteLength(nameOf('温'.repeat(500))) < 250)
    assert.ok(Buffer.byteLength(nameOf('🌡'.repeat(500))) < 250)
  })
})
