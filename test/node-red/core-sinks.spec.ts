import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { currentRows, deviceIn, expectedRows, type FlatRow, newestOf } from '../support/expected'
import { type AnyNode, chain, plainChain, useNodeRed } from '../support/flow-harness'
import type { Message } from '../support/flow-types'
import { GROWING, REMOTE, serialOf } from '../support/hostile'
import { assertSame } from '../support/same'

const ANSWER_MS = 30_000
const COLUMNS =
  'time,timestamp,serial,name,model,base,groupname,channel,label,unit,quantity,value,error,dataid'
const CURRENT_COLUMNS = `${COLUMNS},battery,batterylevel,rssi,age,stale`
const ALERT_COLUMNS = 'time,timestamp,serial,name,model,base,source,channel,label,kind,text'

const alone = { onlyNew: false, select: 'list', devices: [{ serial: serialOf('quotes') }] }

/** Defaults except for the header; without `rfc` as before Node-RED 4. */
const toCsv = (hdrout: string, spec = 'rfc'): AnyNode => ({
  type: 'csv',
  spec,
  temp: '',
  hdrout,
  ret: '\\n',
  multi: 'mult',
})
const fromCsv = (spec = 'rfc'): AnyNode => ({
  type: 'csv',
  spec,
  temp: '',
  hdrin: true,
  multi: 'mult',
  // A serial may look like a number: 521E0001.
  strings: false,
})
/** The service's own CSV: three header rows. */
const fromRaw: AnyNode = { type: 'csv', temp: 'time,serial,ch1,ch2', skip: 3, multi: 'mult' }
const file = (filename: string, overwriteFile: string): AnyNode => ({
  type: 'file',
  filename,
  filenameType: 'str',
  appendNewline: false,
  createDir: true,
  overwriteFile,
})
const filter = (property: string): AnyNode => ({
  type: 'rbe',
  func: 'rbe',
  property,
  topi: 'topic',
  septopics: true,
})

describe('outputs in core csv, file and filter nodes', () => {
  const harness = useNodeRed()
  let onDisk: (name: string) => string

  before('deploys the flows', async function () {
    this.timeout(ANSWER_MS)
    onDisk = (name) => join(harness.nodeRed.userDir, 'csv', name)
    const rows = { onlyNew: false, output: 'rows' }
    const current = { select: 'list', devices: [GROWING, REMOTE].map((serial) => ({ serial })) }
    await harness.deploy([
      chain('csv', 'latest', { ...rows, ...alone }, [toCsv('all')]),
      chain('csv-current', 'current', { output: 'rows', send: 'all' }, [toCsv('all')]),
      chain('csv-alerts', 'alerts', { ...rows, ...alone }, [toCsv('all')]),
      chain('csv-back', 'latest', rows, [toCsv('all'), fromCsv()]),
      chain('csv-back-old', 'latest', rows, [toCsv('all', ''), fromCsv('')]),
      chain('csv-raw', 'latest', { ...alone, output: 'csv', send: 'answer' }, [fromRaw]),
      chain('file-rows', 'latest', { ...rows, send: 'each' }, [
        toCsv('once'),
        file(onDisk('rows.csv'), 'false'),
      ]),
      plainChain(
        'file-back',
        { type: 'file in', filename: onDisk('rows.csv'), filenameType: 'str', format: 'utf8' },
        fromCsv(),
      ),
      chain('file-raw', 'latest', { ...alone, output: 'csv', send: 'answer' }, [
        file(onDisk('raw.csv'), 'true'),
      ]),
      chain('values-filter', 'current', { ...current, output: 'values', send: 'value' }, [filter('payload')]),
      chain('rows-filter', 'current', { ...current, output: 'rows', send: 'each' }, [
        filter('payload.value'),
      ]),
      chain('readings-filter', 'current', { ...current, send: 'device' }, [filter('payload.channels')]),
    ])
  })

  const truth = () => harness.simulator.truth
  const latestRows = (serial: string) =>
    expectedRows(deviceIn(truth(), serial), newestOf(truth(), deviceIn(truth(), serial)))

  for (const [name, columns] of [
    ['csv', COLUMNS],
    ['csv-current', CURRENT_COLUMNS],
    ['csv-alerts', ALERT_COLUMNS],
  ] as const) {
    it(`${name}: the header has all columns in their order`, async () => {
      const [msg] = await harness.run(name)
      assert.equal(msg?.payload.split('\n')[0], columns)
      assert.equal(msg?.columns, columns)
    })
  }

  for (const [name, title] of [
    ['csv-back', 'csv'],
    ['csv-back-old', 'csv as it was before Node-RED 4'],
  ] as const) {
    it(`${title}: rows survive the conversion to CSV and back, with any names`, async function () {
      this.timeout(ANSWER_MS)
      const messages = await harness.run(name, truth().devices().length)
      const expected = truth()
        .devices()
        .flatMap(({ serial }) => latestRows(serial).map(asTexts))
      assertSame(
        messages.flatMap(({ payload }) => payload),
        expected,
      )
    })
  }

  it('csv: the CSV of the service, unchanged, can be parsed', async () => {
    const [msg] = await harness.run('csv-raw')
    const expected = newestOf(truth(), deviceIn(truth(), serialOf('quotes'))).map(({ values }) => values[2])
    assert.deepEqual(
      msg?.payload.map(({ ch2 }: Message) => ch2),
      expected,
    )
  })

  it('file: rows one by one are one CSV file with one header', async function () {
    this.timeout(ANSWER_MS)
    const expected = truth()
      .devices()
      .flatMap(({ serial }) => latestRows(serial).map(asTexts))
    await harness.run('file-rows', expected.length)
    const [msg] = await harness.run('file-back')
    assertSame(msg?.payload, expected)
    assert.equal(readFileSync(onDisk('rows.csv'), 'utf8').split(COLUMNS).length, 2)
  })

  it('file: the CSV of the service is written unchanged', async () => {
    const [msg] = await harness.run('file-raw')
    assert.match(msg?.payload, /^"Date\/Time"/)
    assert.equal(readFileSync(onDisk('raw.csv'), 'utf8'), msg?.payload)
  })

  for (const output of ['values', 'rows', 'readings'] as const) {
    it(`filter: ${output} pass once, and again only after a new measurement`, async () => {
      const chosen = currentRows(truth()).filter(({ serial }) => serial === GROWING || serial === REMOTE)
      const { length } = chosen.filter(({ value }) => value !== undefined)
      await harness.run(`${output}-filter`, output === 'readings' ? 2 : length)
      await harness.trigger(`${output}-filter`)
      const growing = () =>
        truth()
          .current()
          .find(({ serial }) => serial === GROWING)?.values[1]
      const before = growing()
      while (growing() === before) harness.simulator.clock.advance(60_000)
      // Messages of the second trigger would arrive first.
      const [msg] = await harness.run(`${output}-filter`)
      assert.equal(msg?.envlog.device.serial, GROWING)
    })
  }
})

function asTexts(row: FlatRow): Record<string, string> {
  return Object.fromEntries(Object.entries(row).map(([key, value]) => [key, String(value)]))
}
