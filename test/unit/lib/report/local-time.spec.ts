import assert from 'node:assert/strict'
import { dateAndTime, isShownTwice, timeIn } from '../../../../src/lib/report/local-time'
import { timeTicks } from '../../../../src/lib/report/time-ticks'
import { clockOf, HOUR, MINUTE, spanOf } from '../../../support/report/sample-report'

const berlin = clockOf('Europe/Berlin')

/** The texts below a chart, with the hours since its beginning. */
function ticksOf(date: string, days: number, clock = berlin, language = 'en-US'): [number, string][] {
  const span = spanOf(date, days, clock)
  const ticks = timeTicks(span, clock, language).filter(({ text }) => text !== '')
  return ticks.map(({ at, text }) => [(at - span.from) / HOUR, text])
}

describe('times in a report', () => {
  it('have their offset only in an hour that occurs twice', () => {
    const { from, to } = spanOf('2026-10-25', 1, berlin)
    const twice: string[] = []
    for (let at = from; at < to; at += 30 * MINUTE)
      if (isShownTwice(berlin, at)) twice.push(dateAndTime(berlin, at))
    assert.deepEqual(twice, [
      '2026-10-25 02:00 UTC+2',
      '2026-10-25 02:30 UTC+2',
      '2026-10-25 02:00 UTC+1',
      '2026-10-25 02:30 UTC+1',
    ])
    assert.equal(dateAndTime(clockOf('-03:30'), Date.UTC(2026, 9, 25)), '2026-10-24 20:30')
  })

  it('are whole dates unless the period is the day', () => {
    const day = spanOf('2026-10-25', 1, berlin)
    assert.equal(timeIn(day, berlin, day.from + 10 * HOUR), '09:00')
    assert.equal(timeIn(day, berlin, day.from - MINUTE), '2026-10-24 23:59')
    assert.equal(timeIn(day, berlin, day.to), '24:00')
    assert.equal(timeIn(day, berlin, day.to + HOUR), '2026-10-26 01:00')
    const week = spanOf('2026-10-19', 7, berlin)
    assert.equal(timeIn(week, berlin, week.to), '2026-10-26 00:00')
  })
})

describe('the times below a chart', () => {
  it('are every three hours of a day, also of 25 or 23 hours', () => {
    const texts = ['0', '3', '6', '9', '12', '15', '18', '21', '24']
    for (const [date, shift] of [
      ['2026-10-24', 0],
      ['2026-10-25', 1],
      ['2026-03-29', -1],
    ] as const) {
      const expected = texts.map((text) => [Number(text) + (text === '0' ? 0 : shift), text])
      assert.deepEqual(ticksOf(date, 1), expected, date)
    }
  })

  it('show an hour that occurs twice once', () => {
    assert.equal(
      ticksOf('2026-11-01', 1, clockOf('America/Havana')).filter(([, text]) => text === '0').length,
      1,
    )
  })

  it('are the days of a week in the middle of each, in the language of the report', () => {
    const days = ticksOf('2026-10-19', 7)
    assert.deepEqual(days[0], [12, '19 Mon'])
    assert.equal(days.length, 7)
    assert.deepEqual(ticksOf('2026-10-19', 7, berlin, 'ja')[0], [12, '19日(月)'])
  })

  it('are some days of a month, with lines at their midnights', () => {
    assert.deepEqual(
      ticksOf('2026-10-01', 31).map(([, text]) => text),
      ['1', '5', '10', '15', '20', '25'],
    )
    const lines = timeTicks(spanOf('2026-10-01', 31, berlin), berlin, 'en-US').filter(({ isLine }) => isLine)
    assert.deepEqual(
      lines.map(({ at }) => dateAndTime(berlin, at)),
      ['05', '10', '15', '20', '25'].map((day) => `2026-10-${day} 00:00`),
    )
  })

  it('have a line at every second one of a day', () => {
    const span = spanOf('2026-10-24', 1, berlin)
    const lines = timeTicks(span, berlin, 'en-US').filter(({ isLine }) => isLine)
    assert.deepEqual(
      lines.map(({ text }) => text),
      ['0', '6', '12', '18', '24'],
    )
  })

  it('are hours of some hours, and end with 24 only at midnight', () => {
    const { from } = spanOf('2026-10-24', 1, berlin)
    const textsOf = (first: number) =>
      timeTicks({ from: from + first * HOUR, to: from + (first + 6) * HOUR }, berlin, 'en-US').map(
        ({ text }) => text,
      )
    assert.deepEqual(textsOf(9), ['9', '10', '11', '12', '13', '14', '15'])
    assert.deepEqual(textsOf(18), ['18', '19', '20', '21', '22', '23', '24'])
  })

  it('do not have a day whose noon is not in the period', () => {
    const { from } = spanOf('2026-10-19', 1, berlin)
    const texts = [0, 6, 12, 13].map((hours) => {
      const ticks = timeTicks({ from, to: from + (2 * 24 + hours) * HOUR }, berlin, 'en-US')
      return ticks.flatMap(({ text }) => (text === '' ? [] : text)).join()
    })
    assert.deepEqual(texts, ['19 Mon,20 Tue', '19 Mon,20 Tue', '19 Mon,20 Tue', '19 Mon,20 Tue,21 Wed'])
  })

  it('are closer the shorter the period is', () => {
    const { from } = spanOf('2026-10-01', 1, berlin)
    const countOf = (hours: number) => {
      const ticks = timeTicks({ from, to: from + hours * HOUR }, berlin, 'en-US')
      return ticks.filter(({ text }) => text !== '').length
    }
    // Quarters of an hour, hours, three hours, days, some days of each month, and months.
    assert.deepEqual([3, 3.5, 12, 13, 37, 38].map(countOf), [13, 4, 13, 5, 13, 2])
    assert.deepEqual(
      [10, 11, 92, 93].map((days) => countOf(days * 24)),
      [10, 3, 18, 4],
    )
  })

  it('are months in a year, and quarters of an hour in an hour', () => {
    assert.equal(ticksOf('2026-01-01', 365).length, 12)
    const { from } = spanOf('2026-10-24', 1, berlin)
    const texts = timeTicks({ from, to: from + HOUR }, berlin, 'en-US').map(({ text }) => text)
    assert.deepEqual(texts, ['00:00', '00:15', '00:30', '00:45', '01:00'])
  })
})
