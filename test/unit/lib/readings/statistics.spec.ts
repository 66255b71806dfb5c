import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { TimeStyle } from '../../../../src/lib/decode/time'
import { intervalsOf, type StatisticsRow, toStatistics } from '../../../../src/lib/readings/statistics'
import { fixedClock, TimeZone } from '../../../../src/shared/local-clock'
import { PERS, type Per } from '../../../../src/shared/outputs'
import { graph, type Json, readSeries } from '../responses'

const HOUR = 3_600_000
const DAY = 24 * HOUR

interface Asked {
  from: string
  to: string
  per?: Per
  time?: TimeStyle
  receivedAt?: number
}

const GROUP = { number: 1, name: 'Cold chain' }

/** Values of channels, or texts in place of them, by time. */
type Measured = readonly [time: string, ...values: unknown[]]

async function statistics(measured: readonly Measured[], { from, to, ...asked }: Asked, fields: Json = {}) {
  const data = measured.map(([time, ch1, ch2], index) => ({
    unixtime: time === '' ? '' : Date.parse(time) / 1000,
    'data-id': index + 1,
    ch1,
    ...(ch2 === undefined ? {} : { ch2 }),
  }))
  const query = {
    per: 'period',
    time: 'local',
    receivedAt: Number.POSITIVE_INFINITY,
    group: GROUP,
    ...asked,
  } as const
  const series = readSeries(graph({ data, ...fields }), query.time)
  const { rows } = await toStatistics(series, { from: Date.parse(from), to: Date.parse(to), ...query })
  return rows
}

const figures = ({ count, min, max, mean, errors }: StatisticsRow) => [count, min, max, mean, errors]

const A_DAY = { from: '2026-11-20T00:00Z', to: '2026-11-21T00:00Z' }

describe('the statistics of a period', () => {
  it('are the row in docs/messages.md', async () => {
    const measured: Measured[] = [
      ['2026-11-20T03:00Z', -18.5],
      ['2026-11-20T03:10Z', -18.9],
      ['2026-11-20T03:20Z', -16.2],
      ['2026-11-20T03:30Z', 'E1'],
      ['2026-11-20T03:40Z', -18.9],
      ['2026-11-20T03:50Z', -16.2],
    ]
    assert.deepEqual(await statistics(measured, A_DAY), [
      {
        time: '2026-11-20T00:00:00.000Z',
        localtime: '2026-11-20T09:00:00.000+09:00',
        base: '5212A1B2',
        serial: '5212A1B2',
        name: 'Logger',
        groupname: 'Cold chain',
        channel: 1,
        label: 'Inside',
        unit: '°C',
        quantity: 'temperature',
        count: 5,
        min: -18.9,
        mintime: '2026-11-20T03:10:00.000Z',
        max: -16.2,
        maxtime: '2026-11-20T03:20:00.000Z',
        mean: -17.74,
        mkt: -17.62,
        errors: 1,
        coverage: 2.1,
      },
    ])
  })

  it('are calculated per channel and interval', async () => {
    const channel = [
      { num: 0, name: 'Inside', unit: 'C' },
      { num: 1, name: 'Damp', unit: '%' },
    ]
    const measured: Measured[] = [
      ['2026-11-20T01:00Z', 4, 60],
      ['2026-11-20T01:30Z', 4, 'E1'],
      ['2026-11-20T02:00Z', 5, 'E1'],
    ]
    const rows = await statistics(measured, { ...A_DAY, to: '2026-11-20T03:00Z', per: 'hour' }, { channel })
    const { min, mintime, max, maxtime, mean } = rows[5] as StatisticsRow
    assert.deepEqual([min, mintime, max, maxtime, mean], Array(5).fill(null), 'without a value')
    assert.deepEqual(
      rows.map(({ localtime, channel: number, count, errors }) => [
        localtime.slice(11, 16),
        number,
        count,
        errors,
      ]),
      [
        ['09:00', 1, 0, 0],
        ['09:00', 2, 0, 0],
        ['10:00', 1, 2, 0],
        ['10:00', 2, 1, 1],
        ['11:00', 1, 1, 0],
        ['11:00', 2, 0, 1],
      ],
    )
  })

  it('have the mean kinetic temperature of temperatures, in the unit of the row', async () => {
    // -10,000 K / ln((exp(-10,000 / 293.15) + exp(-10,000 / 303.15)) / 2) = 299.41 K
    const measured: Measured[] = [
      ['2026-11-20T01:00Z', 20, 60],
      ['2026-11-20T02:00Z', 30, 60],
    ]
    const channelOf = (unit: string) => [
      { num: 0, name: 'Inside', unit },
      { num: 1, name: 'Damp', unit: '%' },
    ]
    const rows = await statistics(measured, A_DAY, { channel: channelOf('C') })
    assert.deepEqual(
      rows.map(({ mkt }) => mkt),
      [26.26, undefined],
    )
    const fahrenheit = measured.map(([time, value, damp]): Measured => [time, Number(value) * 1.8 + 32, damp])
    assert.equal((await statistics(fahrenheit, A_DAY, { channel: channelOf('F') }))[0]?.mkt, 79.27)
    // The published example of another implementation: https://github.com/zelti/mkt
    const published = [2, 2, 5, 8, 8, 8, 8].map((value, hour): Measured => [`2026-11-20T0${hour}:00Z`, value])
    assert.equal((await statistics(published, A_DAY))[0]?.mkt, 6.25)
    const far = [-20, 60].map((value, hour): Measured => [`2026-11-20T0${hour}:00Z`, value])
    assert.equal((await statistics(far, A_DAY))[0]?.mkt, 52.48)
    const constant = measured.map(([time]): Measured => [time, -20])
    assert.equal((await statistics(constant, A_DAY))[0]?.mkt, -20)
    const freezing = measured.map(([time]): Measured => [time, -0.001])
    assert.ok(Object.is((await statistics(freezing, A_DAY))[0]?.mkt, 0), 'never -0')
    const [none] = await statistics([['2026-11-20T01:00Z', 'E1']], A_DAY)
    assert.deepEqual([none?.mkt, none?.coverage], [null, 0])
  })

  it('have the share of each interval that was measured, also of days with 23 and 25 hours', async () => {
    const hourly = (from: string, hours: number, left: readonly number[] = []): Measured[] =>
      Array.from(
        { length: hours },
        (_, hour): Measured => [new Date(Date.parse(from) + hour * 3_600_000).toISOString(), 1],
      ).filter((_, hour) => !left.includes(hour))
    const coverage = async (measured: Measured[], period: Asked) =>
      (await statistics(measured, period)).map((row) => row.coverage)
    assert.deepEqual(await coverage(hourly(A_DAY.from, 24), A_DAY), [100])
    assert.deepEqual(await coverage(hourly(A_DAY.from, 12), A_DAY), [45.8])
    assert.deepEqual(await coverage(hourly(A_DAY.from, 24, [3, 4, 5]), A_DAY), [83.3], 'a hole')
    assert.deepEqual(await coverage(hourly(A_DAY.from, 1), A_DAY), [null], 'one record')
    const receivedAt = Date.parse(A_DAY.from) + 12 * 3_600_000
    const untilNow = { ...A_DAY, receivedAt }
    assert.deepEqual(await coverage(hourly(A_DAY.from, 12), untilNow), [100], 'until now')
    assert.deepEqual(await coverage(hourly(A_DAY.from, 12, [3, 4, 5]), untilNow), [66.7], 'a hole until now')
    const berlin = { per: 'day', time: new TimeZone('Europe/Berlin') } as const
    for (const [from, to, hours] of [
      ['2026-03-28T23:00Z', '2026-03-29T22:00Z', 23],
      ['2026-10-24T22:00Z', '2026-10-25T23:00Z', 25],
    ] as const)
      assert.deepEqual(await coverage(hourly(from, hours), { from, to, ...berlin }), [100], from)
  })

  it('have the coverage of an hour by the steps of the whole period', async () => {
    const perHour = async (step: number, until: number) => {
      const times = Array.from({ length: until / step }, (_, index) => Date.parse(A_DAY.from) + index * step)
      const measured = times.map((time): Measured => [new Date(time).toISOString(), 1])
      const rows = await statistics(measured, { ...A_DAY, to: '2026-11-20T04:00Z', per: 'hour' })
      return rows.map(({ coverage }) => coverage)
    }
    assert.deepEqual(await perHour(HOUR, 4 * HOUR), [100, 100, 100, 100], 'a value an hour')
    // Until 01:09, of 01:00 to 02:00: 9 minutes.
    assert.deepEqual(await perHour(HOUR / 60, HOUR + HOUR / 6), [100, 15, 0, 0])
  })

  it('have a row of a device without channels', async () => {
    const [row, ...others] = await statistics([], A_DAY, { channel: [] })
    assert.deepEqual(others, [])
    assert.deepEqual([row?.channel, row?.count, row?.coverage, row?.serial], [undefined, 0, 0, '5212A1B2'])
  })

  it('do not count records without a time', async () => {
    const rows = await statistics(
      [
        ['', 99],
        ['2026-11-20T01:00Z', 1],
      ],
      A_DAY,
    )
    assert.deepEqual(rows.map(figures), [[1, 1, 1, 1, 0]])
  })

  it('omit hours that have not started, but none with a record', async () => {
    const period = { ...A_DAY, per: 'hour' } as const
    const hours = async (...times: string[]) => {
      const measured = times.map((time) => [time, 1] as const)
      return (await statistics(measured, { ...period, receivedAt: Date.parse('2026-11-20T02:30Z') })).length
    }
    assert.equal(await hours('2026-11-20T01:00Z'), 3)
    assert.equal(await hours('2026-11-20T04:10Z'), 5, 'by a clock that is ahead')
    const rows = await statistics([], { ...period, receivedAt: Date.parse('2026-11-20T02:00Z') })
    assert.deepEqual(
      rows.map(({ coverage }) => coverage),
      [0, 0, null],
      'nothing is over of an hour that has just begun',
    )
  })

  it('omit the name, unit and quantity if they are not known', async () => {
    const channel = [{ num: 0, name: '', unit: '' }]
    const [row] = await statistics([['2026-11-20T01:00Z', 1]], A_DAY, { name: '', channel })
    assert.deepEqual(
      ['name', 'unit', 'quantity', 'mkt'].filter((key) => key in (row ?? {})),
      [],
    )
  })

  it("are in the device's local time without a zone, even with an offset of half an hour, and in UTC if it is unknown", async () => {
    const period = { ...A_DAY, per: 'day' } as const
    const startsWith = async (time_diff: unknown) => {
      const [, second] = await statistics([['2026-11-20T23:30Z', 1]], period, { time_diff })
      return second?.localtime ?? 'one day'
    }
    assert.equal(await startsWith(330), '2026-11-21T00:00:00.000+05:30')
    assert.equal(await startsWith('GMT+9'), 'one day')
  })

  it('have a mean rounded as users expect', async () => {
    const meanOf = async (...values: number[]) => {
      const measured = values.map((value, index): Measured => {
        return [new Date(Date.parse('2026-11-20T01:00Z') + index * 1000).toISOString(), value]
      })
      return (await statistics(measured, A_DAY))[0]?.mean
    }
    assert.equal(await meanOf(21.4, 21.4, 21.4), 21.4)
    assert.equal(await meanOf(21.4, 21.5, 21.4), 21.43)
    assert.equal(await meanOf(0.1, 0.2), 0.15)
    assert.equal(await meanOf(415, 416, 418), 416.33)
    assert.equal(await meanOf(0.1234, 0.1236), 0.1235)
    assert.ok(Object.is(await meanOf(-0.001, 0.001), 0))
    assert.ok(Object.is(await meanOf(-0.01, 0, 0, 0), 0), 'never -0')
    assert.equal(await meanOf(...Array(5000).fill(101_325.2)), 101_325.2)
    assert.equal(await meanOf(...Array(5000).fill(1e15)), 1e15)
  })
})

describe('the intervals of a period', () => {
  const zones = [
    'Europe/Berlin',
    'Australia/Lord_Howe',
    'America/Havana',
    'Asia/Kathmandu',
    'America/St_Johns',
  ]
  const clocks = [...zones.map((zone) => new TimeZone(zone)), fixedClock(-210)]
  const from = fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2030, 0) })

  it('are in order even if the clock is set back across midnight', () => {
    const clock = new TimeZone('America/St_Johns')
    const from = Date.parse('2010-11-07T03:00:00Z')
    for (const per of ['day', 'hour'] as const) {
      const all = [...intervalsOf({ from, to: from + 3 * DAY, per }, clock)]
      assert.ok(all.every(([start, end]) => start < end))
    }
  })

  it('are contiguous, cover it, and none is longer than 25 hours, in any zone', () => {
    fc.assert(
      fc.property(
        ...[
          from,
          fc.integer({ min: 1, max: 20 * DAY }),
          fc.constantFrom(...PERS),
          fc.constantFrom(...clocks),
        ],
        (start, length, per, clock) => {
          const all = [...intervalsOf({ from: start, to: start + length, per }, clock)]
          assert.deepEqual([all[0]?.[0], all.at(-1)?.[1]], [start, start + length])
          for (const [index, [begin, end]] of all.entries()) {
            assert.ok(begin < end)
            if (index > 0) assert.equal(all[index - 1]?.[1], begin)
            if (per === 'day') assert.ok(end - begin <= 25 * HOUR)
            if (per === 'hour') assert.ok(end - begin <= HOUR)
          }
        },
      ),
    )
  })
})
