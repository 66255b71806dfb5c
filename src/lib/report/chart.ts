import type { Span } from '../readings/coverage'
import { type Html, html } from './html'
import type { AppliedLimit, ChartPoint, ReportedChannel, ReportedDevice } from './report-data'
import type { Tick } from './time-ticks'
import type { Wording } from './wording'

// The drawing is stretched to the width of the page, so all texts are beside it.
const WIDTH = 360
const HEIGHT = 240
/** The least distance of two texts beside a chart, in percent of its height. */
const LABEL_DISTANCE = 12
/** So many kinds of dashes tell limits of different names apart. */
const DASHES = 3

/** The places of times and values in a chart. */
class Scale {
  readonly #span: Span
  readonly bottom: number
  readonly top: number

  constructor(span: Span, values: readonly number[]) {
    this.#span = span
    const [low, high] = [Math.min(...values), Math.max(...values)]
    const margin = (high - low || 2) * 0.08
    this.bottom = low - margin
    this.top = high + margin
  }

  /** The part of the period that is over at a time, 0 to 1. */
  part(at: number): number {
    const { from, to } = this.#span
    return Math.min(1, Math.max(0, (at - from) / (to - from || 1)))
  }

  x(at: number): number {
    return Math.round(this.part(at) * WIDTH)
  }

  y(value: number): number {
    return Math.round(((this.top - value) / (this.top - this.bottom)) * HEIGHT)
  }

  left(at: number): string {
    return `left:${round(this.part(at) * 100, 1)}%`
  }

  /** In percent from the top. */
  percent(value: number): number {
    return round(((this.top - value) / (this.top - this.bottom)) * 100, 1)
  }
}

/** A chart of the values of a channel; nothing if it has none. @param about what the chart shows, for screen readers */
export function chart(
  channel: ReportedChannel,
  { from, to }: ReportedDevice,
  { ticks, about, words }: { ticks: readonly Tick[]; about: string; words: Wording },
): Html | null {
  const { points, breaks } = channel.chart
  if (points.length === 0) return null
  const edges = edgesOf(channel.limits)
  const values = points.flatMap(({ low, high }) => [low, high])
  const scale = new Scale({ from, to }, [...values, ...edges.map(({ value }) => value)])
  const step = niceStep((scale.top - scale.bottom) / 5)
  const levels = multiples(step, scale)
  const lines = ticks.filter(({ isLine }) => isLine).map(({ at }) => `M${scale.x(at)} 0V${HEIGHT}`)
  const segments = segmentsOf(channel)
  const drawn = [
    ...breaks.map((span) => box(scale, span, span.isError ? 'error' : 'gap')),
    path('grid', levels.map((value) => `M0 ${scale.y(value)}H${WIDTH}`).join('') + lines.join('')),
    ...outsideBoxes(channel, scale, to),
    path('range', segments.map((segment) => band(segment, scale)).join('')),
    path('value', segments.map((segment) => line(segment, scale)).join('')),
    ...edges.map(({ value, dash }) => path(`limit dash${dash}`, `M0 ${scale.y(value)}H${WIDTH}`)),
  ]
  const decimals = decimalsOf(step)
  return html`<figure class="chart"><div class="plot"><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${about}">${drawn}</svg><div aria-hidden="true">${levels.map((value) => label('y', scale.percent(value), words.number(value, decimals)))}${edgeLabels(edges, scale, words)}${ticks.map(({ at, text }) => text !== '' && html`<i class="x" style="${scale.left(at)}">${text}</i>`)}</div></div></figure>
`
}

const label = (kind: 'y' | 'edge', top: number, text: string) =>
  html`<i class="${kind}" style="top:${top}%">${text}</i>`

const path = (kind: string, steps: string) =>
  steps === '' ? null : html`<path class="${kind}" d="${steps}"/>`

// Limits and what is outside

interface Edge {
  value: number
  dash: number
}

function edgesOf(limits: readonly AppliedLimit[]): Edge[] {
  return limits.flatMap(({ drawnAbove, drawnBelow }, index) =>
    [drawnAbove, drawnBelow].flatMap((value) => (value === null ? [] : [{ value, dash: index % DASHES }])),
  )
}

function edgeLabels(edges: readonly Edge[], scale: Scale, words: Wording): Html[] {
  const placed: number[] = []
  return [...new Set(edges.map(({ value }) => value))].flatMap((value) => {
    const top = scale.percent(value)
    if (placed.some((other) => Math.abs(other - top) < LABEL_DISTANCE)) return []
    placed.push(top)
    return [label('edge', top, words.number(value, 0, 2))]
  })
}

/** Excursions have a bar on top, so that they differ from gaps in more than the colour. */
function outsideBoxes({ excursions, outsideAtEnd }: ReportedChannel, scale: Scale, end: number): Html[] {
  return [
    ...excursions.flatMap(({ from, until }) => [
      box(scale, { from, to: until }, 'outside'),
      box(scale, { from, to: until }, 'bar', 7),
    ]),
    ...outsideAtEnd.map(({ from }) => box(scale, { from, to: end }, 'outside')),
  ]
}

function box(scale: Scale, { from, to }: Span, kind: string, height = HEIGHT): Html {
  const left = Math.min(scale.x(from), WIDTH - 1)
  const width = Math.max(1, scale.x(to) - left)
  return html`<rect class="${kind}" x="${left}" width="${width}" height="${height}"/>`
}

// Values

type Place = readonly [x: number, y: number]

/** The points between breaks. */
function segmentsOf({ chart: { points, breaks } }: ReportedChannel): ChartPoint[][] {
  const segments: ChartPoint[][] = []
  let next = 0
  let last: ChartPoint | undefined
  for (const point of points) {
    const at = last?.time ?? Number.NEGATIVE_INFINITY
    while (next < breaks.length && (breaks[next]?.to ?? 0) <= at) next++
    const isBroken = (breaks[next]?.from ?? Number.POSITIVE_INFINITY) < point.time
    if (!last || isBroken) segments.push([])
    segments.at(-1)?.push(point)
    last = point
  }
  return segments
}

/** The area from the lowest to the highest values; nothing if they are the same. */
function band(points: readonly ChartPoint[], scale: Scale): string {
  const upper = points.map(({ time, high }): Place => [scale.x(time), scale.y(high)])
  const lower = points.map(({ time, low }): Place => [scale.x(time), scale.y(low)])
  if (upper.every(([, y], index) => lower[index]?.[1] === y)) return ''
  return `${polyline([...upper, ...lower.toReversed()])}z`
}

function line(points: readonly ChartPoint[], scale: Scale): string {
  const steps = polyline(points.map(({ time, mean }): Place => [scale.x(time), scale.y(mean)]))
  // A single value is a dot.
  return points.length === 1 ? `${steps}h0` : steps
}

/** Steps from place to place, in few characters. */
function polyline(places: readonly Place[]): string {
  const [[left, top] = [0, 0]] = places
  let [x, y] = [left, top]
  const steps = places.slice(1).map((place) => {
    const step = `${place[0] - x} ${place[1] - y}`
    ;[x, y] = place
    return step
  })
  return `M${left} ${top}${steps.length > 0 ? `l${steps.join(' ').replaceAll(' -', '-')}` : ''}`
}

// Numbers beside the chart

function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough))
  return round(([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power, 6)
}

function multiples(step: number, { bottom, top }: Scale): number[] {
  const first = Math.ceil(bottom / step)
  const count = Math.max(0, Math.floor(top / step) - first + 1)
  return Array.from({ length: count }, (_, index) => round((first + index) * step, 6))
}

const round = (value: number, digits: number) => Number(value.toFixed(digits))

const decimalsOf = (value: number) => (`${value}`.split('.')[1] ?? '').length
