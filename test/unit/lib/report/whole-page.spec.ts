import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EnvlogError } from '../../../../src/lib/errors'
import { renderPage } from '../../../../src/lib/report/page'
import type { ReportData } from '../../../../src/lib/report/report-data'
import { repairLimit } from '../../../../src/shared/limits-schema'
import { root } from '../../../support/package'
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

const { from, to } = spanOf()
const freezing = limitOf({ name: 'Freezers', above: -15, below: -30 })
const limits = [
  repairLimit({
    name: 'Freezers',
    above: -15,
    below: -30,
    minutes: 10,
    select: 'group',
    groups: ['Cold store', 'Hall'],
  }),
  repairLimit({
    ...{ above: 70, quantity: 'humidity', select: 'list' },
    ...{ devices: [{ serial: '52A10002' }, { serial: '52A10099' }], bases: ['40000001'] },
  }),
  repairLimit({ below: 2, select: 'base', bases: ['40000001'] }),
  repairLimit({ above: 40 }),
]
const failure = new EnvlogError('device-unknown', { serial: '52A10003' })
const damp = { number: 2, name: 'Damp', unit: '%', quantity: 'humidity', decimals: 0 } as const

/** A day with something of everything. */
const dayDevices = () => {
  const inside = channelOf({ limits: [freezing], step: HOUR, mkt: 5.32 })
  const empty = channelOf({
    ...damp,
    from: to,
    to,
    errors: 24,
    errorText: 'E1',
    limits: [limitOf({ above: 70, unit: '%' })],
  })
  const outside = channelOf({
    step: HOUR,
    limits: [freezing],
    excursions: [
      excursionOf({ limit: freezing, from: from - HOUR, until: from + HOUR, isFromKnown: false }),
      excursionOf({
        limit: freezing,
        side: 'below',
        extreme: -31,
        from: to - HOUR,
        until: to,
        isUntilKnown: false,
      }),
    ],
    leftOut: 3,
    outsideAtEnd: [{ limit: limitOf({ name: '' }), side: 'above', from: to - 5 * MINUTE, extreme: -12 }],
  })
  const incomplete = channelOf({
    ...damp,
    step: HOUR,
    valueAt: () => 55,
    state: 'incomplete',
    coverage: 91.7,
    longestGap: { from: from + 2 * HOUR, to: from + 4 * HOUR },
    gaps: [{ from: from + 2 * HOUR, to: from + 4 * HOUR }],
  })
  const group = 'Cold store'
  return [
    deviceOf({ group, baseName: 'Hall 1', channels: [inside, { ...incomplete, state: 'complete' }] }),
    deviceOf({
      ...{
        serial: '52A10002',
        name: 'Freezer 2',
        group,
        battery: 'replace-now',
        channels: [outside, incomplete],
      },
      missing: [{ kind: 'incomplete', channel: incomplete }],
    }),
    deviceOf({
      ...{ serial: '52A10003', name: 'Freezer 3', battery: null },
      missing: [{ kind: 'failed', error: failure }],
    }),
    deviceOf({
      ...{ serial: '52A10004', name: '', battery: 'replace-soon', channels: [empty] },
      missing: [{ kind: 'no-value', channel: empty }],
    }),
    deviceOf({
      serial: '52A10005',
      name: '52A10005',
      channels: [1, 2, 3, 4, 5].map((number) => channelOf({ number, name: `ch${number}`, step: HOUR })),
    }),
  ]
}

const checkDevices = () => [
  deviceOf({ checks: [checkOf({ limits: [freezing] }), checkOf({ ...damp, value: 55, result: 'none' })] }),
  deviceOf({
    ...{ serial: '52A10002', name: '' },
    checks: [
      checkOf({
        result: 'fail',
        value: -12,
        limits: [freezing],
        outside: [{ limit: freezing, side: 'above' }],
      }),
      checkOf({
        ...damp,
        result: 'fail',
        value: null,
        error: 'E1',
        time: null,
        limits: [limitOf({ above: 70, unit: '%' })],
      }),
    ],
    missing: [{ kind: 'silent', since: to - DAY }],
  }),
]

const reports: Record<string, () => ReportData> = {
  day: () => reportOf({ devices: dayDevices(), limits, head: { site: 'Plant 1', responsible: 'Quality' } }),
  'day of one device': () =>
    reportOf({
      ...{
        devices: [deviceOf({ channels: [channelOf({ step: HOUR })] })],
        clock: clockOf('Europe/Berlin', true),
      },
      head: { signature: false, language: 'ja' },
    }),
  'day by two clocks': () => {
    const berlin = clockOf('Europe/Berlin', true)
    const span = spanOf('2026-11-27', 1, berlin)
    const channels = [channelOf({ ...span, step: HOUR, coverage: null, limits: [limitOf()] })]
    const devices = [
      deviceOf({ clock: berlin, ...span, channels }),
      deviceOf({ clock: clockOf('Asia/Tokyo', true), serial: '52A10002', name: 'Freezer 2', channels }),
    ]
    return reportOf({ devices, clock: berlin, head: { signature: false }, limits: [] })
  },
  check: () => reportOf({ devices: checkDevices(), kind: 'now', limits }),
}

/** A line for each text of a page, after its element with class and link. Drawings and styles are left out. */
function outlineOf(page: string): string {
  const lines: string[] = []
  let element = ''
  for (const [, tag, text] of page
    .replace(/<style>[\s\S]*?<\/style>|(<svg[^>]*>)[\s\S]*?<\/svg>/g, '$1')
    .matchAll(/<([^>]*)>([^<]*)/g)) {
    const [name = ''] = /^\/?\w+/.exec(tag ?? '') ?? []
    const shown = ['class', 'id', 'href', 'aria-label', 'data-name', 'lang']
    const attributes = [...(tag ?? '').matchAll(/([\w-]+)="([^"]*)"/g)].filter(([, key = '']) =>
      shown.includes(key),
    )
    element = [name, ...attributes.map(([, key, value]) => `${key}=${value}`)].join(' ')
    const words = (text ?? '').replaceAll('\u00a0', ' ').trim()
    if (words !== '' || attributes.length > 0) lines.push(`${element}: ${words}`.trimEnd())
  }
  return `${lines.join('\n')}\n`
}

/** `WRITE_PAGES=1 npx mocha` with this file writes the pages again; read what has changed. */
describe('a whole page of a report', () => {
  for (const [name, createReport] of Object.entries(reports)) {
    const file = join(root, 'test/fixtures/reports', `${name.replaceAll(' ', '-')}.txt`)
    it(`says, in this order, what ${file.slice(root.length + 1)} contains`, async () => {
      const report = createReport()
      const outline = outlineOf(await renderPage(report, translateIn(report.head.language)))
      if (process.env.WRITE_PAGES) writeFileSync(file, outline)
      assert.equal(outline, readFileSync(file, 'utf8'))
    })
  }
})
