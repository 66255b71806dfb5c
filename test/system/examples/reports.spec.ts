import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DeviceDefinition, manualClock, type Simulator, startSimulator } from '../../../simulator'
import { useExamples } from '../../support/examples'
import type { FlowNode } from '../../support/node-red'
import { until } from '../../support/wait'

const FLOW_MS = 180_000
/** In Tokyo it is half past midnight, on the first day of the next month. */
const NOW = Date.UTC(2026, 9, 31, 15, 30)
const TOKYO = 540
/** Midnight of October 31 in Tokyo, in Unix seconds. */
const MIDNIGHT = Date.UTC(2026, 9, 30, 15) / 1000

const DAILY = 'Files and reports/daily report'
const MONTHLY = 'Files and reports/monthly report'
const CHECKS = 'Files and reports/fixed-time freezer checks'

const FREEZER = '52A10001'
const ABSENT = '52A10009'
const HOSTILE = '=a "b", c\n<b>冷'

/** A record every ten minutes, from half an hour before midnight until half past midnight too warm. */
const freezer: DeviceDefinition = {
  serial: FREEZER,
  name: HOSTILE,
  zone: { timeDiff: TOKYO },
  channels: [{ num: 1, name: HOSTILE, unit: 'C' }],
  records: Array.from({ length: 196 }, (_, index) => {
    const unixtime = MIDNIGHT + (index - 48) * 600
    return { unixtime, values: { 1: index >= 45 && index < 51 ? -12.5 : -20 } }
  }),
}

describe('examples for reports', () => {
  const harness = useExamples({ now: NOW })
  let simulator: Simulator
  const folder = () => join(harness.nodeRed.userDir, 'reports')

  beforeEach(async () => {
    rmSync(folder(), { recursive: true, force: true })
    simulator = await startSimulator({ clock: manualClock(NOW), limits: 'off', fleet: [freezer] })
  })

  afterEach(() => simulator?.close())

  /** Deploys an example with changed settings of the report; its mail is written to the log. */
  const deploy = (name: string, settings: object = {}) =>
    harness.deploy([name], { simulator }, (flow) =>
      flow.map((node): FlowNode => {
        const devices = [{ serial: FREEZER }, { serial: ABSENT }]
        if (node.type === 'envlog-report') return { ...node, devices, ...settings }
        return node.name === 'the verdict' ? { ...node, complete: 'true' } : node
      }),
    )

  /** The texts of the files with an ending, once there are as many. */
  const written = (ending: string, count = 1) =>
    until(`${count} files`, () => {
      const names = existsSync(folder()) ? readdirSync(folder()).filter((name) => name.endsWith(ending)) : []
      const texts = names.map((name) => readFileSync(join(folder(), name), 'utf8'))
      return names.length >= count && texts.every((text) => text !== '') && { names, texts }
    })

  it('write a page and a table of yesterday, and offer a mail', async function () {
    this.timeout(FLOW_MS)
    await deploy(DAILY)
    const start = harness.nodeRed.log().length
    await harness.press('make it now')
    const [page, table] = [await written('.html'), await written('.csv')]
    assert.match(page.names[0] ?? '', /^Daily-report-2026-10-31-made-2026-11-01-\d{9}\.html$/)
    const [html = ''] = page.texts
    // With its true beginning.
    assert.match(html, /2026-10-30 23:30[\s\S]*2026-10-31 00:30/)
    assert.ok(html.includes(ABSENT) && !html.includes('<b>冷'))
    assert.ok(table.texts[0]?.includes(`"'${HOSTILE.replaceAll('"', '""')}"`))
    const log = await until('the mail', () => {
      const text = harness.nodeRed.log().slice(start)
      return text.includes('attachments') && text
    })
    assert.match(log, /topic: 'Daily report 2026-10-31: 1 excursion, 1 device not checked'/)
    assert.match(log, /payload: '1 excursion, 1 device not checked'/)
  })

  it('overwrite no report, and say why one is not done, or cannot be written', async function () {
    this.timeout(FLOW_MS)
    await deploy(DAILY)
    await harness.press('make it now')
    await written('.html')
    simulator.set({ faults: [{ kind: 'status', status: 503 }] })
    await harness.press('make it now')
    const { texts } = await written('.html', 2)
    assert.ok(texts.some((text) => /Not done: The service .*503/.test(text)))
    assert.equal(texts.filter((text) => text.includes('Not done')).length, 1)
    simulator.set({ faults: [] })
    rmSync(folder(), { recursive: true })
    writeFileSync(folder(), 'in the way')
    const start = harness.nodeRed.log().length
    await harness.press('make it now')
    await until('the reason', () =>
      /debug:what went wrong\][\s\S]*reports/.test(harness.nodeRed.log().slice(start)),
    )
    rmSync(folder())
  })

  it('write those of last month, also in Japanese', async function () {
    this.timeout(FLOW_MS)
    await deploy(MONTHLY, { language: 'ja', decimalComma: true })
    await harness.press('make it now')
    const [page, table] = [await written('.html'), await written('.csv')]
    assert.match(page.names[0] ?? '', /^月報-2026-10-made-/)
    assert.match(page.texts[0] ?? '', /<html lang="ja">/)
    assert.match(table.texts[0] ?? '', /^\ufeff期間;/)
  })

  it('check freezers', async function () {
    this.timeout(FLOW_MS)
    await deploy(CHECKS)
    await harness.press('at 8')
    const { texts } = await written('.csv')
    assert.match(texts[0] ?? '', /,-20,,2026-11-01 00:\d\d,-30,-15,pass,/)
    assert.ok(texts[0]?.includes(`,${ABSENT},`))
    assert.match((await written('.html')).texts[0] ?? '', /pass/)
  })
})
