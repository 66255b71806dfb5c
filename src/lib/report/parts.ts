import { type Html, html } from './html'
import type { ReportData, ReportedChannel, ReportedDevice } from './report-data'
import type { Wording } from './wording'

/** What all parts of a page need. */
export interface PageContext {
  data: ReportData
  words: Wording
  /** The names of devices, and their places in the page, by device. */
  titles: ReadonlyMap<ReportedDevice, { title: string; id: string }>
  /** Whether a channel has a mean kinetic temperature. */
  isKinetic: boolean
}

export type BadgeLevel = 'good' | 'warning' | 'bad' | 'none'

/** A name of others, which may be written from right to left. Only long words are broken. */
export const nameOf = (text: string): Html =>
  /[!-~]{17}/.test(text) ? html`<bdi class="long">${text}</bdi>` : html`<bdi>${text}</bdi>`

export const badge = (level: BadgeLevel, text: string): Html =>
  html`<span class="badge ${level}">${text}</span>`

/** The name of a device; a link if the page has a card of it. */
export function deviceLink(device: ReportedDevice, { titles }: PageContext): Html {
  const { title = '', id } = titles.get(device) ?? {}
  return device.channels.length > 0 ? html`<a href="#${id}">${nameOf(title)}</a>` : nameOf(title)
}

/** The result of a channel, as it stands in the overview and in its card. */
export function badgesOf(channel: ReportedChannel, words: Wording): Html {
  const { excursions, leftOut, state, limits, outsideAtEnd } = channel
  const count = excursions.length + leftOut
  const badges = [
    count > 0 && badge('bad', words.say('verdict.excursions', { count })),
    outsideAtEnd.length > 0 && badge('warning', words.say('outside')),
    state !== 'complete' && badge('warning', words.say(state)),
  ].filter((found) => found !== false)
  if (badges.length > 0) return html`${badges.map((each) => html`${each} `)}`
  return limits.length > 0 ? badge('good', words.say('inside')) : badge('none', words.say('no-limits'))
}

export function textOf(value: number | null, { unit, decimals }: ReportedChannel, words: Wording): string {
  return value === null ? '–' : words.withUnit(value, unit, decimals)
}

/** A mean has one decimal more than the values. */
export function meanOf(value: number | null, channel: ReportedChannel, words: Wording): string {
  return textOf(value, { ...channel, decimals: Math.min(2, channel.decimals + 1) }, words)
}

export const coverageOf = ({ coverage }: ReportedChannel, words: Wording): string =>
  coverage === null ? '–' : words.percent(coverage)

/** A cell of a table, whose name is beside it where the table has no heads. */
export const cell = (name: string, content: Html | string, kind = ''): Html =>
  html`<td${kind !== '' && html` class="${kind}"`}${name !== '' && html` data-name="${name}"`}>${content}</td>`

/** The first cell of a row: the device. The rows below it repeat the name only for screen readers. */
export const deviceCell = (content: Html, isFirst: boolean): Html =>
  html`<th scope="row">${isFirst ? content : html`<span class="unseen">${content}</span>`}</th>`

export function heads(texts: readonly string[], numbers: readonly string[] = []): Html {
  const cells = texts.map(
    (text) => html`<th scope="col"${numbers.includes(text) && html` class="n"`}>${text}</th>`,
  )
  return html`<thead><tr>${cells}</tr></thead>
`
}

const DATE_AND_TIME = /(\d{4}-\d\d-\d\d \d\d:\d\d(?: UTC\S*)?)/

/** A text in which a date and its time stay in one line. */
export const unbroken = (text: string): Html =>
  html`${text.split(DATE_AND_TIME).map((part, index) => (index % 2 === 1 ? html`<span class="time">${part}</span>` : part))}`
