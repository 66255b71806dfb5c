import assert from 'node:assert/strict'
import { EnvlogError } from '../../../../src/lib/errors'
import type { Excursion } from '../../../../src/lib/report/report-data'
import { toVerdict } from '../../../../src/lib/report/verdict'
import { every, iso, type Measured, type PlantDevice, reportOf } from '../../../support/report/plant'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const at = (text: string) => Date.parse(text)

const freezer = (records: readonly Measured[], about: Partial<PlantDevice> = {}): PlantDevice => ({
  ...{ serial: '5212A1B2', name: 'Freezer 3', records },
  ...about,
})

const ROW = { name: 'too warm', above: -15, minutes: 10, margin: 1 }

const brief = ({ from, until, extreme, minutes, isFromKnown, isUntilKnown }: Excursion) => [
  isFromKnown ? iso(from) : 'before',
  isUntilKnown ? iso(until) : 'beyond',
  extreme,
  minutes,
]

describe('a report', () => {
  describe('of a day whose excursion goes over midnight', () => {
    // The published case: -9.5 °C from 23:52 to 00:08.
    const warm = [at('2026-10-10T23:52Z'), at('2026-10-11T00:09Z')] as const
    const records = every(MINUTE, at('2026-10-09T12:00Z'), at('2026-10-12T01:00Z'), (time) =>
      time >= warm[0] && time < warm[1] ? -9.5 : -19,
    )
    const expected = ['2026-10-10T23:52:00.000Z', '2026-10-11T00:09:00.000Z', -9.5, 17]

    for (const [day, now] of [
      ['2026-10-10', at('2026-10-11T00:30Z')],
      ['2026-10-11', at('2026-10-12T00:30Z')],
    ] as const)
      it(`has it with its true beginning and end on ${day}`, async () => {
        const { report, channel } = await reportOf([freezer(records)], { now, rows: [ROW], zone: 'UTC' })
        assert.equal(report.period.key, day)
        assert.deepEqual(channel.excursions.map(brief), [expected])
        assert.equal(report.verdict.level, 'bad')
        assert.equal(report.verdict.counts.excursions, 1)
        assert.equal(channel.count, 1440, 'figures are of the period alone')
        assert.equal(channel.coverage, 100)
      })
  })

  it('does not have an excursion that begins when its period ends', async () => {
    const midnight = at('2026-10-11T00:00Z')
    const now = at('2026-10-12T00:00Z')
    const records = every(MINUTE, at('2026-10-10T00:00Z'), now, (time) => (time < midnight ? -19 : -9))
    const period = { from: { instant: at('2026-10-10T00:00Z') }, to: { instant: midnight } }
    const { channel } = await reportOf([freezer(records)], { now, zone: 'UTC', rows: [ROW], period })
    assert.deepEqual(channel.excursions, [])
  })

  it('requests from the longest For before the period until as long after it, not later than now', async () => {
    const cold = every(MINUTE, at('2026-10-09T00:00Z'), at('2026-10-11T23:00Z'), () => -19)
    const rows = [ROW, { name: 'critical', above: -5, minutes: 60 }]
    const spans = async (now: string, from = rows) => {
      const { requests } = await reportOf([freezer(cold)], {
        ...{ now: at(now), rows: from, zone: 'UTC' },
        period: { from: { instant: at('2026-10-10T00:00Z') }, to: { instant: at('2026-10-11T00:00Z') } },
      })
      return requests.slice(1).map(({ from, to }) => [iso(from as number), iso(to as number)])
    }
    // Pages begin and end a second outside.
    assert.deepEqual(await spans('2026-10-11T12:00Z'), [
      ['2026-10-09T22:59:59.000Z', '2026-10-11T01:00:00.000Z'],
    ])
    assert.deepEqual(await spans('2026-10-11T00:30Z'), [
      ['2026-10-09T22:59:59.000Z', '2026-10-11T00:30:00.000Z'],
    ])
    assert.deepEqual(await spans('2026-10-11T00:30Z', []), [
      ['2026-10-09T23:59:59.000Z', '2026-10-11T00:00:00.000Z'],
    ])
  })

  describe('with an excursion that lasts at an edge of what was requested', () => {
    const warmFor = (from: string, to: string) =>
      freezer(
        every(10 * MINUTE, at('2026-09-01T00:00Z'), at('2026-10-25T00:00Z'), (time) =>
          time >= at(from) && time < at(to) ? -9.5 : -19,
        ),
      )
    const day = { from: { instant: at('2026-10-10T00:00Z') }, to: { instant: at('2026-10-11T00:00Z') } }
    const asked = { now: at('2026-10-25T00:00Z'), rows: [ROW], zone: 'UTC', period: day }

    it('requests an hour further, then twice as far', async () => {
      const { channel, requests } = await reportOf([warmFor('2026-10-09T18:00Z', '2026-10-10T02:00Z')], asked)
      assert.deepEqual(channel.excursions.map(brief), [
        ['2026-10-09T18:00:00.000Z', '2026-10-10T02:00:00.000Z', -9.5, 480],
      ])
      const hours = requests.slice(2).map(({ from = 0, to = 0 }) => Math.round((to - from) / HOUR))
      assert.deepEqual(hours, [1, 1, 2, 4], 'up to 1, 2, 4 and 8 hours before')
    })

    it('knows its end after the period, also beside a limit that is not broken', async () => {
      const warm = warmFor('2026-10-10T22:00Z', '2026-10-12T03:00Z')
      const { channel } = await reportOf([warm], { ...asked, rows: [ROW, { name: 'critical', above: -5 }] })
      assert.deepEqual(channel.excursions.map(brief), [
        ['2026-10-10T22:00:00.000Z', '2026-10-12T03:00:00.000Z', -9.5, 29 * 60],
      ])
    })

    it('is not of the period if it ends when that begins', async () => {
      const rows = [ROW, { name: 'critical', above: -5, minutes: 60 }]
      const warm = warmFor('2026-10-09T18:00Z', '2026-10-10T00:00Z')
      assert.deepEqual((await reportOf([warm], { ...asked, rows })).channel.excursions, [])
    })

    it('says so if the edge is not known after seven days', async () => {
      const { channel, requests } = await reportOf([warmFor('2026-09-02T00:00Z', '2026-10-24T00:00Z')], asked)
      assert.deepEqual(
        channel.excursions.map((one) => [...brief(one).slice(0, 2), iso(one.from), iso(one.until)]),
        [['before', 'beyond', '2026-10-02T23:50:00.000Z', '2026-10-18T00:00:00.000Z']],
      )
      const bounds = [
        Math.min(...requests.map(({ from = Number.POSITIVE_INFINITY }) => from)),
        Math.max(...requests.map(({ to = 0 }) => to)),
      ]
      // Seven days and For.
      assert.deepEqual(bounds, [at('2026-10-02T23:49:59Z'), at('2026-10-18T00:10:00Z')])
    })

    it('looks for a beginning before values that are inside by less than the margin', async () => {
      const records = every(10 * MINUTE, at('2026-10-08T00:00Z'), at('2026-10-12T00:00Z'), (time) => {
        if (time < at('2026-10-09T12:00Z')) return -19
        if (time < at('2026-10-09T14:00Z')) return -9.5
        return time < at('2026-10-10T01:00Z') ? -15.5 : -19
      })
      const { channel } = await reportOf([freezer(records)], asked)
      assert.deepEqual(channel.excursions.map(brief), [
        ['2026-10-09T12:00:00.000Z', '2026-10-10T01:00:00.000Z', -9.5, 13 * 60],
      ])
    })

    for (const reason of ['records-wait', 'timeout-silent'] as const)
      it(`keeps what it knows if the request for further records fails: ${reason}`, async () => {
        const device = warmFor('2026-10-09T18:00Z', '2026-10-10T02:00Z')
        const error = new EnvlogError(reason, {}, { serial: device.serial })
        let count = 0
        const records = device.records as readonly Measured[]
        const refusing = Object.defineProperty({ ...device, records }, 'error', {
          get: () => (++count > 1 ? error : undefined),
          enumerable: true,
        })
        const { channel, device: found } = await reportOf([refusing], asked)
        assert.deepEqual(channel.excursions.map(brief), [['before', '2026-10-10T02:00:00.000Z', -9.5, 130]])
        assert.deepEqual(found.missing, [])
      })

    it('fails if the account fails then', async () => {
      const device = warmFor('2026-10-09T18:00Z', '2026-10-10T02:00Z')
      const error = new EnvlogError('login-refused')
      let count = 0
      const refusing = Object.defineProperty({ ...device }, 'error', {
        get: () => (++count > 1 ? error : undefined),
        enumerable: true,
      })
      await assert.rejects(reportOf([refusing], asked), { reason: 'login-refused' })
    })

    it('requests nothing further if the first value is inside, or if there is none', async () => {
      const rows = [{ name: 'too warm', above: -15 }]
      const from = at('2026-10-10T00:00Z')
      const inside = every(10 * MINUTE, from, from + DAY, () => -19)
      for (const records of [inside, []]) {
        const { requests } = await reportOf([freezer(records)], { ...asked, rows })
        assert.equal(requests.length, 2, 'current readings, and records')
      }
    })

    it('has what is outside at the end, and not yet long enough', async () => {
      const records = every(MINUTE, at('2026-10-10T00:00Z'), at('2026-10-11T00:00Z'), (time) =>
        time >= at('2026-10-10T23:55Z') ? -9.5 : -19,
      )
      const { channel, report, requests } = await reportOf([freezer(records)], {
        ...asked,
        now: at('2026-10-11T00:00Z'),
        rows: [{ ...ROW, minutes: 10 }],
      })
      const last = Math.max(...requests.map(({ to = 0 }) => to))
      assert.equal(iso(last), '2026-10-11T00:00:00.000Z', 'no request of what is to come')
      assert.deepEqual(channel.excursions, [])
      assert.deepEqual(
        channel.outsideAtEnd.map(({ from, extreme, limit }) => [iso(from), extreme, limit.name]),
        [['2026-10-10T23:55:00.000Z', -9.5, 'too warm']],
      )
      assert.equal(report.verdict.counts.excursions, 0)
    })
  })

  it('fails the check of a silent device, although its last value is inside the limits', async () => {
    const now = at('2026-10-11T00:30Z')
    const checkOf = async (minutes: number) => {
      const last = freezer([[now - minutes * MINUTE, -19]])
      const { report, device } = await reportOf([last], { now, rows: [ROW], period: 'now' })
      return [device.checks[0]?.result, report.verdict.level]
    }
    assert.deepEqual(await checkOf(60), ['pass', 'good'])
    assert.deepEqual(await checkOf(61), ['fail', 'bad'])
  })

  it('has no silent device without a time for that', async () => {
    const now = at('2026-10-11T00:30Z')
    const devices = [freezer([[now - 90 * DAY, -19]])]
    const asked = { now, rows: [ROW], period: 'now' } as const
    const { report, device } = await reportOf(devices, { ...asked, silentAfterMs: null })
    assert.deepEqual([device.checks[0]?.result, report.verdict.counts.silent], ['pass', 0])
  })

  it('tells how many of its devices are done', async () => {
    const now = at('2026-10-11T00:30Z')
    const devices = ['5212A1B1', '5212A1B2'].map((serial) => freezer([[now, -19]], { serial }))
    const { progress } = await reportOf(devices, { now, period: 'now' })
    assert.deepEqual(
      progress.map(({ done, total }) => [done, total]),
      [
        [0, 2],
        [1, 2],
        [2, 2],
      ],
    )
  })

  it('has its devices by group, those without one last, and by name, in which 2 is before 10', async () => {
    const now = at('2026-10-11T00:30Z')
    const devices = ['Freezer 10', 'Freezer 2', 'Lab 1', 'Lab 1'].map((name, index) =>
      freezer([[now, -19]], {
        ...{ serial: `5212A1B${9 - index}`, name },
        ...(index > 1 && { group: 'Cold chain' }),
      }),
    )
    const { report } = await reportOf(devices, { now, period: 'now' })
    assert.deepEqual(
      report.devices.map(({ name, serial }) => `${name} ${serial.at(-1)}`),
      ['Lab 1 6', 'Lab 1 7', 'Freezer 2 8', 'Freezer 10 9'],
    )
  })

  it('has only its first device for a trial, with two requests, and no failures of others', async () => {
    const now = at('2026-10-11T00:30Z')
    const records = every(10 * MINUTE, at('2026-10-10T00:00Z'), now, () => -9)
    const devices = ['5212A1B1', '5212A1B2'].map((serial) => freezer(records, { serial }))
    const selection = {
      devices: [...devices, { serial: '5212A1B9' }].map(({ serial }) => ({ serial })),
      ...{ bases: [], groups: [] },
    }
    const { report, requests } = await reportOf(devices, {
      ...{ now, zone: 'UTC', rows: [ROW], selection, isTrial: true },
    })
    assert.deepEqual([report.devices.map(({ serial }) => serial), requests.length], [['5212A1B1'], 2])
  })

  it('passes a value only inside a limit, and shows its decimals', async () => {
    const now = at('2026-10-11T00:30Z')
    const device = freezer([[now, -19.25, 40]], { units: ['C', '%'] })
    const found = await reportOf([device], { now, rows: [ROW], period: 'now' })
    const checks = found.device.checks.map(({ result, decimals }) => [result, decimals])
    assert.deepEqual(checks, [
      ['pass', 2],
      ['none', 0],
    ])
  })

  it('counts the channels of a check that passed and that failed, and those without limits as neither', async () => {
    const now = at('2026-10-11T00:30Z')
    const rows = [ROW, { quantity: 'humidity', above: 60 }]
    const device = freezer([[now, -19, 70, 400]], { units: ['C', '%', 'ppm'] })
    const found = await reportOf([device], { now, rows, period: 'now' })
    const { passed, failed, withoutLimits } = found.report.verdict.counts
    assert.deepEqual([passed, failed, withoutLimits], [1, 1, 1])
    const units = found.device.checks.flatMap(({ limits }) => limits.map(({ unit }) => unit))
    assert.deepEqual(units, ['°C', '%'])
  })

  it('checks a device by the limits of its group', async () => {
    const now = at('2026-10-11T00:30Z')
    const devices = ['Cold chain', 'Lab', undefined].map((group, index) =>
      freezer([[now, -9]], { serial: `5212A1B${index}`, ...(group !== undefined && { group }) }),
    )
    const rows = [{ above: -15, select: 'group', groups: ['Cold chain'] }]
    const { report } = await reportOf(devices, { now, rows, period: 'now' })
    assert.deepEqual(
      report.devices.map(({ checks }) => checks[0]?.result),
      ['fail', 'none', 'none'],
    )
  })

  it('does not compare a missing value with limits', async () => {
    const now = at('2026-10-11T00:30Z')
    const { report, device } = await reportOf([freezer([[now, 'E1']])], { now, rows: [ROW], period: 'now' })
    const [check] = device.checks
    assert.deepEqual([check?.result, check?.outside, report.verdict.counts.excursions], ['fail', [], 0])
  })

  it('does not check a device without channels', async () => {
    const now = at('2026-10-11T00:30Z')
    const devices = [freezer([[now, -19]]), freezer([[now]], { serial: '5212A1B3', units: [] })]
    const { report } = await reportOf(devices, { now, rows: [ROW], period: 'now' })
    assert.deepEqual(
      report.devices.map(({ isChecked, missing }) => [isChecked, missing]),
      [
        [true, []],
        [false, [{ kind: 'no-channels' }]],
      ],
    )
    assert.equal(report.verdict.counts.unchecked, 1)
  })

  it('counts a battery that must be replaced now or soon', async () => {
    const now = at('2026-10-11T00:30Z')
    const counts = [1, 4, 5].map(async (battery) => {
      const device = freezer([[now, -19]], { battery })
      return (await reportOf([device], { now, rows: [ROW], period: 'now' })).report.verdict.counts.battery
    })
    assert.deepEqual(await Promise.all(counts), [1, 1, 0])
  })

  it('counts all excursions in its verdict, also those that it does not list', async () => {
    const now = at('2026-10-11T00:30Z')
    const records = every(MINUTE, at('2026-10-10T00:00Z'), now, (time) =>
      (time / MINUTE) % 10 === 0 ? -9 : -19,
    )
    const { report } = await reportOf([freezer(records)], { now, zone: 'UTC', rows: [{ above: -15 }] })
    assert.equal(report.verdict.counts.excursions, 144)
  })

  it('is complete with a gap that is as long as Longest gap', async () => {
    const now = at('2026-10-11T00:30Z')
    const stateOf = async (minutes: number) => {
      const from = at('2026-10-10T12:00Z')
      const records = every(MINUTE, at('2026-10-10T00:00Z'), now, () => -19)
      const others = records.filter(([time]) => time <= from || time >= from + minutes * MINUTE)
      return (await reportOf([freezer(others)], { now, zone: 'UTC', coverage: 0 })).channel.state
    }
    assert.deepEqual([await stateOf(60), await stateOf(61)], ['complete', 'incomplete'])
  })

  it('is complete with a coverage that is just Complete from', async () => {
    const now = at('2026-10-11T00:30Z')
    const records = every(MINUTE, at('2026-10-10T00:00Z'), now, () => -19)
    const { channel } = await reportOf([freezer(records)], { now, zone: 'UTC', coverage: 100 })
    assert.deepEqual([channel.coverage, channel.state], [100, 'complete'])
  })

  it('is good if some of its channels have limits', async () => {
    const now = at('2026-10-11T00:30Z')
    const records = every(MINUTE, at('2026-10-10T00:00Z'), now, () => -19)
    const both = freezer(
      records.map(([time, value]) => [time, value as number, 40] as const),
      { units: ['C', '%'] },
    )
    const levelOf = async (rows: readonly object[]) =>
      (await reportOf([both], { now, zone: 'UTC', rows })).report.verdict.level
    assert.deepEqual([await levelOf([ROW]), await levelOf([])], ['good', 'warning'])
  })

  it('requests at most seven days before the period and after it because of For', async () => {
    const now = at('2026-10-31T00:00Z')
    const period = { from: { instant: at('2026-10-10T00:00Z') }, to: { instant: at('2026-10-11T00:00Z') } }
    const records = every(HOUR, at('2026-10-01T00:00Z'), now, () => -19)
    const rows = [{ above: -15, minutes: 8 * 1440 }]
    const { requests } = await reportOf([freezer(records)], { now, zone: 'UTC', period, rows })
    const daysFrom = (time = Number.NaN) => Math.round((time - period.from.instant) / DAY)
    const ofRecords = requests.filter(({ endpoint }) => endpoint !== 'current')
    assert.deepEqual(
      ofRecords.map(({ from, to }) => [daysFrom(from), daysFrom(to)]),
      [[-7, 8]],
    )
  })

  it('of a month is incomplete if 35 hours have no record', async () => {
    const records = every(5 * MINUTE, at('2026-10-01T00:00Z'), at('2026-11-01T00:00Z'), () => -19).filter(
      ([time]) => time < at('2026-10-13T21:55Z') || time >= at('2026-10-15T09:00Z'),
    )
    const now = at('2026-11-01T00:30Z')
    const asked = { now, rows: [ROW], zone: 'UTC', period: { calendar: 'last-month', now } } as const
    const { report, channel, device } = await reportOf([freezer(records)], asked)
    assert.equal(report.period.key, '2026-10')
    assert.equal(channel.coverage, 95.3, 'more than what must be measured')
    assert.equal(channel.state, 'incomplete')
    const { from, to } = channel.longestGap as { from: number; to: number }
    assert.deepEqual([iso(from), (to - from) / MINUTE], ['2026-10-13T21:50:00.000Z', 35 * 60 + 10])
    assert.deepEqual(
      channel.gaps.map((gap) => [gap.from, gap.to]),
      [[from, to]],
    )
    assert.deepEqual(device.missing, [{ kind: 'incomplete', channel }])
    assert.equal(report.verdict.level, 'warning')
    const patient = await reportOf([freezer(records)], { ...asked, gap: 2200 })
    assert.equal(patient.report.verdict.level, 'good')
  })

  it('of a day on which the interval changes measures 55 percent until 13:09', async () => {
    const day = at('2026-10-10T00:00Z')
    const records = [
      ...every(10 * MINUTE, day, day + 12 * HOUR, () => -19),
      ...every(MINUTE, day + 12 * HOUR, day + 13 * HOUR + 10 * MINUTE, () => -19),
    ]
    const { channel, report } = await reportOf([freezer(records)], {
      ...{ now: day + DAY + HOUR, rows: [ROW], zone: 'UTC' },
    })
    assert.equal(channel.count, 142)
    assert.equal(channel.coverage, 54.8)
    assert.equal(channel.expected, 142 + 650)
    const { from, to } = channel.longestGap as { from: number; to: number }
    assert.deepEqual([iso(from), (to - from) / MINUTE], ['2026-10-10T13:09:00.000Z', 10 * 60 + 51])
    assert.equal(report.verdict.counts.incomplete, 1)
  })

  describe('in °F', () => {
    // 4.9 °F is -15.06 °C, rounded to two decimals, as the alarms convert it.
    const records = every(10 * MINUTE, at('2026-10-10T00:00Z'), at('2026-10-11T00:30Z'), () => 4.9)
    const device = freezer(records, { units: ['F'] })
    const asked = { now: at('2026-10-11T00:30Z'), zone: 'UTC' }
    const row = { name: 'too warm', above: -15.06 }

    it('agrees with the alarms about a value at the limit', async () => {
      const checked = await reportOf([device], { ...asked, rows: [row], period: 'now' })
      assert.equal(checked.device.checks[0]?.result, 'pass')
      assert.equal(checked.report.verdict.level, 'good')
      const { channel } = await reportOf([device], { ...asked, rows: [row] })
      assert.deepEqual(channel.excursions, [])
      assert.deepEqual(channel.limits, [
        {
          ...{ name: 'too warm', above: -15.06, below: null, unit: '°C', minutes: 0, margin: 0 },
          ...{ drawnAbove: 4.89, drawnBelow: null },
        },
      ])
    })

    it('draws a limit in the unit of the channel', async () => {
      const cold = freezer(every(10 * MINUTE, at('2026-10-10T00:00Z'), asked.now, () => -19))
      const { channel } = await reportOf([cold], { ...asked, rows: [{ above: 5, unit: 'F' }] })
      const limits = channel.limits.map(({ above, unit, drawnAbove }) => [above, unit, drawnAbove])
      assert.deepEqual(limits, [[5, '°F', -15]])
    })

    it('has values outside in the unit of the channel', async () => {
      const rows = [{ ...row, above: -15.07 }]
      const { channel } = await reportOf([device], { ...asked, rows })
      assert.deepEqual(
        channel.excursions.map(({ extreme, limit }) => [extreme, limit.above, limit.unit]),
        [[4.9, -15.07, '°C']],
      )
      const checked = await reportOf([device], { ...asked, rows, period: 'now' })
      assert.deepEqual(
        checked.device.checks.map(({ result, value, unit, outside }) => [
          result,
          value,
          unit,
          outside[0]?.side,
        ]),
        [['fail', 4.9, '°F', 'above']],
      )
      assert.equal(checked.report.verdict.level, 'bad')
      assert.equal(checked.report.verdict.counts.excursions, 1)
    })

    it('has the unit of the account', async () => {
      const { channel } = await reportOf([device], { ...asked, rows: [row], unit: 'C' })
      assert.deepEqual([channel.unit, channel.min?.value, channel.excursions], ['°C', -15.06, []])
    })
  })

  it('has the mean kinetic temperature only of a mean above 0 °C', async () => {
    const now = at('2026-10-11T00:30Z')
    const mktOf = async (unit: string, value: number) => {
      const records = every(10 * MINUTE, at('2026-10-10T00:00Z'), now, () => value)
      return (await reportOf([freezer(records, { units: [unit] })], { now, zone: 'UTC' })).channel.mkt
    }
    assert.equal(await mktOf('C', 0.1), 0.1)
    assert.equal(await mktOf('C', 0), null)
    assert.equal(await mktOf('F', 33), 33)
    assert.equal(await mktOf('F', 32), null)
    assert.equal(await mktOf('%', 50), null)
  })

  describe('in local time', () => {
    const records = every(10 * MINUTE, at('2026-10-23T00:00Z'), at('2026-10-27T00:00Z'), () => -19)
    const now = at('2026-10-26T12:00Z')

    it('of a zone has a day of 25 hours', async () => {
      const { report, device, channel } = await reportOf([freezer(records, { offset: 120 })], {
        ...{ now, zone: 'Europe/Berlin' },
      })
      assert.equal(report.period.key, '2026-10-25')
      assert.equal(report.clock.zone, 'Europe/Berlin')
      assert.deepEqual(
        [iso(device.from), iso(device.to)],
        ['2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
      )
      assert.equal(channel.count, 150)
      assert.equal(channel.coverage, 100)
    })

    it('of each device has the bounds of each, and the clock of most', async () => {
      const devices = [540, 540, 60].map((offset, index) =>
        freezer(records, { offset, serial: `5212A1B${index}`, name: `Freezer ${index}` }),
      )
      const { report } = await reportOf(devices, { now })
      assert.deepEqual(
        report.devices.map(({ from, clock }) => [iso(from), clock.offsetAt(from), clock.zone]),
        [
          ['2026-10-24T15:00:00.000Z', 540, null],
          ['2026-10-24T15:00:00.000Z', 540, null],
          ['2026-10-24T23:00:00.000Z', 60, null],
        ],
      )
      assert.equal(report.clock.offsetAt(now), 540)
    })

    it('of each device has a line for one where the period has not begun', async () => {
      const devices = [540, -480].map((offset, index) =>
        freezer(records, { offset, serial: `5212A1B${index}`, name: `Freezer ${index}` }),
      )
      const now = at('2026-10-25T05:00Z')
      const period = { from: { wallClock: at('2026-10-25T00:00Z') }, to: { instant: now } }
      const { report } = await reportOf(devices, { now, period })
      assert.deepEqual(
        report.devices.map(({ isChecked, missing }) => [
          isChecked,
          missing.flatMap((one) => ('error' in one ? one.error.reason : [])),
        ]),
        [
          [true, []],
          [false, ['period-empty']],
        ],
      )
    })
  })

  describe('says what is missing', () => {
    const day = [at('2026-10-10T00:00Z'), at('2026-10-11T00:30Z')] as const
    const now = day[1]
    const good = freezer(every(10 * MINUTE, ...day, () => -19))
    const kinds = (missing: readonly { kind: string }[]) => missing.map(({ kind }) => kind)

    it('of a device that is refused, fails, or is not in the account', async () => {
      const devices = [
        good,
        freezer([], { serial: '5212A1B3', error: new EnvlogError('device-refused', { status: 400 }) }),
      ]
      const selection = {
        devices: [...devices.map(({ serial }) => ({ serial })), { serial: '5212A1B9' }],
        bases: [],
        groups: ['Cold chain'],
      }
      const { report } = await reportOf(devices, { now, zone: 'UTC', rows: [ROW], selection })
      assert.deepEqual(
        report.devices.map(({ serial, group, isChecked, missing }) => [
          serial || group,
          isChecked,
          missing.map((one) => ('error' in one ? one.error.reason : one.kind)),
        ]),
        [
          ['Cold chain', false, ['group-unknown']],
          ['5212A1B9', false, ['device-unknown']],
          ['5212A1B2', true, []],
          ['5212A1B3', false, ['device-refused']],
        ],
      )
      const { level, counts } = report.verdict
      assert.deepEqual([level, counts.devices, counts.unchecked, counts.missing], ['warning', 4, 3, 3])
    })

    it('of a device without records or values, and of a channel without records', async () => {
      const broken = freezer(
        every(10 * MINUTE, ...day, () => 0).map(([time]) => [time, -19, 'E1'] as const),
        { units: ['C', '%'] },
      )
      const { device, report } = await reportOf([broken], { now, zone: 'UTC', rows: [ROW] })
      const [, damp] = device.channels
      assert.deepEqual(device.missing, [{ kind: 'no-value', channel: damp }])
      assert.deepEqual([damp?.errors, damp?.errorText, damp?.coverage], [144, 'E1', 0])
      assert.equal(report.verdict.counts.noValue, 1)
      const empty = await reportOf([freezer([])], { now, zone: 'UTC', rows: [ROW] })
      assert.deepEqual(kinds(empty.device.missing), ['no-records'])
      assert.equal(empty.report.verdict.level, 'bad', 'nothing was checked')
      const bare = await reportOf([freezer([], { units: [] })], { now, zone: 'UTC' })
      assert.deepEqual(kinds(bare.device.missing), ['no-channels'])
    })

    it('of one some of whose records cannot be read', async () => {
      const damaged = freezer(
        every(10 * MINUTE, ...day, () => -19),
        { isDamaged: true },
      )
      const { device, report } = await reportOf([damaged], { now, zone: 'UTC', rows: [ROW] })
      assert.deepEqual(kinds(device.missing), ['left-out'])
      const { level, counts } = report.verdict
      assert.deepEqual([level, counts.missing, counts.unreadable], ['warning', 1, 1])
    })

    it('of one that is silent or whose battery is low only if the period reaches to now', async () => {
      const old = freezer(
        every(10 * MINUTE, day[0], day[0] + 12 * HOUR, () => -19),
        { battery: 1 },
      )
      const of = async (period: 'today' | 'yesterday', hoursLater: number) => {
        const at = day[0] + hoursLater * HOUR
        const { report, device } = await reportOf([old], {
          ...{ now: at, zone: 'UTC', rows: [ROW], gap: 10_000, coverage: 0 },
          period: { calendar: period, now: at },
        })
        const { silent, battery } = report.verdict.counts
        return [silent, battery, report.verdict.level, kinds(device.missing)]
      }
      assert.deepEqual(await of('today', 12.8), [0, 1, 'warning', []], 'for less than an hour')
      assert.deepEqual(await of('today', 14), [1, 1, 'warning', ['silent']])
      assert.deepEqual(await of('yesterday', 34), [0, 0, 'good', []])
      const never = await reportOf([freezer([])], { now, zone: 'UTC', period: { calendar: 'today', now } })
      assert.deepEqual(kinds(never.device.missing), ['no-records', 'silent'])
    })

    it('of a channel of the current reading that the records do not have, as one without a value', async () => {
      const { device } = await reportOf([good], { now, zone: 'UTC', rows: [ROW] })
      const absent = { ...device, missing: [{ kind: 'channel-absent', name: 'Door' } as const] }
      assert.equal(toVerdict([absent], { reachesNow: false }).counts.noValue, 1)
    })
  })

  it('fails if the account does', async () => {
    const now = at('2026-10-11T00:30Z')
    const records = every(10 * MINUTE, at('2026-10-10T00:00Z'), now, () => -19)
    const of = (error: EnvlogError, ...others: PlantDevice[]) =>
      reportOf([freezer(records, { error }), ...others], { now, zone: 'UTC' })
    await assert.rejects(of(new EnvlogError('login-refused')), { code: 'ENVLOG_AUTH' })
    await assert.rejects(of(new EnvlogError('timeout-silent')), { code: 'ENVLOG_TIMEOUT' }, 'the only device')
    const { report } = await of(new EnvlogError('timeout-silent'), freezer(records, { serial: '5212A1B3' }))
    assert.equal(report.verdict.counts.unchecked, 1)
    await assert.rejects(reportOf([], { now }), { reason: 'account-empty' })
    const selection = { devices: [{ serial: '5212A1B2' }], bases: [], groups: [] }
    for (const chosen of ['all', selection] as const)
      await assert.rejects(reportOf([freezer(records)], { now, selection: chosen, exclude: ['5212A1B2'] }), {
        reason: 'devices-excluded',
      })
  })

  it('fails if three devices in a row do not respond, although another one does', async () => {
    const now = at('2026-10-11T00:30Z')
    const silent = ['5212A1B3', '5212A1B4', '5212A1B5'].map((serial) =>
      freezer([], { serial, error: new EnvlogError('timeout-silent') }),
    )
    const good = freezer(every(10 * MINUTE, at('2026-10-10T00:00Z'), now, () => -19))
    await assert.rejects(reportOf([good, ...silent], { now, zone: 'UTC' }), { code: 'ENVLOG_TIMEOUT' })
  })

  it('of a period that has not begun, or is longer than 366 days, fails with ENVLOG_INPUT', async () => {
    const now = at('2026-10-11T00:30Z')
    const from = (ms: number, to = now) => ({ from: { instant: ms }, to: { instant: to } })
    const of = (period: ReturnType<typeof from>) => reportOf([freezer([])], { now, period })
    await assert.rejects(of(from(now, now + DAY)), { reason: 'period-empty' })
    await assert.rejects(of(from(now - 366 * DAY - 1)), {
      reason: 'report-too-long',
      params: { days: 366 },
    })
    await of(from(now - 366 * DAY))
  })

  it('of a period that is longer than 366 days by the clock of one device fails', async () => {
    const now = at('2026-10-11T00:30Z')
    const period = { from: { wallClock: now - 366 * DAY }, to: { instant: now } }
    const devices = [0, 0, 540].map((offset, index) => freezer([], { offset, serial: `5212A1B${index}` }))
    await reportOf(devices.slice(0, 2), { now, period })
    await assert.rejects(reportOf(devices, { now, period }), { reason: 'report-too-long' })
  })

  it('has a checksum of the records of the period, whatever was requested around it', async () => {
    const now = at('2026-10-12T00:30Z')
    const day = { from: { instant: at('2026-10-10T00:00Z') }, to: { instant: at('2026-10-11T00:00Z') } }
    const records = every(10 * MINUTE, at('2026-10-08T00:00Z'), now, () => -19)
    const sum = async (changed: readonly Measured[], rows?: object[]) => {
      const devices = [freezer(changed), freezer([], { serial: '5212A1B1' })]
      const asked = { now, zone: 'UTC', period: day, ...(rows && { rows }) }
      return (await reportOf(devices, asked)).report.sha256
    }
    const plain = await sum(records)
    assert.match(plain, /^[0-9a-f]{64}$/)
    assert.equal(await sum(records, [{ name: 'too cold', below: 0, minutes: 60 }]), plain)
    const change = (time: number) => records.map((one) => (one[0] === time ? ([time, -18.9] as const) : one))
    assert.notEqual(await sum(change(at('2026-10-10T12:00Z'))), plain)
    assert.equal(await sum(change(at('2026-10-11T00:00Z'))), plain)
  })

  it('has another checksum if another error stands in place of a value', async () => {
    const now = at('2026-10-11T00:30Z')
    const sumOf = async (error: string) => {
      const records: Measured[] = [
        [at('2026-10-10T12:00Z'), -19],
        [at('2026-10-10T13:00Z'), error],
      ]
      return (await reportOf([freezer(records)], { now, zone: 'UTC' })).report.sha256
    }
    assert.notEqual(await sumOf('E1'), await sumOf('E2'))
  })

  it('has the same checksum in whatever order the devices are', async () => {
    const now = at('2026-10-11T00:30Z')
    const records = every(10 * MINUTE, at('2026-10-10T00:00Z'), now, () => -19)
    const devices = [freezer(records), freezer(records, { serial: '5212A1B1' })]
    const sumOf = async (all: readonly PlantDevice[]) => (await reportOf(all, { now })).report.sha256
    assert.equal(await sumOf(devices), await sumOf(devices.toReversed()))
  })
})
