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

describe('a chart', () => {
  it('shows the lowest and highest values of each slot, and a line through the means', () => {
    const points = [0, 6, 12].map((hour) => ({ time: from + hour * HOUR, low: 0, high: 10, mean: 5 }))
    const channel = channelOf()
    const drawn = draw({ ...channel, chart: { points, breaks: [] } })
    assert.equal(stepsOf(drawn, 'value'), 'M0 120l90 0 90 0')
    assert.equal(stepsOf(drawn, 'range'), 'M0 17l90 0 90 0 0 206-90 0-90 0z')
    assert.match(drawn, /aria-label="A &amp; B"/)
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

  it('has room for all limits, each with its own dashes', () => {
    const limits = [limitOf({ above: 8, below: 2 }), limitOf({ above: 30 })]
    const drawn = draw(channelOf({ valueAt: () => 5, limits }))
    const lines = [...drawn.matchAll(/class="limit dash(\d)" d="M0 (\d+)H360"/g)]
    assert.deepEqual(
      lines.map(([, dash]) => dash),
      ['0', '0', '1'],
    )
    for (const [, , y] of lines) assert.ok(Number(y) > 0 && Number(y) < 240, y)
    const edges = [...drawn.matchAll(/class="edge" style="top:[\d.]+%">([^<]*)/g)].map(([, text]) => text)
    assert.deepEqual(edges, ['8', '2', '30'])
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
