import type { Measured } from '../readings/figures'
import { chart } from './chart'
import { type Html, html } from './html'
import { longOffset, timeIn } from './local-time'
import { badgesOf, coverageOf, meanOf, nameOf, type PageContext, textOf } from './parts'
import type { ReportedChannel, ReportedDevice } from './report-data'
import { timeTicks } from './time-ticks'

/** A card of so many channels fits on a printed page. */
const MAX_UNCUT = 4

/** The figures and charts of a device. @param level of its heading */
export function deviceCard(device: ReportedDevice, context: PageContext, level: number): Html {
  const { words, titles } = context
  const { title = '', id } = titles.get(device) ?? {}
  const ticks = timeTicks(device, device.clock, words.language)
  const isCut = device.channels.length > MAX_UNCUT
  const details = [
    device.serial !== title && device.serial,
    device.baseName !== '' && words.say('at-base', { base: device.baseName }),
    isOtherClock(device, context) && longOffset(device.clock.offsetAt(device.from)),
  ].filter((text) => typeof text === 'string' && text !== '')
  const channels = device.channels.map((channel) => {
    const about = words.say('about-chart', {
      device: title,
      channel: channel.name,
      span: words.say('span', {
        from: textOf(channel.min?.value ?? null, channel, words),
        to: textOf(channel.max?.value ?? null, channel, words),
      }),
    })
    return html`<div class="channel">
<h${level + 1} class="label">${isCut && html`<span class="continued">${nameOf(title)} · </span>`}${nameOf(channel.name)}<span class="badges">${badgesOf(channel, words)}</span></h${level + 1}>
${figures(channel, device, context)}${chart(channel, device, { ticks, about, words }) ?? noValue(channel, context)}</div>
`
  })
  return html`<section class="device${isCut && ' cut'}" id="${id}">
<h${level} class="title">${nameOf(title)} <span class="sub">${details.map((text, index) => [index > 0 && ' · ', nameOf(`${text}`)])}</span></h${level}>
${channels}</section>
`
}

/** Whether times of a device are not those that the head names. */
function isOtherClock({ clock, from }: ReportedDevice, { data }: PageContext): boolean {
  return data.clock.zone === null && clock.offsetAt(from) !== data.clock.offsetAt(from)
}

function figures(channel: ReportedChannel, device: ReportedDevice, { words }: PageContext): Html {
  const { mean, mkt, longestGap, limits, count, min, max } = channel
  const show = (instant: number) => timeIn(device, device.clock, instant)
  const extreme = (key: string, found: Measured | null) =>
    found && figure(words.say(key), textOf(found.value, channel, words), show(found.time))
  const gap =
    longestGap &&
    words.say('longest-gap', { text: words.lengthOf(longestGap), span: words.span(longestGap, show) })
  return html`<dl class="figures">${extreme('minimum', min)}${extreme('maximum', max)}${
    mean !== null && figure(words.say('mean'), meanOf(mean, channel, words))
  }${mkt !== null && figure(words.say('kinetic'), meanOf(mkt, channel, words))}${figure(
    words.say('coverage'),
    coverageOf(channel, words),
    words.list([words.say('values', { count, values: words.number(count) }), ...(gap ? [gap] : [])]),
  )}${limits.length > 0 && figure(words.say('limits'), words.limits(channel))}</dl>
`
}

const figure = (name: string, value: string, remark = '') =>
  html`<div><dt>${name}</dt> <dd>${value}${remark !== '' && html` <span>${remark}</span>`}</dd></div>`

function noValue(channel: ReportedChannel, { words }: PageContext): Html {
  return html`<p class="nothing">${words.noValue(channel)}</p>
`
}
