import assert from 'node:assert/strict'
import fc from 'fast-check'
import { createSecretGuard } from '../../../../src/lib/api/redact'
import { createAnonymizer } from '../../../../src/lib/check/anonymize'
import { runToEnd } from '../../../../src/lib/cooperative'
import { classifyAlert } from '../../../../src/lib/readings/alert-kind'
import { runs, seed } from '../../../support/chance'

const WEEK = 7 * 86_400
const SECRETS = [`${'k'.repeat(20)}${'7Rz9'.repeat(6)}`, 'user0001', 'pa/ss"1', 'service.example']
const guard = createSecretGuard(SECRETS)
const hasSecret = (text: string) => text !== '' && guard(text) === ''
const options = { hasSecret, key: 'a key', weeks: 3 }

const fold = (text: string) => text.normalize('NFKC').toLowerCase()

const device = (over: object = {}) => ({
  ...{ num: '0', serial: '52A10001', model: 'M-500', name: 'Freezer West', battery: '5', rssi: '4' },
  ...{ time_diff: '540', std_bias: '0', dst_bias: '0', unixtime: '1763625600' },
  channel: [{ num: '1', name: 'Probe', value: '-18.4', unit: 'C' }],
  baseunit: { serial: '52A10001', model: 'M-500', name: 'Freezer West' },
  group: { num: '1', name: 'Kitchen' },
  ...over,
})

const anonymizerOf = (body: object) => runToEnd(createAnonymizer([body], options))

function convert<T extends object>(body: T): T {
  return runToEnd(anonymizerOf(body).convert(body))
}

describe('an anonymized answer', () => {
  it('keeps values, units, models, numbers and the shape of everything', () => {
    const { devices } = convert({ devices: [device()] })
    const [one] = devices
    const { serial, name, channel, baseunit, group, unixtime, ...same } = one as ReturnType<typeof device>
    const { serial: _1, name: _2, channel: _3, baseunit: _4, group: _5, unixtime: _6, ...expected } = device()
    assert.deepEqual(same, expected)
    assert.match(serial, /^\d\d[A-Z]\d{5}$/)
    assert.match(name, /^[A-Z][a-z]{6} [A-Z][a-z]{3}$/)
    assert.deepEqual([channel[0]?.value, channel[0]?.unit], ['-18.4', 'C'])
    assert.deepEqual([baseunit.serial, baseunit.name], [serial, name], 'the same stand-in everywhere')
    assert.match(group.name, /^[A-Z][a-z]{6}$/)
    assert.equal(unixtime, String(1_763_625_600 - 3 * WEEK))
  })

  it('keeps the script of each name', () => {
    const shapes = {
      冷凍庫: /^\p{Script=Han}{3}$/u,
      センサー: /^\p{Script=Katakana}{3}ー$/u,
      ｾﾝｻ1: /^[ｦ-ﾝ]{3}\d$/,
      冷凍庫２: /^\p{Script=Han}{3}[０-９]$/u,
      مخزن: /^\p{Script=Arabic}{4}$/u,
      ตู้เย็น: /^\p{Script=Thai}+$/u,
    }
    for (const [name, shape] of Object.entries(shapes)) {
      const [one] = convert({ devices: [device({ name })] }).devices
      assert.match(String(one?.name), shape)
    }
  })

  it('keeps a name that has neither letters nor digits', () => {
    for (const name of ['-', '%', '...']) {
      assert.equal(convert({ devices: [device({ name })] }).devices[0]?.name, name)
    }
  })

  it('keeps the described fields, also where a device has the name of one', () => {
    for (const name of ['Battery', 'data', 'devices', 'serial', 'Status']) {
      const body = {
        devices: [device({ name })],
        'alert-logs': [{ unixtime: '1', 'communication-status': 'ok' }],
      }
      const anonymizer = anonymizerOf(body)
      const converted = runToEnd(anonymizer.convert(body))
      assert.deepEqual(Object.keys(converted), Object.keys(body))
      assert.deepEqual(Object.keys(converted.devices[0] ?? {}), Object.keys(device()))
      assert.deepEqual(Object.keys(converted['alert-logs'][0] ?? {}), ['unixtime', 'communication-status'])
      assert.equal(runToEnd(anonymizer.reveals(converted)), false)
    }
  })

  it('gives two names two stand-ins, and serial numbers that stay unique', () => {
    const devices = Array.from({ length: 500 }, (_, index) =>
      device({ serial: `52A1${String(index).padStart(4, '0')}`, name: `Room ${index % 10}${index}` }),
    )
    const converted = convert({ devices }).devices
    assert.equal(new Set(converted.map(({ serial }) => serial)).size, 500)
    assert.equal(new Set(converted.map(({ name }) => name)).size, 500)
  })

  it('keeps what says the kind of an alert, and its values', () => {
    const texts = [
      'Probe Upper Limit: 27.5 C (Upper Limit 25.0 C)',
      'Probe Returned to Normal: 6.5 C (Upper Limit 25.0 C)',
      'Probe: Sensor Error',
      'Probe 上限値警報 27.5℃（上限値 25.0℃）',
      'Probe 正常値に復帰しました 20.0℃',
    ]
    for (const text of texts) {
      const body = convert({
        channel: [{ num: '1', name: 'Probe' }],
        'alert-logs': [{ unixtime: '1', ch1: text }],
      })
      const [name, converted] = [String(body.channel[0]?.name), String(body['alert-logs'][0]?.ch1)]
      assert.ok(!converted.includes('Probe'), converted)
      assert.equal(classifyAlert('ch1', converted, name), classifyAlert('ch1', text, 'Probe'), converted)
      for (const number of text.match(/\d+\.\d/g) ?? []) assert.ok(converted.includes(number), converted)
    }
  })

  it('hides dates, telephone numbers and unknown words in texts for people', () => {
    const text = '2026/11/20 12:34 Mr. Quibble, call 0312345678: Sensor Error'
    const body = convert({ 'alert-logs': [{ unixtime: '1', ch1: text }] })
    const converted = String(body['alert-logs'][0]?.ch1)
    assert.doesNotMatch(converted, /2026|12:34|Quibble|0312345678/)
    assert.match(converted, /Sensor Error/)
  })

  it('hides what unknown fields hold, and keeps their names', () => {
    const body = convert({ owner: 'Ms Zyx', place: { latitude: 35.12345, 'Plant Zyx': true }, devices: [] })
    assert.deepEqual(Object.keys(body), ['owner', 'place', 'devices'])
    assert.doesNotMatch(JSON.stringify(body), /Zyx|35\.12345/)
  })

  const word = fc.oneof(
    fc.stringMatching(/^[A-Za-z][A-Za-z0-9 ]{2,14}[a-z]$/),
    fc.stringMatching(/^[ぁ-ん]{3,8}$/),
    fc.stringMatching(/^[一-龠]{3,6}$/),
    fc.stringMatching(/^[а-я]{3,8}$/),
    fc.string({ unit: 'grapheme', minLength: 4, maxLength: 16 }),
  )
  const serial = fc.stringMatching(/^[0-9A-F]{8}$/)

  it('holds no name, serial number or credential, wherever the service repeats them', () => {
    const place = fc.constantFrom(
      'unit',
      'model',
      'value',
      'battery',
      'remark',
      'ch1',
      'battery-level',
      'type',
    )
    const wrap = fc.constantFrom(
      (text: string) => text,
      (text: string) => text.toUpperCase(),
      (text: string) => `<${text}>`,
      (text: string) => `Sensor Error ${text} 12.5 C`,
      (text: string) => text.normalize('NFKC'),
    )
    const property = fc.property(
      fc.array(fc.tuple(serial, word, word, place, wrap), { minLength: 1, maxLength: 8 }),
      fc.constantFrom(...SECRETS),
      (devices, secret) => {
        const body = {
          devices: devices.map(([number, name, group, field, around]) => ({
            ...device({ serial: number, name, group: { num: 1, name: group } }),
            [field]: around(name),
            notes: [{ [name]: number }, around(secret)],
          })),
        }
        const anonymizer = anonymizerOf(body)
        const converted = runToEnd(anonymizer.convert(body))
        assert.equal(runToEnd(anonymizer.reveals(converted)), false)
        const text = fold(JSON.stringify(converted))
        const originals = devices.flatMap((one) => [one[0], one[1], one[2]])
        for (const original of [...originals, secret]) {
          const folded = fold(original).trim()
          if (folded.length < 4 || !/[\p{L}]/u.test(folded) || isOwnWord(folded)) continue
          assert.ok(!text.includes(JSON.stringify(folded).slice(1, -1)), `${original} in ${text}`)
        }
      },
    )
    fc.assert(property, { seed, numRuns: runs(600) })
  })

  it('is refused where a name is left in it', () => {
    const anonymizer = anonymizerOf({ devices: [device()] })
    const reveals = (value: object) => runToEnd(anonymizer.reveals(value))
    assert.equal(reveals({ remark: ['is about FREEZER west'] }), true)
    assert.equal(reveals({ 'Freezer West': 1 }), true)
    assert.equal(reveals({ remark: Buffer.from(SECRETS[0] ?? '').toString('base64') }), true)
    assert.equal(reveals({ remark: 'Fridge' }), false)
  })
})

/** What the answers of this test hold beside names: a random name may be a part of it. */
const OWN_WORDS = fold(
  JSON.stringify({ devices: [device({ name: '', serial: '' })], notes: 'Sensor Error battery-level' }),
)
const isOwnWord = (text: string) => OWN_WORDS.includes(text)
