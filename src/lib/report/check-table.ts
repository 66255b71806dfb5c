import { type Html, html } from './html'
import { dateAndTime } from './local-time'
import { badge, cell, deviceCell, heads, nameOf, type PageContext, unbroken } from './parts'
import type { CheckedChannel, ReportedDevice } from './report-data'
import type { Wording } from './wording'

/** The heads of a check of the current readings. Its rows are made for each device. */
export function checkHeads({ words }: PageContext): Html {
  const reading = words.say('reading')
  const texts = ['device', 'channel'].map((key) => words.say(key))
  const others = ['measured-at', 'limits', 'result'].map((key) => words.say(key))
  return heads([...texts, reading, ...others], [reading])
}

/** Devices with a failed channel come first. */
export function checkedDevices({ data }: PageContext): readonly ReportedDevice[] {
  const hasPassed = ({ checks }: ReportedDevice) => Number(checks.every(({ result }) => result !== 'fail'))
  return data.devices
    .filter(({ checks }) => checks.length > 0)
    .toSorted((a, b) => hasPassed(a) - hasPassed(b))
}

export function checkRows(device: ReportedDevice, { words, titles }: PageContext): Html {
  const { title = '', id } = titles.get(device) ?? {}
  const serial = title === device.serial ? '' : html` <span class="sub">${device.serial}</span>`
  const rows = device.checks.map((check, index) => {
    const { name, value, unit, decimals, time } = check
    const content = html`${nameOf(title)}${serial}`
    return html`<tr${index > 0 ? html` class="more"` : html` id="${id}"`}>${deviceCell(content, index === 0)}${[
      cell('', nameOf(name)),
      cell('', value === null ? '–' : words.withUnit(value, unit, decimals), 'n reading'),
      cell(words.say('measured-at'), time === null ? '–' : unbroken(dateAndTime(device.clock, time)), 'time'),
      cell(words.say('limits'), words.limits(check, false) || '–'),
      cell('', resultOf(check, device, words)),
    ]}</tr>
`
  })
  return html`${rows}`
}

function resultOf(
  { result, value, error, outside, unit }: CheckedChannel,
  { missing }: ReportedDevice,
  words: Wording,
): Html {
  if (result === 'none') return badge('none', words.say('no-limits'))
  if (result === 'pass') return badge('good', words.say('pass'))
  const isSilent = missing.some(({ kind }) => kind === 'silent')
  const reasons = [
    ...(isSilent ? [words.say('silent')] : []),
    ...(value === null ? [words.named(words.say('no-value'), words.error(error ?? ''))] : []),
    ...outside.map((each) => words.broken(each, unit)),
  ]
  return html`${badge('bad', words.say('fail'))} <span>${words.list(reasons)}</span>`
}
