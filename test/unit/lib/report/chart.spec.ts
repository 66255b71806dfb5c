import assert from 'node:assert/strict'
import { chart } from '../../../../src/lib/report/chart'
import type { ReportedChannel } from '../../../../src/lib/report/report-data'
import { Wording } from '../../../../src/lib/report/wording'
import {
  channelOf,
  deviceOf,
  excursionOf,
  HOUR,
  limitOf,
  spanOf,
  translateIn,
} from '../../../support/report/sample-report'

const words = new Wording('en-US', translateIn('en-US'))
const { from, to } = spanOf()

const draw = (channel: ReportedChannel) =>
  `${chart(channel, deviceOf({}), { ticks: [], about: 'A & B', words })}`

/** The steps of a line or an area, by its class. */
const stepsOf = (drawn: string, kind: string) =>
  new RegExp(`class="${kind}" d="([^"]*)"`).exec(drawn)?.[1] ?? ''

/** Left edges and widths of boxes, in hours. */
const boxesOf = (drawn: string, kind: string) =>
  [...drawn.matchAll(new RegExp(`class="${kind}" x="(\\d+)" width="(\\d+)"`, 'g'))].map(([, x, width]) => [
    Number(x) / 15,
    Number(width) / 15,
  ])

const hourOf = (time: number) => Math.floor((time - from) / HOUR)

/** The numbers beside a chart, with their distance from its top in percent. */
const numbersOf = (drawn: string, kind = 'y') =>
  [...drawn.matchAll(new RegExp(`class="${kind}" style="top:([-\\d.]+)%">([^<]*)`, 'g'))].map(
    ([, top, text]) => [text, Number(top)] as const,
  )

describe('a chart', () => {
  it('shows the lowest and highest values of each slot, and a line through the means', () => {
    const points = [0, 6, 12].map((hour) => ({ time: from + hour * HOUR, low: -20, high: -10, mean: -15 }))
    const channel = channelOf()
    const drawn = draw({ ...channel, chart: { points, breaks: [] } })
    assert.equal(stepsOf(drawn, 'value'), 'M0 120l90 0 90 0')
    assert.equal(stepsOf(drawn, 'range'), 'M0 17l90 0 90 0 0 206-90 0-90 0z')
    assert.match(drawn, /aria-label="A &amp; B"/)
  })

  it('shows the range of some slots, although others have a single value', () => {
    const points = [0, 6, 12].map((hour) => ({ time: from + hour * HOUR, low: hour, high: 12, mean: 12 }))
    const drawn = draw({ ...channelOf(), chart: { points, breaks: [] } })
    assert.equal(stepsOf(drawn, 'range'), 'M0 17l90 0 90 0 0 0-90 103-90 103z')
  })

  it('leaves gaps empty', () => {
    const breaks = [
      { from: from + 3 * HOUR, to: from + 5 * HOUR, isError: false },
      { from: from + 9 * HOUR, to: from + 10 * HOUR, isError: true },
      { from: from + 23 * HOUR, to, isError: false },
    ]
    const drawn = draw(channelOf({ step: HOUR, chart: { points: [], breaks } }))
    assert.deepEqual(boxesOf(drawn, 'gap'), [
      [3, 2],
      [23, 1],
    ])
    assert.deepEqual(boxesOf(drawn, 'error'), [[9, 1]])
    const parts = stepsOf(drawn, 'value').match(/M\d+/g)
    assert.deepEqual(parts, ['M0', `M${5 * 15}`, `M${10 * 15}`])
  })

  it('shades the part of an excursion that is in the period', () => {
    const excursions = [
      excursionOf({ from: from - 5 * HOUR, until: from + HOUR }),
      excursionOf({ from: from + 22 * HOUR, until: to + 5 * HOUR }),
    ]
    const outsideAtEnd = [{ limit: limitOf(), side: 'above' as const, from: from + 21 * HOUR, extreme: 1 }]
    const drawn = draw(channelOf({ excursions, outsideAtEnd }))
    const inPeriod = [
      [0, 1],
      [22, 2],
    ]
    assert.deepEqual(boxesOf(drawn, 'outside'), [...inPeriod, [21, 3]])
    assert.deepEqual(boxesOf(drawn, 'bar'), inPeriod)
  })

  it('shows what began to be outside just before its end inside its right edge', () => {
    const outsideAtEnd = [{ limit: limitOf(), side: 'above' as const, from: to - 60_000, extreme: 1 }]
    assert.match(draw(channelOf({ outsideAtEnd })), /class="outside" x="359" width="1"/)
  })

  it('has room for all limits, three of them with their own dashes', () => {
    const limits = [limitOf({ above: 8, below: 2 }), ...[30, 31, 32].map((above) => limitOf({ above }))]
    const drawn = draw(channelOf({ valueAt: () => 5, limits }))
    const lines = [...drawn.matchAll(/class="limit dash(\d)" d="M0 (\d+)H360"/g)]
    assert.deepEqual(
      lines.map(([, dash]) => dash),
      ['0', '0', '1', '2', '0'],
    )
    for (const [, , y] of lines) assert.ok(Number(y) > 0 && Number(y) < 240, y)
    const edges = [...drawn.matchAll(/class="edge" style="top:[\d.]+%">([^<]*)/g)].map(([, text]) => text)
    assert.deepEqual(edges, ['8', '2', '30'])
  })

  it('has a number beside each of its lines, at the same height', () => {
    const drawn = draw(channelOf({ valueAt: hourOf, limits: [limitOf({ above: 20 })] }))
    const heights = [...stepsOf(drawn, 'grid').matchAll(/M0 (\d+)H360/g)].map(([, y]) => Number(y) / 2.4)
    const numbers = numbersOf(drawn)
    assert.deepEqual(
      numbers.map(([text]) => text),
      ['0', '10', '20'],
    )
    numbers.forEach(([text, top], index) => {
      assert.ok(Math.abs(top - (heights[index] ?? 0)) < 0.3, text)
    })
    const [, limit] = /class="limit dash0" d="M0 (\d+)H/.exec(drawn) ?? []
    const [[, top] = []] = numbersOf(drawn, 'edge')
    assert.ok(Math.abs((top ?? 0) - Number(limit) / 2.4) < 0.3)
  })

  it('has its numbers also far from zero', () => {
    const numbersFrom = (least: number) => {
      const drawn = draw(channelOf({ valueAt: (time) => least + (hourOf(time) === 1 ? 10 : 0) }))
      return numbersOf(drawn).map(([text]) => text)
    }
    assert.deepEqual(
      [numbersFrom(-20), numbersFrom(10)],
      [
        ['\u221220', '\u221215', '\u221210'],
        ['10', '15', '20'],
      ],
    )
  })

  // About five lines, at ones, twos and fives.
  for (const [most, ...expected] of [
    [0.1, '0.00', '0.05', '0.10'],
    [1, '0.0', '0.5', '1.0'],
    [4, '0', '1', '2', '3', '4'],
    [8, '0', '2', '4', '6', '8'],
    [20, '0', '5', '10', '15', '20'],
    [40, '0', '10', '20', '30', '40'],
    [40_000, '0', '10,000', '20,000', '30,000', '40,000'],
  ] as const)
    it(`from 0 to ${most} has lines at ${expected.join(', ')}`, () => {
      const drawn = draw(channelOf({ valueAt: (time) => (hourOf(time) === 1 ? most : 0) }))
      assert.deepEqual(
        numbersOf(drawn).map(([text]) => text),
        expected,
      )
    })

  it('has its times where they are, and a text only for the first of two limits that are close', () => {
    const ticks = [6, 18].map((hour) => ({ at: from + hour * HOUR, text: `${hour}`, isLine: true }))
    const limits = [limitOf({ above: 10 }), limitOf({ above: 8.75 }), limitOf({ above: 8.6 })]
    const channel = channelOf({ valueAt: (time) => hourOf(time) % 11, limits })
    const drawn = `${chart(channel, deviceOf({}), { ticks, about: '', words })}`
    assert.deepEqual(
      [...drawn.matchAll(/class="x" style="left:([\d.]+)%"/g)].map(([, left]) => Number(left)),
      [25, 75],
    )
    assert.match(stepsOf(drawn, 'grid'), /M90 0V240M270 0V240$/)
    assert.deepEqual(
      numbersOf(drawn, 'edge').map(([text]) => text),
      ['10', '8.6'],
    )
  })

  it('has a text, or a line, or both at a time', () => {
    const ticks = [
      { at: from + 6 * HOUR, text: '6', isLine: true },
      { at: from + 12 * HOUR, text: '', isLine: true },
      { at: from + 18 * HOUR, text: '18', isLine: false },
    ]
    const drawn = `${chart(channelOf(), deviceOf({}), { ticks, about: '', words })}`
    const texts = [...drawn.matchAll(/class="x"[^>]*>([^<]*)/g)].map(([, text]) => text)
    assert.deepEqual(texts, ['6', '18'])
    assert.match(stepsOf(drawn, 'grid'), /H360M90 0V240M180 0V240$/)
  })

  it('shows a single value, and one that never changes', () => {
    const [first] = channelOf().chart.points
    assert.ok(first)
    const single = draw({ ...channelOf(), chart: { points: [first], breaks: [] } })
    assert.equal(stepsOf(single, 'value'), 'M0 120h0')
    assert.equal(stepsOf(draw(channelOf()), 'range'), '')
  })

  it('does not exist without values', () => {
    assert.equal(chart(channelOf({ from: to }), deviceOf({}), { ticks: [], about: '', words }), null)
  })
})
