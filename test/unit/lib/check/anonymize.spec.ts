import assert from 'node:assert/strict'
import fc from 'fast-check'
import { Anonymizer } from '../../../../src/lib/check/anonymize'
import { type Exchange, isSuccessful } from '../../../../src/lib/check/exchange'
import { buildReport } from '../../../../src/lib/check/report'
import { EnvlogError } from '../../../../src/lib/errors'
import { classifyAlert } from '../../../../src/lib/readings/alert-kind'
import { runs, seed } from '../../../support/chance'

const WEEK = 7 * 86_400
const SECRETS = [
  `${'k'.repeat(20)}${'7rz9'.repeat(6)}`,
  'user0001',
  'letmeinplease',
  'pa-ss1w',
  'service.example',
]
const hasSecret = (text: string) => SECRETS.some((secret) => text.includes(secret))
const quota = { limit: 10, remaining: 9, windowSeconds: 120, recordsRemaining: null }

const device = (over: object = {}) => ({
  num: '0',
  serial: '52A10001',
  model: 'M-500',
  name: 'Freezer West',
  battery: '5',
  rssi: '4',
  time_diff: '540',
  std_bias: '0',
  dst_bias: '0',
  unixtime: '1763625600',
  channel: [{ num: '1', name: 'Probe', value: '-18.4', unit: 'C' }],
  baseunit: { serial: '52A10001', model: 'M-500', name: 'Freezer West' },
  group: { num: '1', name: 'Kitchen' },
  ...over,
})

const answered = (body: object): Exchange => ({
  endpoint: 'current',
  params: {},
  durationMs: 1,
  quota,
  body: { ...body },
})

/** The body after anonymization. */
function convert<T extends object>(body: T): T {
  const [exchange] = new Anonymizer([answered(body)], hasSecret, 3).exchanges
  assert.ok(exchange && isSuccessful(exchange))
  return exchange.body as T
}

describe('an anonymized response', () => {
  it('keeps numbers, units and models, moves times, and uses the same pseudonym for a name everywhere', () => {
    const { devices } = convert({ devices: [device(), device({ serial: '52A10002', name: 'Freezer East' })] })
    const [one, other] = devices
    assert.deepEqual(one, {
      ...device(),
      serial: 'S0000001',
      name: 'Device 1',
      unixtime: String(1_763_625_600 - 3 * WEEK),
      channel: [{ num: '1', name: 'Channel 1', value: '-18.4', unit: 'C' }],
      baseunit: { serial: 'S0000001', model: 'M-500', name: 'Device 1' },
      group: { num: '1', name: 'Group 1' },
    })
    assert.deepEqual([other?.serial, other?.name, other?.group.name], ['S0000002', 'Device 2', 'Group 1'])
    assert.equal(other?.baseunit.serial, 'S0000001')
  })

  it('keeps the described fields, even if a device has the name of one', () => {
    for (const name of ['Battery', 'data', 'devices', 'serial', 'Status']) {
      const body = { devices: [device({ name })], 'alert-logs': [{ unixtime: '1', 'battery-level': '' }] }
      const converted = convert(body)
      assert.deepEqual(Object.keys(converted), Object.keys(body))
      assert.deepEqual(Object.keys(converted.devices[0] ?? {}), Object.keys(device()))
    }
  })

  it('keeps names that reveal nothing, and lists sent as objects', () => {
    const body = convert({
      devices: { 0: device({ name: '', channel: [{ num: 1, name: 'ch1' }] }), 2: device() },
    })
    assert.equal(body.devices[0].name, '')
    assert.equal(body.devices[0].channel[0]?.name, 'ch1')
    assert.equal(body.devices[2].group.name, 'Group 1')
  })

  it('keeps alerts with a known wording, with a pseudonym for the channel', () => {
    const texts = [
      'Probe Upper Limit: 27.5 C (Upper Limit 25.0 C)',
      'Probe Returned to Normal: 6.5 C (Upper Limit 25.0 C)',
      'Probe: Sensor Error',
      'Probe 上限値警報 27.5℃（上限値 25.0℃）',
      'Probe 正常値に復帰しました 20.0℃',
    ]
    const body = convert({
      channel: [{ num: 1, name: 'Probe' }],
      'alert-logs': texts.map((ch1) => ({ ch1 })),
    })
    for (const [index, text] of texts.entries()) {
      const converted = String(body['alert-logs'][index]?.ch1)
      assert.equal(converted, text.replace('Probe', 'Channel 1'))
      assert.equal(classifyAlert('ch1', converted, 'Channel 1'), classifyAlert('ch1', text, 'Probe'))
    }
  })

  it('replaces the longest name in an alert, which may begin with another one', () => {
    const body = convert({
      channel: [
        { num: 1, name: 'Probe' },
        { num: 2, name: 'Probe 2' },
      ],
      'alert-logs': [{ ch2: 'Probe 2: Sensor Error' }],
    })
    assert.equal(body['alert-logs'][0]?.ch2, 'Channel 2: Sensor Error')
  })

  it('keeps only the length of any other alert', () => {
    const texts = {
      'Gas leak in Kitchen 2': '… (21 characters)',
      'Sensor Error, call 0312345678': '… (29 characters)',
      [`Sensor Error${' '.repeat(600)}at Quibble`]: '… (622 characters)',
      'Freezer West Sensor Error': '… (25 characters)',
      'Probe Probe Sensor Error': '… (24 characters)',
    }
    const logs = Object.keys(texts).map((ch1) => ({ ch1 }))
    const body = convert({ devices: [device()], 'alert-logs': logs })
    assert.deepEqual(
      body['alert-logs'].map(({ ch1 }) => ch1),
      Object.values(texts),
    )
  })

  it('keeps the error codes and known errors of values', () => {
    const values = { ch1: 'E1', ch2: 'Sensor Error', ch3: 'broken', ch4: '1234567' }
    const [record] = convert({ data: [values] }).data
    assert.deepEqual(record, { ...values, ch3: '… (6 characters)' })
  })

  it('keeps no number that equals a serial number', () => {
    const body = convert({ devices: [device({ serial: '52100001', battery: 52_100_001, rssi: '1834' })] })
    assert.deepEqual([body.devices[0]?.battery, body.devices[0]?.rssi], [0, '1834'])
  })

  it('keeps only the name of undocumented fields, if it looks like a field name', () => {
    const place = { latitude: 35.12345, 'Plant Zyx': true }
    const body = convert({
      owner: 'Ms Zyx',
      'owner-id': 1234567,
      place,
      tags: ['Zyx'],
      'Zyx 1': 1,
      a1b2c3d4: 2,
    })
    assert.deepEqual(body, { owner: '… (6 characters)', 'owner-id': 0, place: {}, tags: [], field: 0 })
  })

  const word = fc.oneof(
    fc.stringMatching(/^[A-Za-z][A-Za-z0-9 ]{2,14}[a-z]$/),
    fc.stringMatching(/^[ぁ-ん]{3,8}$/),
    fc.stringMatching(/^[一-龠]{3,6}$/),
    fc.stringMatching(/^[а-я]{3,8}$/),
    fc.string({ unit: 'grapheme', minLength: 4, maxLength: 16 }),
  )
  const serial = fc.stringMatching(/^[0-9A-F]{8}$/)
  /** Text around a name or secret that a service may repeat. */
  const around = fc.constantFrom<(text: string) => string>(
    (text) => text,
    (text) => text.toUpperCase(),
    (text) => `<${text}>`,
    (text) => `${text} Upper Limit: 27.5 C`,
    (text) => `Sensor Error ${text} 12.5 C`,
    (text) => text.normalize('NFKC'),
  )
  const place = fc.constantFrom(
    ...['unit', 'model', 'num', 'battery', 'remark', 'value', 'unixtime', 'baseunit', 'channel', 'type'],
  )
  const account = fc.array(
    fc.record({ serial, name: word, group: word, channel: word, place, around, text: word }),
    {
      minLength: 1,
      maxLength: 8,
    },
  )

  /** A secret is compared unchanged: in another case it opens nothing. */
  function assertNothingOf(report: object, names: readonly string[], secret: string): void {
    const text = JSON.stringify(report)
    const folded = fold(text)
    const spelled = (one: string) => JSON.stringify(one).slice(1, -1)
    assert.ok(!text.includes(spelled(secret)), secret)
    for (const name of names.map((one) => fold(one).trim())) {
      if (name.length < 4 || !/\p{L}/u.test(name) || OWN_WORDS.includes(name)) continue
      assert.ok(!folded.includes(spelled(name)), `${name} in ${text}`)
    }
  }

  it('is saved without any serial number, name, text or secret, wherever the service repeats them', () => {
    const property = fc.property(account, fc.constantFrom(...SECRETS), (devices, secret) => {
      const current = {
        devices: devices.map(({ serial: number, name, group, channel, ...one }) =>
          device({
            serial: number,
            name,
            group: { num: 1, name: group },
            channel: [{ num: 1, name: channel }],
            [one.place]: one.around(name),
            notes: [{ [name]: number }, secret],
            [`${secret}`]: one.text,
            remark: one.text,
          }),
        ),
      }
      const alerts = {
        'remote-name': devices[0]?.name,
        channel: devices.map(({ channel }) => ({ num: 1, name: channel, unit: secret })),
        'alert-logs': devices.flatMap((one) => [
          { ch1: one.around(one.channel), 'battery-level': one.around(one.text) },
          { ch2: `Sensor Error ${one.around(secret)}`, 'communication-status': one.around(one.name) },
        ]),
      }
      const words = devices[0]?.around(secret) ?? ''
      const error = new EnvlogError('device-refused', { words }, { status: 400, serviceCode: secret })
      const exchanges: Exchange[] = [
        answered(current),
        { ...answered(alerts), endpoint: 'alert', params: { 'remote-serial': devices[0]?.serial } },
        { endpoint: 'data', params: { 'remote-serial': devices[0]?.serial }, durationMs: 1, error },
      ]
      const report = buildReport(new Anonymizer(exchanges, hasSecret).exchanges)
      const names = devices.flatMap((one) => [one.serial, one.name, one.group, one.channel, one.text])
      assertNothingOf(report, names, secret)
    })
    fc.assert(property, { seed, numRuns: runs(300) })
  })
})

const fold = (text: string) => text.normalize('NFKC').toLowerCase()
/** Other text in a report of this test, which a random name may be a part of. */
const OWN_WORDS = fold(
  JSON.stringify([
    device({ name: 'Device 1', serial: 'S0000001', group: { name: 'Group 1' } }),
    'envlog-report format version package answers endpoint params durationMs status headers body error reason',
    'remote-serial remote-name alert-logs battery-level communication-status remark notes type device-refused',
    'Channel 1 Upper Limit: 27.5 C Sensor Error 12.5 C x-ratelimit-limit x-ratelimit-reset remaining',
    'field … (10 characters) current alert data devices unknown true false null',
  ]),
)
