import assert from 'node:assert/strict'
import helper from 'node-red-node-test-helper'
import { type DeviceDefinition, manualClock } from '../../../simulator'
import { type Flow, startFlow, useSimulator } from '../../support/flow'
import type { Message } from '../../support/flow-types'

/** Records of each minute of two days, which are warm for a quarter of an hour over midnight. */
const MIDNIGHT = Date.parse('2026-11-20T00:00Z')
const freezer: DeviceDefinition = {
  serial: '52A10001',
  name: 'Freezer 1',
  kind: 'standalone-1',
  channels: [{ num: 1, unit: 'C', name: 'Inside' }],
  zone: { timeDiff: 0 },
  records: Array.from({ length: 2 * 1440 }, (_, minute) => {
    const time = MIDNIGHT + (minute - 1440) * 60_000
    const isWarm = time >= MIDNIGHT - 8 * 60_000 && time < MIDNIGHT + 7 * 60_000
    return { unixtime: time / 1000, values: { 1: isWarm ? -9.5 : -19 } }
  }),
}

const ROWS = [{ name: 'too warm', above: -15, minutes: 10, margin: 1 }]
const asked = { from: '2026-11-20', fromType: 'date', to: '2026-11-21', toType: 'date', period: 'custom' }

describe('the node report', () => {
  const simulator = useSimulator(() => ({
    ...{ clock: manualClock(MIDNIGHT + 36 * 3_600_000), limits: 'off', fleet: [freezer] },
  }))

  const start = (node: Message = {}, others: Message = {}) =>
    startFlow('report', simulator(), {
      // Both outputs.
      node: { wires: [['output'], ['output']], ...asked, ...node },
      account: { timeZone: 'UTC' },
      limits: { limits: ROWS, limitsType: 'table' },
      ...others,
    })

  async function run(flow: Flow, msg: Message = {}) {
    flow.send(msg)
    return [await flow.output.next(), await flow.output.next()] as const
  }

  it('sends a page and a table', async () => {
    const flow = await start({ title: 'Cold store', site: 'Plant 1' })
    const [page, table] = await run(flow, { payload: 1, topic: 'x', envlog: { device: 1 }, kept: 'yes' })
    await flow.completed.next()
    const { made, sha256, ...report } = page.report
    assert.deepEqual(report, {
      ...{ key: '2026-11-20', from: '2026-11-20T00:00:00.000Z', to: '2026-11-21T00:00:00.000Z' },
      ...{ level: 'bad', verdict: '1 excursion', devices: 1, excursions: 1, missing: 0 },
    })
    assert.match(sha256, /^[0-9a-f]{64}$/)
    assert.ok(Math.abs(Date.parse(made) - Date.now()) < 60_000)
    assert.equal(page.topic, 'Cold store 2026-11-20: 1 excursion')
    assert.match(page.filename, /^Cold-store-2026-11-20-made-\d{4}-\d\d-\d\d-\d{9}\.html$/)
    assert.equal(table.filename, page.filename.replace(/html$/, 'csv'))
    assert.deepEqual([page.kept, table.kept], ['yes', 'yes'])
    assert.deepEqual([page.envlog.node, page.envlog.account], ['report', 'Plant A'])
    assert.deepEqual([table.topic, table.report], [page.topic, page.report])
    assert.match(page.payload, /^<!DOCTYPE html>\n<html lang="en-US">/)
    assert.match(page.payload, /2026-11-19 23:52/)
    assert.ok(page.payload.includes(sha256) && table.payload.includes(sha256))
    assert.match(table.payload, /2026-11-20;?,?.*Freezer 1/)
    assert.deepEqual(
      simulator().log.map(({ endpoint }) => endpoint),
      ['current', 'data'],
    )
  })

  it('shows how far it is, and what it found', async () => {
    const flow = await start()
    await run(flow)
    await flow.completed.next()
    const shown = flow.shown().map(({ fill, shape, text }) => [fill, shape, text].join(' '))
    assert.deepEqual(
      shown.filter((text, index) => text !== shown[index - 1]),
      ['  ', 'blue dot status.asking', 'blue dot report.status.making', 'red dot 1 excursion'],
    )
  })

  it('has files of different names if two reports are made at once', async () => {
    const flow = await start()
    const names = new Set<string>()
    for (let count = 0; count < 3; count++) for (const { filename } of await run(flow)) names.add(filename)
    assert.equal(names.size, 6)
  })

  it('is in the language of its settings', async () => {
    const [page, table] = await run(await start({ language: 'ja' }))
    assert.match(page.payload, /<html lang="ja">/)
    assert.match(page.topic, /^[^A-Za-z]+ 2026-11-20：逸脱 1 件$/)
    assert.match(table.payload, /^\uFEFF期間,グループ,/)
  })

  describe('that is not done', () => {
    async function notDone(flow: Flow) {
      flow.send({ kept: 'yes' })
      const [page, error] = [await flow.output.next(), await flow.errors.next()]
      assert.equal(flow.output.messages.length, 1, 'no table')
      return { page, error: error.error }
    }

    it('sends a page with the reason, and the error', async () => {
      const flow = await start({}, { credentials: { loginPass: 'wrong' } })
      const { page, error } = await notDone(flow)
      assert.equal(error.code, 'ENVLOG_AUTH')
      const { made, verdict, ...report } = page.report
      assert.deepEqual(report, {
        ...{ key: '2026-11-20', from: null, to: null, level: 'not-done' },
        ...{ devices: 0, excursions: 0, missing: 0, sha256: null },
      })
      assert.match(verdict, /^Not done: The service refused the login/)
      assert.ok(page.payload.includes('Not done') && page.filename.endsWith('.html'))
      assert.equal(page.kept, 'yes')
      assert.deepEqual(flow.shown().at(-1), { fill: 'red', shape: 'ring', text: 'report.status.not-done' })
    })

    it('because of its settings, its account or its limits does so, too', async () => {
      for (const [node, code, status, topic] of [
        [{ account: '' }, 'ENVLOG_CONFIG', 'status.no-account', 'Report'],
        [
          { account: '', title: 'Cold store', language: 'ja' },
          'ENVLOG_CONFIG',
          'status.no-account',
          'Cold store',
        ],
        [{ account: '', period: 'yesterday' }, 'ENVLOG_CONFIG', 'status.no-account', 'Daily report'],
        [{ coverage: 101 }, 'ENVLOG_CONFIG', 'status.unconfigured', 'Report'],
        [{ limits: 'missing' }, 'ENVLOG_CONFIG', 'status.no-limits', 'Report'],
        [
          { limits: 'missing', from: 'yesterday', fromType: 'calendar' },
          'ENVLOG_CONFIG',
          'status.no-limits',
          'Daily report',
        ],
        [{ from: 'soon' }, 'ENVLOG_INPUT', 'report.status.not-done', 'Report'],
        [{ from: '2099-01-01', to: '2099-01-02' }, 'ENVLOG_INPUT', 'report.status.not-done', 'Report'],
      ] as const) {
        const flow = await start(node)
        const { page, error } = await notDone(flow)
        assert.equal(error.code, code)
        assert.equal(page.report.level, 'not-done')
        assert.equal(flow.shown().at(-1)?.text, status)
        const [title] = page.topic.split(/ [\d-]{10}/)
        assert.equal(title, topic)
        if ('language' in node) assert.match(page.payload, /<html lang="ja">/)
      }
    })
  })

  it('has a preview of the first device, with at most two requests, also with limits that are not deployed', async () => {
    await start()
    const stored = { apiKey: '__PWRD__', loginId: '__PWRD__', loginPass: '__PWRD__' }
    const account = {
      ...{ id: 'account', name: 'Plant A', baseUrl: simulator().url, relaySuffix: 'relay', timeZone: 'UTC' },
      credentials: stored,
    }
    const node = { id: 'new', z: 'tab', type: 'envlog-report', account: 'account', limits: 'new', ...asked }
    const preview = (limits?: object, more: object = {}) =>
      helper
        .request()
        .post('/envlog/preview')
        .send({ account, node: { ...node, ...more }, limits })
    const { status, body } = await preview({ limits: ROWS, limitsType: 'table', silentAfter: 90 })
    assert.equal(status, 200)
    assert.match(body.page, /^<!DOCTYPE html>[\s\S]*too warm/)
    assert.equal(simulator().log.length, 2)
    const usual = await preview({ limits: ROWS, limitsType: 'table' }, { period: 'now' })
    assert.match(usual.body.page, /silent since 2026-11-20 23:59/, 'after 90 minutes')
    const wrong = await preview({ limits: [{ name: 'no bound' }], limitsType: 'table' })
    assert.deepEqual([wrong.status, wrong.body.reason], [400, 'limit-invalid'])
    // Only the deployed limits can read the context.
    const deployed = await preview({ limitsType: 'global', limits: 'rows' }, { limits: 'limits' })
    assert.match(deployed.body.page, /too warm/)
    const refused = await preview()
    assert.deepEqual([refused.status, refused.body.reason], [400, 'no-limits'])
  })
})
