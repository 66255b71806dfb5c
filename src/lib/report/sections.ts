import type { Limit } from '../../shared/limits-schema'
import { type Html, html } from './html'
import { dateAndTime, longOffset } from './local-time'
import {
  badgesOf,
  cell,
  coverageOf,
  deviceCell,
  deviceLink,
  heads,
  meanOf,
  nameOf,
  type PageContext,
  textOf,
  unbroken,
} from './parts'
import { isolated } from './phrases'
import type { Excursion, Outside, ReportedChannel, ReportedDevice } from './report-data'
import type { Wording } from './wording'

/** What was not checked, or only in part: devices that were not checked at all come first. */
export function* missingSection(context: PageContext): Generator<Html> {
  const { data, words } = context
  const found = data.devices.filter(({ missing }) => missing.length > 0)
  if (found.length === 0) return
  yield html`<section>
<h2>${words.say('missing-heading')}</h2>
<ul class="missing">
`
  for (const device of found.toSorted((a, b) => Number(a.isChecked) - Number(b.isChecked))) {
    const texts = words.missing(device).map((text) => html`<span>${text}</span>`)
    yield html`<li><b>${deviceLink(device, context)}</b><span>${texts}</span></li>
`
  }
  yield html`</ul>
</section>
`
}

interface Found<T> {
  device: ReportedDevice
  channel: ReportedChannel
  outside: T
}

function collect<T>(
  devices: readonly ReportedDevice[],
  listOf: (channel: ReportedChannel) => readonly T[],
): Found<T>[] {
  return devices.flatMap((device) =>
    device.channels.flatMap((channel) => listOf(channel).map((outside) => ({ device, channel, outside }))),
  )
}

export function* excursionSection(context: PageContext): Generator<Html> {
  const { data, words } = context
  const found = data.devices.filter(({ channels }) =>
    channels.some(({ excursions }) => excursions.length > 0),
  )
  if (found.length === 0) return
  const numbers = ['duration', 'extreme'].map((key) => words.say(key))
  const texts = ['device', 'channel', 'limit', 'begin', 'until'].map((key) => words.say(key))
  yield html`<section>
<h2>${words.say('excursions-heading')}</h2>
<table class="excursions">
${heads([...texts, ...numbers], numbers)}`
  for (const device of found)
    for (const channel of device.channels)
      yield html`${channel.excursions.map((outside) => excursionRows({ device, channel, outside }, context))}`
  const leftOut = collect(found, (channel) => (channel.leftOut > 0 ? [channel.leftOut] : []))
  const lines = leftOut.map(({ device, channel, outside }) =>
    words.say('left-out', { place: placeOf(device, channel, context), count: outside }),
  )
  yield html`</table>
${lines.map((text) => html`<p class="sub">${text}</p>`)}</section>
`
}

function placeOf(device: ReportedDevice, { name }: ReportedChannel, { titles, words }: PageContext): string {
  return words.list([titles.get(device)?.title ?? '', name].map(isolated))
}

/** An excursion and, in print, a line for what was done about it. */
function excursionRows({ device, channel, outside }: Found<Excursion>, context: PageContext): Html {
  const { data, words } = context
  const { clock } = device
  const cause =
    data.head.signature &&
    html`<tr class="cause"><td colspan="7">${words.named(words.say('cause'), '')}</td></tr>
`
  return html`<tbody>
<tr><th scope="row">${deviceLink(device, context)}</th>${[
    cell('', nameOf(channel.name)),
    cell('', words.broken(outside, channel.unit), 'broken'),
    cell(words.say('begin'), unbroken(words.begin(outside, clock))),
    cell(words.say('until'), unbroken(words.end(outside, clock))),
    cell(words.say('duration'), words.length(outside), 'n'),
    cell(words.say('extreme'), textOf(outside.extreme, channel, words), 'n'),
  ]}</tr>
${cause}</tbody>
`
}

export function outsideSection(context: PageContext): Html | null {
  const { words } = context
  const found = collect<Outside>(context.data.devices, ({ outsideAtEnd }) => outsideAtEnd)
  if (found.length === 0) return null
  const items = found.map(({ device, channel, outside }) => {
    const texts = [
      words.broken(outside, channel.unit),
      words.say('since', { time: dateAndTime(device.clock, outside.from) }),
      words.named(words.say('extreme'), textOf(outside.extreme, channel, words)),
    ]
    return html`<li><b>${deviceLink(device, context)}${words.say('comma')}${nameOf(channel.name)}</b><span>${words.list(texts)}</span></li>
`
  })
  return html`<section>
<h2>${words.say('outside-heading')}</h2>
<ul class="missing">
${items}</ul>
<p class="sub">${words.say('outside-note')}</p>
</section>
`
}

/** The heads of the overview. Its rows are made for each device. */
export function overviewHeads({ words, isKinetic }: PageContext): Html {
  const numbers = ['minimum', 'maximum', 'mean', ...(isKinetic ? ['kinetic'] : []), 'coverage'].map((key) =>
    words.say(key),
  )
  const texts = [
    words.say('device'),
    words.say('channel'),
    ...numbers,
    words.say('limits'),
    words.say('result'),
  ]
  return heads(texts, numbers)
}

export function overviewRows(device: ReportedDevice, context: PageContext): Html {
  const { words, isKinetic } = context
  const rows = device.channels.map((channel, index) => {
    const { min, max, mean, mkt } = channel
    return html`<tr${index > 0 && html` class="more"`}>${deviceCell(deviceLink(device, context), index === 0)}${[
      cell('', nameOf(channel.name)),
      cell(words.say('minimum'), textOf(min?.value ?? null, channel, words), 'n'),
      cell(words.say('maximum'), textOf(max?.value ?? null, channel, words), 'n'),
      cell(words.say('mean'), meanOf(mean, channel, words), 'n'),
      isKinetic && cell(words.say('kinetic'), meanOf(mkt, channel, words), 'n'),
      cell(words.say('coverage'), coverageOf(channel, words), 'n'),
      cell(words.say('limits'), words.limits(channel) || '–', 'limits'),
      cell('', badgesOf(channel, words)),
    ]}</tr>
`
  })
  return html`${rows}`
}

/** The rows by which the report judges, with the time from which they are. */
export function limitsSection({ data, words }: PageContext): Html | null {
  const { limits, clock, made, devices } = data
  if (!limits || limits.length === 0) return null
  const heading = words.say('limits-heading', { made: dateAndTime(clock, made) })
  const rows = limits.map((limit) => {
    const { what, unit } = words.measured(limit)
    const chosen = devicesOf(limit, devices, words)
    return html`<tr><th scope="row">${chosen}</th><td>${what}</td><td>${words.bounds(limit, unit)}</td><td>${nameOf(limit.name)}</td></tr>
`
  })
  return html`<section>
<h2>${heading}</h2>
<table class="rows">
${heads(['limit-devices', 'quantity', 'limit-range', 'limit-name'].map((key) => words.say(key)))}<tbody>
${rows}</tbody>
</table>
</section>
`
}

function devicesOf(
  { select, devices: chosen, bases, groups }: Limit,
  devices: readonly ReportedDevice[],
  words: Wording,
): Html {
  const named = chosen.map(({ serial }) => devices.find((device) => device.serial === serial)?.name || serial)
  const texts = { all: [words.say('all-devices')], list: [...named, ...bases], base: bases, group: groups }[
    select
  ]
  return html`${texts.map((text, index) => [index > 0 && words.say('comma'), nameOf(text)])}`
}

/** Facts about the report: who is responsible, which local time it shows, when it was made. */
export function facts({ data, words, titles }: PageContext): Html {
  const { head, verdict, clock, made, devices } = data
  const { counts } = verdict
  const checked = counts.devices - counts.unchecked
  const withBattery = (level: string) =>
    devices
      .filter(({ battery }) => battery === level)
      .map((device) => isolated(titles.get(device)?.title ?? ''))
  const rows: [string, string][] = [
    [words.say('site'), head.site],
    [words.say('responsible'), head.responsible],
    [
      words.say('checked'),
      words.list([
        words.say('of-devices', { count: counts.devices, checked }),
        words.say('channels', { count: counts.channels }),
      ]),
    ],
    [
      words.say('without-limits'),
      counts.withoutLimits > 0 ? words.say('channels', { count: counts.withoutLimits }) : '',
    ],
    [words.say('replace-now'), words.list(withBattery('replace-now'))],
    [words.say('replace-soon'), words.list(withBattery('replace-soon'))],
    [words.say('times'), words.zone(data)],
    [words.say('made'), `${dateAndTime(clock, made)} (${longOffset(clock.offsetAt(made))})`],
    [words.say('account'), head.account],
    [words.say('by'), `envlog ${head.version}`],
  ]
  const shown = rows.filter(([, text]) => text !== '')
  return html`<dl class="facts">
${shown.map(
  ([title, text]) => html`<div><dt>${title}</dt><dd dir="auto">${text}</dd></div>
`,
)}</dl>
`
}
