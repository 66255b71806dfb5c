import assert from 'node:assert/strict'
import fc from 'fast-check'
import { EnvlogError } from '../../../../src/lib/errors'
import { renderNotDone, renderPage } from '../../../../src/lib/report/page'
import type { ReportData, ReportedDevice } from '../../../../src/lib/report/report-data'
import { repairLimit } from '../../../../src/shared/limits-schema'
import {
  channelOf,
  checkOf,
  clockOf,
  DAY,
  deviceOf,
  excursionOf,
  HOUR,
  limitOf,
  MINUTE,
  reportOf,
  spanOf,
  translateIn,
} from '../../../support/report/sample-report'

const render = (data: ReportData) => renderPage(data, translateIn(data.head.language))

/** The text of a page, a line for each element. */
const textOf = (page: string) =>
  page
    .replace(/<(?:style|svg)[\s\S]*?<\/(?:style|svg)>/g, '')
    .replace(/<[^>]*>/g, '\n')
    .replaceAll('\u00a0', ' ')
    .replace(/\n\s*/g, '\n')

const count = (text: string, part: string) => text.split(part).length - 1

/** A device with all that a page shows of one. */
function fullDevice(name: string, wish: Partial<ReportedDevice> = {}): ReportedDevice {
  const { from, to } = spanOf()
  const limit = limitOf({ name, above: -15, below: -30 })
  const excursion = excursionOf({ from, until: from + HOUR, limit })
  const channel = channelOf({
    step: HOUR,
    name,
    limits: [limit],
    excursions: [excursion],
    outsideAtEnd: [excursion],
    leftOut: 2,
    errors: 1,
    errorText: name,
    unit: name,
    state: 'incomplete',
    longestGap: { from, to },
    gaps: [{ from, to }],
  })
  const failure = new EnvlogError('device-unknown', { serial: name })
  return deviceOf({
    name,
    serial: name,
    group: name,
    baseName: name,
    channels: [channel],
    missing: [
      { kind: 'incomplete', channel },
      { kind: 'failed', error: failure },
    ],
    ...wish,
  })
}

const row = repairLimit({ name: 'Freezers', above: -15, minutes: 10 })

function fullReport(name: string): ReportData {
  return reportOf({
    devices: [fullDevice(name)],
    limits: [{ ...row, name }],
    head: { title: name, site: name, responsible: name, account: name },
  })
}

const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onload='alert(1)",
  '</style></title><b>',
  '<!--',
  '&lt;',
  '\\00003c"; }',
]

describe('the page of a report', () => {
  it('has the same elements whatever names contain', async () => {
    const elements = (page: string) => page.match(/<\/?\w+|<!/g)
    const plain = elements(await render(fullReport('Freezer 1')))
    const anyName = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: 'binary', minLength: 1 }))
    await fc.assert(
      fc.asyncProperty(anyName, async (name) => {
        const page = await render(fullReport(name))
        assert.deepEqual(elements(page), plain)
        assert.doesNotMatch(page, /[^\P{Cc}\n]/u)
      }),
      { seed: 1, numRuns: 50 },
    )
  })

  it('keeps names inside attributes', async () => {
    for (const name of HOSTILE) {
      const page = await render(fullReport(name))
      for (const [, label = ''] of page.matchAll(/aria-label=(.*?)>/g))
        assert.match(label, /^"[^"<>]*"$/, name)
      assert.doesNotMatch(page.replace(/"[^"]*"/g, ''), /<[^>]* on\w+=/, name)
    }
  })

  it('isolates names, which may be written from right to left', async () => {
    const name = '\u202eמקפיא'
    const page = await render(
      reportOf({
        devices: [deviceOf({ name, channels: [channelOf({ name, limits: [limitOf({ name })] })] })],
      }),
    )
    for (const element of ['th', 'td', 'h3', 'h4'])
      assert.match(page, new RegExp(`<${element}\\b[^>]*>(?:<a [^>]*>)?<bdi>${name}</bdi>`), element)
    assert.ok(page.includes(`\u2068${name}\u2069: up to`))
  })

  it('has no script and needs nothing from outside', async () => {
    const page = await render(fullReport('Freezer 1'))
    assert.doesNotMatch(page, /<script|<link|<img|<iframe|@import|\bsrc=|javascript:|https?:/i)
    for (const [, target] of page.matchAll(/href="([^"]*)"/g)) assert.match(target ?? '', /^#d\d+$/)
    for (const [, target] of page.matchAll(/url\(([^)]*)\)/g)) assert.equal(target, '#hatch')
  })

  it('is in the language of the report', async () => {
    const devices = [deviceOf({ name: '冷凍庫', channels: [channelOf({ name: '庫内' })] })]
    const page = await render(reportOf({ devices, head: { language: 'ja', title: '日報' } }))
    assert.match(page, /^<!DOCTYPE html>\n<html lang="ja">/)
    assert.match(page, /<title>日報 2026年11月27日金曜日: 全 1 台を確認、しきい値なし<\/title>/)
    assert.doesNotMatch(textOf(page).replace(/envlog|Plant A|Asia|Tokyo|UTC|MKT|SHA-256/g, ''), /[A-Za-z]{5}/)
    assert.match(await render(reportOf({ devices })), /<html lang="en-US">/)
  })

  it('has links to cards that exist, and an id only once', async () => {
    const page = await render(reportOf({ devices: ['1', '2'].map((serial) => fullDevice(serial)) }))
    const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)
    assert.equal(new Set(ids).size, ids.length)
    for (const [, id] of page.matchAll(/href="#([^"]*)"/g)) assert.ok(ids.includes(id))
  })

  it('names the device again in each part of a card that does not fit on a printed page', async () => {
    const withChannels = (length: number) =>
      render(reportOf({ devices: [deviceOf({ channels: Array.from({ length }, () => channelOf()) })] }))
    assert.equal(count(await withChannels(4), '<span class="continued">'), 0)
    assert.equal(count(await withChannels(5), '<span class="continued"><bdi>Freezer 1</bdi>'), 5)
  })

  it('prints its title and numbers on each page', async () => {
    const page = await render(reportOf({ devices: [], head: { title: 'Report "A"' } }))
    assert.match(page, /@top-left \{ content: "Report \\22 A\\22 {2}\\b7 {2}Friday\\2c {2}November 27/)
    assert.match(page, /@bottom-right \{[^}]*counter\(page\) " \/ " counter\(pages\)/)
  })
})

describe('what a report says', () => {
  it('begins with what is missing: first the devices that were not checked', async () => {
    const { from, to } = spanOf()
    const gap = { from: from + 13 * HOUR, to }
    const channel = channelOf({
      state: 'incomplete',
      coverage: 54.2,
      longestGap: gap,
      gaps: [gap],
      gapsLeftOut: 3,
    })
    const refused = new EnvlogError('device-unknown', { serial: '52A10099' })
    const devices = [
      deviceOf({ channels: [channel], missing: [{ kind: 'incomplete', channel }] }),
      deviceOf({ serial: '52A10099', name: '', missing: [{ kind: 'failed', error: refused }] }),
    ]
    const page = await render(reportOf({ devices }))
    const text = textOf(page)
    assert.match(text, /\nWhat is missing\n52A10099\nnot checked: The account has no device .*52A10099/)
    assert.match(text, /\nFreezer 1\n54.2% measured, gap of 11 h \(13:00 – 24:00\), 3 more gaps\n/)
    assert.ok(text.indexOf('What is missing') < text.indexOf('Overview'))
  })

  it('says why there is no value, with the meaning of the code', async () => {
    const channel = channelOf({ count: 0, errors: 1440, errorText: 'E1', state: 'no-value' })
    const device = deviceOf({ channels: [channel], missing: [{ kind: 'no-value', channel }] })
    assert.match(textOf(await render(reportOf({ devices: [device] }))), /\nno value: E1: sensor\n/)
  })

  it('shows excursions with their true beginning and end', async () => {
    const { from, to } = spanOf()
    const excursions = [
      excursionOf({ from: from - 8 * MINUTE, until: from + 8 * MINUTE }),
      excursionOf({ from: from - DAY, until: to + DAY, isFromKnown: false, isUntilKnown: false }),
    ]
    const devices = [deviceOf({ channels: [channelOf({ excursions, leftOut: 7 })] })]
    const text = textOf(await render(reportOf({ devices })))
    assert.match(text, /above −15 °C\n2026-11-26 23:52\n2026-11-27 00:08\n16 min\n−9.8 °C\nCause and action:/)
    assert.match(text, /since before\s+2026-11-26 00:00\nlasts beyond\s+2026-11-29 00:00\nat least 3 days\n/)
    assert.match(text, /\nFreezer 1, Inside: 7 more\n/)
    assert.match(text, /\n9 excursions\n/)
  })

  it('says what is outside at the end', async () => {
    const { to } = spanOf()
    const outsideAtEnd = [{ limit: limitOf(), side: 'above' as const, from: to - 5 * MINUTE, extreme: -12.1 }]
    const devices = [deviceOf({ channels: [channelOf({ limits: [limitOf()], outsideAtEnd })] })]
    const text = textOf(await render(reportOf({ devices })))
    assert.match(
      text,
      /\nOutside at the end of the period\n[\s\S]*above −15 °C, since 2026-11-27 23:55, Extreme: −12.1 °C\n/,
    )
    assert.doesNotMatch(text, /\nwithin limits\n/)
  })

  it('shows the offset of a time in an hour that occurs twice, and the zone', async () => {
    const clock = clockOf('Europe/Berlin')
    const { from } = spanOf('2026-10-25', 1, clock)
    const excursion = excursionOf({ from: from + 2.5 * HOUR, until: from + 3.75 * HOUR })
    const devices = [deviceOf({ clock, from, channels: [channelOf({ excursions: [excursion] })] })]
    const text = textOf(await render(reportOf({ date: '2026-10-25', clock, devices })))
    assert.match(text, /\n2026-10-25 02:30 UTC\+2\n2026-10-25 02:45 UTC\+1\n75 min\n/)
    assert.match(text, /\nTimes\nEurope\/Berlin\nMade at\n2026-10-26 00:30 \(UTC\+01:00\)\n/)
  })

  it('says that devices report their offset, and which one differs', async () => {
    const [clock, other] = [clockOf('+09:00', true), clockOf('+01:00', true)]
    const devices = [clock, other].map((own) => deviceOf({ clock: own, channels: [channelOf()] }))
    const alone = await render(reportOf({ clock, devices: devices.slice(0, 1) }))
    assert.match(textOf(alone), /\nUTC\+09:00, as the device reports, without daylight saving time\n/)
    const text = textOf(await render(reportOf({ clock, devices })))
    assert.match(text, /\nlocal time of each device, .* \(usually UTC\+09:00\)\n/)
    assert.equal(count(text, '\nUTC+01:00\n'), 1)
  })

  it('gives the mean kinetic temperature only where there is one', async () => {
    const mkt = (value: number | null) =>
      render(reportOf({ devices: [deviceOf({ channels: [channelOf({ mkt: value })] })] }))
    assert.match(textOf(await mkt(5.32)), /\nMKT\n5.32 °C\n[\s\S]*\nMKT is the mean kinetic temperature/)
    assert.doesNotMatch(textOf(await mkt(null)), /MKT/)
  })

  it('shows a mean with one decimal more than the values, two at most', async () => {
    const shown = async (decimals: number) => {
      const channels = [channelOf({ decimals, mkt: 5.3267 })]
      const text = textOf(await render(reportOf({ devices: [deviceOf({ channels })] })))
      return /\nMKT\n(\S+) °C\n/.exec(text)?.[1]
    }
    assert.deepEqual(await Promise.all([0, 1, 2, 3].map(shown)), ['5.3', '5.33', '5.33', '5.33'])
  })

  it('shows limits in their own unit, and in that of the channel', async () => {
    const limit = limitOf({ name: 'Warm', above: -15, drawnAbove: 5 })
    const excursions = [excursionOf({ ...spanOf(), until: spanOf().to, limit, extreme: 14.4 })]
    const devices = [deviceOf({ channels: [channelOf({ unit: '°F', limits: [limit], excursions })] })]
    const text = textOf(await render(reportOf({ devices, limits: [row] })))
    assert.match(text, /\nWarm: up to −15 °C \/ up to 5 °F \(for 10 min\)\n/)
    assert.match(text, /\nWarm: above −15 °C \/ 5 °F\n/)
    assert.match(
      text,
      /\nLimits at the time of making \(2026-11-28 00:30\)\n[\s\S]*\nall devices\ntemperature\nup to −15 °C \(for 10 min\)\nFreezers\n/,
    )
  })

  it('has a place for a signature only if that is set, and the checksum', async () => {
    const signed = await render(fullReport('Freezer 1'))
    assert.match(
      textOf(signed),
      /\nChecked by\nDate\nRemark\n[\s\S]*\nSHA-256 of the records:\s+9f86d081884c/,
    )
    const unsigned = reportOf({ devices: [fullDevice('Freezer 1')], head: { signature: false } })
    assert.doesNotMatch(textOf(await render(unsigned)), /Checked by|Cause and action/)
  })

  it('names the devices whose battery must be replaced soon', async () => {
    const devices = [deviceOf({ name: 'Freezer 1', battery: 'replace-soon' })]
    assert.match(textOf(await render(reportOf({ devices }))), /\nReplace battery soon\n+Freezer 1\n/)
  })

  it('says nothing of devices that were not chosen', async () => {
    const text = textOf(await render(reportOf({ devices: [] })))
    assert.match(text, /\nNo device was chosen, so nothing was checked\n/)
    assert.doesNotMatch(text, /Overview|Charts|Excursions|What is missing/)
  })
})

describe('the page of a check', () => {
  const limit = limitOf({ name: 'Warm' })
  const failed = checkOf({
    value: -9.8,
    result: 'fail',
    limits: [limit],
    outside: [{ limit, side: 'above' }],
  })

  it('shows failures first, each with its reason', async () => {
    const devices = [
      deviceOf({ name: 'A', checks: [checkOf({ limits: [limit] })] }),
      deviceOf({
        name: 'B',
        serial: 'S2',
        checks: [failed, checkOf({ value: null, error: 'E1', result: 'fail' })],
      }),
    ]
    const text = textOf(await render(reportOf({ kind: 'now', devices })))
    assert.match(text, /\n2 of 3 channels failed\n/)
    const failures =
      /\nB\nS2\nInside\n−9.8 °C\n2026-11-27 23:57\nWarm: up to −15 °C\nFAIL\nWarm: above −15 °C\n/
    assert.match(text, failures)
    assert.match(text, /\nFAIL\nno value: E1: sensor\n/)
    assert.match(text, /\nA\n52A10001\nInside\n−18.5 °C\n2026-11-27 23:57\nWarm: up to −15 °C\npass\n/)
    assert.ok(text.search(failures) < text.indexOf('\npass\n'))
    assert.match(text, /How long values were outside is not considered/)
  })

  it('says which device is silent', async () => {
    const missing = [{ kind: 'silent', since: spanOf().from }] as const
    const devices = [deviceOf({ checks: [checkOf({ result: 'fail' })], missing })]
    const text = textOf(await render(reportOf({ kind: 'now', devices })))
    assert.match(text, /\nFAIL\nsilent\n/)
    assert.match(text, /\nsilent since 2026-11-27 00:00\n/)
  })
})

describe('the page in place of a report', () => {
  it('says why it is not done, and looks like no report', () => {
    const head = { language: 'en-US', site: 'Plant <2>' } as const
    const page = renderNotDone(
      { head, title: 'Daily report', period: '2026-11-27' },
      'The service refused <the login>.',
      translateIn('en-US'),
    )
    assert.match(
      textOf(page),
      /\nNot done: The service refused &lt;the login&gt;.\n[\s\S]*\nSite: Plant &lt;2&gt;\n/,
    )
    assert.doesNotMatch(page, /<table|<figure|SHA-256/)
    assert.match(page, /<\/html>\n$/)
  })
})

describe('a large report', () => {
  const devices = Array.from({ length: 60 }, (_, index) => {
    const wave = (time: number) => -19 + Math.sin(time / 1e6 + index) + ((time / MINUTE) % 7) / 10
    const channels = [1, 2].map((number) => channelOf({ number, valueAt: wave, limits: [limitOf()] }))
    return deviceOf({ serial: `52A1${index}`, name: `Freezer ${index}`, channels })
  })

  it('of 60 devices with 1,440 records of two channels has at most 1.2 MB', async () => {
    const size = Buffer.byteLength(await render(reportOf({ devices, limits: [row] })))
    assert.ok(size <= 1_200_000, `${size}`)
  })

  it('leaves time for other work after each device', async () => {
    let turns = 0
    let isDone = false
    const work = () => {
      turns++
      if (!isDone) setImmediate(work)
    }
    setImmediate(work)
    await render(reportOf({ devices, limits: [row] }))
    isDone = true
    assert.ok(turns >= 2 * devices.length, `${turns}`)
  })
})
