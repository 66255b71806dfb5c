import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { EnvlogError } from '../../../../src/lib/errors'
import type { Excursion, PeriodKind, ReportData } from '../../../../src/lib/report/report-data'
import { Wording } from '../../../../src/lib/report/wording'
import { createTranslate } from '../../../../src/lib/texts'
import { repairLimit } from '../../../../src/shared/limits-schema'
import { catalogIn } from '../../../support/built'
import { root } from '../../../support/package'
import {
  channelOf,
  checkOf,
  clockOf,
  deviceOf,
  HOUR,
  limitOf,
  reportOf,
  spanOf,
  translateIn,
} from '../../../support/report/sample-report'

const [english, japanese] = (['en-US', 'ja'] as const).map(
  (language) => new Wording(language, translateIn(language)),
) as [Wording, Wording]

const both = (say: (words: Wording) => string) => [say(english), say(japanese)]

function withCounts(counts: Partial<ReportData['verdict']['counts']>, kind: PeriodKind = 'day'): ReportData {
  const isCheck = kind === 'now'
  const device = deviceOf(isCheck ? { checks: [checkOf()] } : { channels: [channelOf()] })
  const data = reportOf({ kind, devices: [device] })
  const none = { passed: 0, failed: 0, withoutLimits: 0 }
  return { ...data, verdict: { level: 'good', counts: { ...data.verdict.counts, ...none, ...counts } } }
}

describe('the words of a report', () => {
  it('give its verdict', () => {
    const verdict = (counts: Partial<ReportData['verdict']['counts']>, kind?: PeriodKind) =>
      english.verdict(withCounts(counts, kind))
    assert.equal(verdict({ devices: 14 }), 'All 14 devices checked, no excursion')
    assert.equal(verdict({ devices: 14, withoutLimits: 1 }), 'All 14 devices checked, without limits')
    const some = { devices: 14, channels: 2, withoutLimits: 1 }
    assert.equal(verdict(some), 'All 14 devices checked, no excursion')
    assert.equal(
      verdict({ devices: 14, excursions: 2, unchecked: 1, noValue: 1, incomplete: 3, silent: 1, battery: 2 }),
      '2 excursions, 1 device not checked, 1 channel without a value, 3 channels incomplete, 1 device silent, 2 batteries to replace',
    )
    assert.equal(
      verdict({ passed: 3, failed: 2, excursions: 2, unchecked: 1 }, 'now'),
      '2 of 5 channels failed, 1 device not checked',
    )
    assert.equal(verdict({ passed: 3 }, 'now'), 'All 3 channels passed')
    assert.equal(verdict({}, 'now'), 'No channel has limits, so nothing was checked')
    assert.equal(verdict({ devices: 0 }), 'No device was chosen, so nothing was checked')
    assert.equal(verdict({ unreadable: 1, silent: 2 }), '1 device with unreadable data, 2 devices silent')
    assert.equal(verdict({ passed: 1, unreadable: 2 }, 'now'), '2 devices with unreadable data')
    assert.equal(japanese.verdict(withCounts({ excursions: 2, battery: 1 })), '逸脱 2 件、電池交換 1 台')
  })

  it('name periods', () => {
    const period = (date: string, days: number, kind: PeriodKind) =>
      both((words) => words.period(reportOf({ date, days, kind, devices: [] })))
    assert.deepEqual(period('2026-10-10', 1, 'day'), ['Saturday, October 10, 2026', '2026年10月10日土曜日'])
    assert.deepEqual(period('2026-10-05', 7, 'week'), [
      'October 5, 2026 – October 11, 2026',
      '2026年10月5日～2026年10月11日',
    ])
    assert.deepEqual(period('2026-10-01', 31, 'month'), ['October 2026', '2026年10月'])
    assert.deepEqual(period('2026-10-10', 2, 'custom'), [
      '2026-10-10 00:00 – 2026-10-12 00:00',
      '2026-10-10 00:00～2026-10-12 00:00',
    ])
    assert.deepEqual(period('2026-10-10', 1, 'now'), ['2026-10-11 00:00', '2026-10-11 00:00'])
  })

  it('write numbers and lengths of time', () => {
    assert.equal(english.withUnit(-18.04, '°C', 1), '−18.0\u00a0°C')
    assert.equal(english.number(-0.01, 1), '0.0')
    assert.equal(english.withUnit(1440, ''), '1,440')
    assert.equal(english.withUnit(40, '%'), '40%')
    assert.deepEqual(
      [99.96, 99.94, 0].map((value) => english.percent(value)),
      ['100%', '99.9%', '0%'],
    )
    const bounds = { above: 8.123_45, below: null, minutes: 0 }
    assert.equal(english.bounds(bounds, '°C'), 'up to 8.1235\u00a0°C')
    const edges = [
      [true, true],
      [true, false],
      [false, true],
    ] as const
    assert.deepEqual(
      edges.map(([isFromKnown, isUntilKnown]) =>
        english.length({ minutes: 5, isFromKnown, isUntilKnown } as Excursion),
      ),
      ['5 min', 'at least 5 min', 'at least 5 min'],
    )
    assert.deepEqual(
      [119, 120, 651, 2879, 2880, 7199].map((minutes) => english.duration(minutes)),
      ['119 min', '2 h', '10 h 51 min', '47 h 59 min', '2 days', '4 days 23 h'],
    )
    assert.equal(japanese.duration(2105), '35 時間 5 分')
  })

  it('give the reason of a failure in the language of the report', () => {
    const error = new EnvlogError('records-wait', { retryAt: '2026-11-27T15:30:00Z' })
    const say = (words: Wording) => words.failure(error, clockOf('Asia/Tokyo'))
    assert.match(say(english), /^Record limit of this device reached\. .* 2026-11-28 00:30/)
    assert.match(say(japanese), /2026-11-28 00:30/)
    assert.match(say(japanese), /^この機器の記録の枠/)
  })

  it('have no blank at the end of a reason to which the service added nothing', () => {
    const error = new EnvlogError('login-refused', { status: 401, words: '' })
    assert.match(english.failure(error, clockOf('UTC')), /\S$/)
  })

  it('say what is missing of a device', () => {
    const period = spanOf()
    const error = new EnvlogError('device-unknown', { serial: '52A10099' })
    const missing = [
      { kind: 'failed', error },
      { kind: 'failed', error: new EnvlogError('device-refused', { status: 400, words: 'No' }) },
      { kind: 'channel-absent', name: 'Door' },
      { kind: 'left-out', error },
      { kind: 'no-channels' },
      { kind: 'lost', period },
      { kind: 'lost', period: null },
      { kind: 'silent', since: period.to },
      { kind: 'silent', since: null },
    ] as const
    const device = deviceOf({ missing })
    assert.deepEqual(english.missing(device), [
      `not checked: ${english.failure(error, device.clock)}`,
      'not checked: the service refuses the device (400): it may have left the account, or have no records',
      'Door: no records',
      english.failure(error, device.clock),
      'no channels, so nothing was checked',
      'the service no longer has the records of 2026-11-27 00:00 – 2026-11-28 00:00',
      'the service no longer has some of the records, or left them out',
      'silent since 2026-11-28 00:00',
      'silent: no measurement yet',
    ])
  })

  it('say of an incomplete channel only what is known', () => {
    const missing = (wish: Partial<ReportData['devices'][number]['channels'][number]>) => {
      const channel = channelOf({ state: 'incomplete', ...wish })
      const found = [{ kind: 'incomplete', channel }] as const
      return english.missing(deviceOf({ channels: [channel], missing: found }))
    }
    const { from } = spanOf()
    const gaps = [{ from, to: from + 2 * HOUR }]
    assert.deepEqual(missing({ coverage: 91.7, gaps }), ['91.7% measured, gap of 2 h (00:00 – 02:00)'])
    assert.deepEqual(missing({ coverage: null, gaps }), ['gap of 2 h (00:00 – 02:00)'])
    assert.deepEqual(missing({ coverage: 90, errors: 1, errorText: 'E1' }), [
      '90% measured, 1 record without a value (E1: sensor)',
    ])
  })

  it('give a reason for no value only if there are records', () => {
    const none = [0, 1].map((errors) => english.noValue({ errors, errorText: '' }))
    assert.deepEqual(none, ['no value', 'no value: no reason given'])
  })

  it('name what a limit allows, and how it was broken, also in the unit of the channel', () => {
    const bounds = (above: number | null, below: number | null) =>
      english.bounds({ above, below, minutes: 0 }, '°C')
    assert.deepEqual(
      [bounds(null, 2), bounds(8, null), bounds(8, 2)],
      ['from 2\u00a0°C', 'up to 8\u00a0°C', '2 to 8\u00a0°C'],
    )
    const limit = limitOf({ above: 10, below: 0, drawnAbove: 50, drawnBelow: 32 })
    assert.deepEqual(
      (['above', 'below'] as const).map((side) => english.broken({ limit, side }, '°F')),
      ['above 10\u00a0°C / 50\u00a0°F', 'below 0\u00a0°C / 32\u00a0°F'],
    )
  })

  it('name what a row of limits measures, and its unit if there is only one', () => {
    const measured = (row: object) => Object.values(english.measured(repairLimit({ above: 8, ...row })))
    assert.deepEqual(
      [{}, { unit: 'F' }, { quantity: 'humidity' }, { quantity: 'voltage' }, { channel: 2 }].map(measured),
      [
        ['temperature', '°C'],
        ['temperature', '°F'],
        ['humidity', '%'],
        ['voltage', ''],
        ['ch2', ''],
      ],
    )
  })

  it('tell devices of the same name apart', () => {
    const devices = ['1', '2'].map((serial) => deviceOf({ serial }))
    assert.equal(english.device(deviceOf({ serial: '1' }), devices), 'Freezer 1 (1)')
    assert.equal(english.device(deviceOf({ serial: '1' }), devices.slice(0, 1)), 'Freezer 1')
    assert.equal(english.device(deviceOf({ serial: '', name: '', group: 'Cold' }), devices), 'Cold')
  })

  it('count the gaps that are not listed, also a single one', () => {
    const channel = channelOf({ state: 'incomplete', gapsLeftOut: 1 })
    const device = deviceOf({ channels: [channel], missing: [{ kind: 'incomplete', channel }] })
    assert.match(`${english.missing(device)}`, /1 more gap$/)
  })

  it('explain the codes of values that are missing', () => {
    const texts = ['E0', 'E1', 'E2', 'E3', 'Sensor Error', 'missing', ''].map((text) => english.error(text))
    assert.deepEqual(texts.slice(0, 5), [
      'E0: communication',
      'E1: sensor',
      'E2: below the measuring range',
      'E3: above the measuring range',
      'Sensor Error',
    ])
    assert.deepEqual(texts.slice(5), ['no reason given', 'no reason given'])
  })

  it('are in the catalog exactly as used', () => {
    const folder = join(root, 'src', 'lib', 'report')
    const files = [...readdirSync(folder), '../duration.ts']
    const sources = files.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n')
    const keys = [...catalogIn(join(root, 'locales', 'en-US', 'page.json')).keys()].map((key) =>
      key.replace(/^page\.|_(?:one|other)$/g, ''),
    )
    const isUsed = (key: string) => {
      const [group, name] = key.split('.')
      const isComposed = name !== undefined && sources.includes(`\`${group}.\${`)
      return sources.includes(`'${key}'`) || (isComposed && new RegExp(`'${name}'|\\b${name}:`).test(sources))
    }
    assert.deepEqual(
      keys.filter((key) => !isUsed(key)),
      [],
    )
    const said = [...sources.matchAll(/\bsay\(\s*'([^']+)'/g)].map(([, key = '']) => key)
    assert.ok(said.length > 50)
    assert.deepEqual(
      said.filter((key) => !keys.includes(key)),
      [],
    )
  })
})

describe('texts of a catalog', () => {
  const translate = createTranslate(
    { a: { of: '__name____value__', n_one: '__count__ day', n_other: '__count__ days' } },
    'en-US',
  )

  it('contain parameters as they are, and have a form for one', () => {
    assert.equal(translate('a.of', { name: '__value__', value: '$&' }), '__value__$&')
    assert.deepEqual(
      [0, 1, 2].map((count) => translate('a.n', { count })),
      ['0 days', '1 day', '2 days'],
    )
    assert.equal(translate('a.missing'), 'a.missing')
  })
})
