import assert from 'node:assert/strict'
import { checkRows, collectStatistics, joinStatistics } from '../../../../src/lib/collect/collect-statistics'
import type { CollectedRange } from '../../../../src/lib/collect/range'
import { TimeZone } from '../../../../src/shared/local-clock'
import { context, graph } from '../responses'
import { modelAccount } from './model-service'

const device = { serial: '5212A1B2', base: '5212A1B2' }
const instants = (from: string, to: string) => ({
  from: { instant: Date.parse(from) },
  to: { instant: Date.parse(to) },
})
const query = {
  period: instants('2026-11-20T00:00Z', '2026-11-21T00:00Z'),
  time: 'local',
  per: 'period',
  unit: null,
} as const
const data = [{ unixtime: Date.parse('2026-11-20T06:00Z') / 1000, 'data-id': 1, ch1: 20 }]

describe('collecting statistics', () => {
  it('converts temperatures before they are aggregated', async () => {
    const { account } = modelAccount(() => graph({ data }))
    const { content } = await collectStatistics(account, device, { ...query, unit: 'F' }, context)
    assert.ok(content.kind === 'statistics')
    const [row] = content.devices[0]?.rows ?? []
    assert.deepEqual([row?.unit, row?.min, row?.mean, row?.max], ['°F', 68, 68, 68])
  })

  it('of more than 20,000 intervals fails with ENVLOG_INPUT, without a request', async () => {
    const { account, requests } = modelAccount(() => graph({ data: [] }))
    const tenYears = { ...query, period: instants('2016-01-01', '2026-01-01') }
    const collect = (per: 'period' | 'day' | 'hour') =>
      collectStatistics(account, device, { ...tenYears, per }, context)
    await assert.rejects(collect('hour'), { code: 'ENVLOG_INPUT', reason: 'period-too-long' })
    assert.equal(requests.length, 0)
    await collect('day')
    await collect('period')
    const period = (hours: number) => ({ from: { instant: 0 }, to: { instant: hours * 3_600_000 } })
    const ofHours = (hours: number) =>
      collectStatistics(account, device, { ...query, per: 'hour', period: period(hours) }, context)
    await ofHours(20_000)
    assert.equal(requests.length, 3)
    await assert.rejects(ofHours(20_001), { reason: 'period-too-long' })
  })

  it("uses days of the clock of its period, or of UTC if the device's clock cannot be read", async () => {
    const period = { calendar: 'yesterday', now: Date.parse('2026-11-21T12:00Z') } as const
    for (const [listed, start] of [
      [120, '2026-11-20T00:00:00.000+02:00'],
      [null, '2026-11-20T00:00:00.000+00:00'],
    ] as const) {
      const { account } = modelAccount(() => graph({ time_diff: 60, data }), listed)
      const collected = await collectStatistics(account, device, { ...query, period, per: 'day' }, context)
      assert.ok(collected.content.kind === 'statistics')
      const rows = collected.content.devices[0]?.rows ?? []
      assert.deepEqual(
        rows.map(({ localtime }) => localtime),
        [start],
      )
    }
  })

  it('of a period that has not begun has no rows', async () => {
    const { account } = modelAccount(() => graph({ data: [] }))
    const period = instants('2099-01-01', '2099-01-03')
    const { content } = await collectStatistics(account, device, { ...query, period, per: 'day' }, context)
    assert.deepEqual(content.kind === 'statistics' && content.devices[0]?.rows, [])
  })

  it('has at most 200,000 rows in one message', async () => {
    const one = (rows: number) =>
      ({ content: { kind: 'statistics', devices: [{ rows: new Array(rows) }] } }) as unknown as CollectedRange
    checkRows([one(100_000), one(100_000)])
    assert.throws(() => checkRows([one(100_000), one(100_001)]), { reason: 'period-too-long' })
  })

  it('of several devices say that records were lost if any device has lost some', async () => {
    const { account } = modelAccount(() => graph({ data }))
    const one = await collectStatistics(account, device, query, context)
    const overflowOf = (...lost: boolean[]) =>
      joinStatistics(lost.map((overflow) => ({ ...one, overflow })))?.overflow
    assert.deepEqual(
      [overflowOf(true, false), overflowOf(false, true), overflowOf(false, false)],
      [true, true, false],
    )
  })

  it('of several devices returns one response with all rows, failures, and the complete period', async () => {
    const { account } = modelAccount(() => graph({ data: [...data, { unixtime: 'soon' }] }))
    const collect = (zone: string) =>
      collectStatistics(
        account,
        device,
        {
          ...query,
          period: { calendar: 'yesterday', now: Date.parse('2026-11-21T12:00Z') },
          time: new TimeZone(zone),
        },
        context,
      )
    const joined = joinStatistics([await collect('Asia/Tokyo'), await collect('America/New_York')])
    assert.ok(joined?.content.kind === 'statistics')
    assert.deepEqual(joined.range, { from: '2026-11-19T15:00:00.000Z', to: '2026-11-21T05:00:00.000Z' })
    assert.deepEqual(
      [joined.content.devices.length, joined.content.records, joined.failed?.length],
      [2, 2, 2],
    )
    assert.equal(joinStatistics([]), undefined)
  })
})
