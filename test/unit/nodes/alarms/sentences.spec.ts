import assert from 'node:assert/strict'
import { Condition, toAlarm, WatchedDevice } from '../../../../src/lib/limits/condition'
import { type LimitEvent, type Report, toLeftOut, toState, toTest } from '../../../../src/lib/limits/event'
import { readMeasurements } from '../../../../src/lib/limits/measurements'
import { Monitor } from '../../../../src/lib/limits/monitor'
import { Sentences } from '../../../../src/nodes/alarms/sentences'
import { fixedClock, TimeZone } from '../../../../src/shared/local-clock'
import { withCatalogs } from '../../../support/catalog-red'
import { createVirtualClock } from '../../../support/clock'
import { AT_8, limitsOf, MINUTE, readingOf } from '../../../support/limits/monitoring'

const UTC = fixedClock(0)
const iso = (minute: number) => new Date(AT_8 + minute * MINUTE).toISOString()

interface Told {
  language?: 'en-US' | 'ja'
  /** Of the account. */
  zone?: string
  /** Minutes ahead of UTC: of the device, and of the machine that runs Node-RED. */
  utcOffset?: number
  host?: number
  /** Minutes after eight: now, and when the value was measured. */
  now?: number
  measured?: number
}

/** The subject and the sentence of an alarm of a freezer since eight, with what differs from that. */
function textOf(over: Partial<LimitEvent>, told: Told = {}): string {
  const { language = 'en-US', zone, utcOffset = 0, host = 0, now = 12, measured = now } = told
  const { event } = toState(new Condition('no-data', {}), 0)
  const place = { serial: '5212A1B2', name: 'Freezer 3', base: '5839F001', channel: 1, label: 'Inside' }
  const outside = { condition: 'above', limit: 'too warm', above: -15, value: -9.8, extreme: -9.8 } as const
  const time = { state: 'alarm', unit: '°C', from: iso(0), minutes: 12 } as const
  const report: Report = {
    event: { ...event, ...place, ...outside, ...time, ...over },
    utcOffset,
    measuredAt: AT_8 + measured * MINUTE,
  }
  const sentences = new Sentences(withCatalogs(language), zone === undefined ? 'local' : new TimeZone(zone), {
    silentAfterMs: 90 * MINUTE,
    now: () => AT_8 + now * MINUTE,
    host: fixedClock(host),
  })
  return `${sentences.subject([report])} | ${sentences.sentence(report)}`
}

/** The sentences and subjects of a freezer that is too warm, silent, broken and low on battery. */
function tell(language: 'en-US' | 'ja'): string[] {
  const clock = createVirtualClock(0, AT_8)
  const settings = {
    errorAfterMs: 10 * MINUTE,
    silentAfterMs: 60 * MINUTE,
    battery: true,
    remindMs: 0,
  }
  const monitor = new Monitor(clock, settings)
  const limits = limitsOf({ name: 'too warm', above: -15, minutes: 10 }, { name: '', below: -30 })
  const sentences = new Sentences(withCatalogs(language), new TimeZone('Etc/UTC'), {
    now: () => clock.now(),
    host: UTC,
  })
  const lines: string[] = []
  const collect = () => {
    for (const report of monitor.alarms.collect().reports)
      lines.push(`${sentences.subject([report])} | ${sentences.sentence(report)}`)
  }
  const waitUntil = (minute: number) => {
    while (clock.now() < AT_8 + minute * MINUTE) {
      clock.advance(MINUTE)
      monitor.passTime()
      collect()
    }
  }
  const receive = (minute: number, value: number | string, level = 'sufficient') => {
    waitUntil(minute)
    monitor.receive(readMeasurements([readingOf(clock.now(), value, { battery: { level } })]).devices, limits)
    collect()
  }
  receive(0, -10)
  receive(10, -9.8, 'replace-soon')
  receive(11, -18)
  receive(12, -31)
  receive(13, 'E1')
  receive(24, -20)
  receive(85, -20)
  return lines
}

describe('the sentences of limits', () => {
  it('name device, channel, limit, duration, value and time', () => {
    assert.deepEqual(tell('en-US'), [
      'Alarm: Freezer 3, Inside: too warm | Freezer 3, Inside: too warm, above -15 °C for 10 minutes, now -9.8 °C (since 08:00)',
      'Alarm: Freezer 3: battery low | Freezer 3: replace the battery soon',
      'Normal again: Freezer 3, Inside: too warm | Freezer 3, Inside (too warm): normal again at -18 °C, after 11 minutes above -15 °C (08:00 to 08:11, highest -9.8 °C)',
      'Alarm: Freezer 3, Inside: below the limit | Freezer 3, Inside: below -30 °C, now -31 °C (since 08:12)',
      'Alarm: Freezer 3, Inside: no value | Freezer 3, Inside: no value for 10 minutes (since 08:13) (E1)',
      'Normal again: Freezer 3, Inside: below the limit | Freezer 3, Inside: normal again at -20 °C, after 12 minutes below -30 °C (08:12 to 08:24, lowest -31 °C)',
      'Normal again: Freezer 3, Inside: no value | Freezer 3, Inside: has values again after 11 minutes without (08:13 to 08:24)',
      'Alarm: All devices: no data | No data of any device for 60 minutes (since 08:24). Check the network, the service, the quota and the flow.',
      'Normal again: All devices: no data | Data arrives again, after 61 minutes without (08:24 to 09:25)',
      'Normal again: Freezer 3: battery low | Freezer 3: the battery is no longer low',
    ])
  })

  it('are also Japanese', () => {
    const lines = tell('ja')
    assert.equal(
      lines[0],
      '警報：Freezer 3・Inside：too warm | Freezer 3・Inside：too warm、-15 °C を 10 分間超過、現在 -9.8 °C（08:00 から）',
    )
    for (const line of lines) assert.doesNotMatch(line, /limits\.|undefined|__/)
  })

  it('round no duration down to hours', () => {
    const durationOf = (minutes: number, language: 'en-US' | 'ja') =>
      /(?:for|を) ([^,、]*?)(?:超過)?[,、] ?(?:now|現在)/.exec(textOf({ minutes }, { language }))?.[1]
    const minutes = [1, 119, 120, 299, 2879, 2880, 4319]
    assert.deepEqual(
      minutes.map((count) => durationOf(count, 'en-US')),
      ['1 minute', '119 minutes', '2 h', '4 h 59 min', '47 h 59 min', '2 days', '2 days 23 h'],
    )
    assert.deepEqual(
      minutes.map((count) => durationOf(count, 'ja')),
      ['1 分間', '119 分間', '2 時間', '4 時間 59 分', '47 時間 59 分', '2 日間', '2 日 23 時間'],
    )
  })

  it('say when the last value was measured, once it is older than Silent for', () => {
    const alarm = textOf({}, { now: 102, measured: 12 })
    assert.match(alarm, /: too warm, above -15 °C for 12 minutes, now -9.8 °C \(since 08:00\)$/)
    const reminder = textOf({ state: 'reminder' }, { now: 103, measured: 12 })
    assert.equal(
      reminder,
      'Still in alarm: Freezer 3, Inside: too warm | Still in alarm: Freezer 3, Inside: too warm, above -15 °C for 12 minutes, last -9.8 °C at 08:12 (since 08:00)',
    )
    assert.match(
      textOf({}, { language: 'ja', now: 103, measured: 12 }),
      /超過、08:12 の測定値 -9.8 °C（08:00 から）$/,
    )
  })

  it('have the offset beside a time that the machine of Node-RED does not show', () => {
    const sinceIn = (told: Told) => /\(since (.*)\)$/.exec(textOf({}, told))?.[1]
    assert.deepEqual(
      [
        sinceIn({ utcOffset: 540 }),
        sinceIn({ utcOffset: 540, host: 540 }),
        sinceIn({ utcOffset: 330 }),
        sinceIn({ utcOffset: -210, zone: 'Asia/Kathmandu' }),
        sinceIn({ utcOffset: -210 }),
        sinceIn({ zone: 'Europe/Berlin', host: 60 }),
        sinceIn({ zone: 'Etc/UTC', host: 60 }),
      ],
      ['17:00 UTC+9', '17:00', '13:30 UTC+5:30', '13:45 UTC+5:45', '04:30 UTC−3:30', '09:00', '08:00 UTC'],
    )
    const over = { state: 'normal', until: iso(12) } as const
    assert.match(textOf(over, { utcOffset: 540 }), /\(17:00 to 17:12 UTC\+9, highest -9.8 °C\)$/)
  })

  it('say that an alarm arrived late, or was corrected', () => {
    const over = { state: 'ended', until: iso(12), late: true } as const
    const sentence =
      'Freezer 3, Inside (too warm): was above -15 °C for 12 minutes (08:00 to 08:12, highest -9.8 °C)'
    assert.equal(
      textOf(over),
      `Was in alarm (arrived late): Freezer 3, Inside: too warm | Arrived late: ${sentence}`,
    )
    assert.equal(
      textOf({ ...over, revised: true }),
      `Corrected: Freezer 3, Inside: too warm | Corrected: ${sentence}`,
    )
    assert.match(
      textOf({ ...over, revised: true }, { language: 'ja' }),
      /^訂正：Freezer 3・Inside：too warm \| 訂正：/,
    )
  })

  it('say who acknowledged an alarm, and why', () => {
    const at = iso(12)
    const acknowledged = {
      state: 'acknowledged',
      acknowledged: { at, by: 'night shift', note: 'door\nrepaired' },
    } as const
    const sentence = 'Freezer 3, Inside: too warm acknowledged'
    assert.equal(
      textOf(acknowledged),
      `Acknowledged: Freezer 3, Inside: too warm | ${sentence} by night shift: door repaired`,
    )
    assert.equal(
      textOf({ ...acknowledged, limit: '', late: true, acknowledged: { at, by: null, note: null } }),
      'Acknowledged: Freezer 3, Inside: above the limit | Freezer 3, Inside: above the limit acknowledged',
    )
    assert.equal(
      textOf(acknowledged, { language: 'ja' }),
      '確認済み：Freezer 3・Inside：too warm | Freezer 3・Inside：too warmを確認しました（担当：night shift）。メモ：door repaired',
    )
    const over = { ...acknowledged, state: 'ended', until: iso(12) } as const
    assert.match(
      textOf(over),
      /\(08:00 to 08:12, highest -9.8 °C\), acknowledged by night shift: door repaired$/,
    )
    assert.match(textOf(over, { language: 'ja' }), /）、確認済み（担当：night shift）。メモ：door repaired$/)
  })

  it('say who muted a device or all until when, and that a mute has ended', () => {
    const nothing = { condition: null, limit: null, channel: null, label: null } as const
    const by = { at: iso(12), by: 'night shift', note: null }
    const muted = { ...nothing, state: 'muted', until: iso(72), acknowledged: by } as const
    assert.equal(textOf(muted), 'Muted: Freezer 3 | Freezer 3: muted until 09:12 by night shift')
    assert.equal(
      textOf({ ...muted, name: null, until: iso(1500) }, { utcOffset: 540 }),
      'Muted: 5212A1B2 | 5212A1B2: muted until 11-21 18:00 UTC+9 by night shift',
    )
    const over = { ...muted, serial: null, name: null, state: 'unmuted', acknowledged: null } as const
    assert.equal(textOf(over), 'Mute ended: All devices | All devices: mute ended')
    assert.deepEqual(
      [textOf(muted, { language: 'ja' }), textOf(over, { language: 'ja' })],
      [
        '通知停止：Freezer 3 | Freezer 3：09:12 まで通知を停止します（担当：night shift）',
        '通知再開：全機器 | 全機器：通知の停止を終了しました',
      ],
    )
  })

  it('tell in the past what each condition was', () => {
    const nothing = { limit: null, channel: null, label: null, value: null, extreme: null, unit: null }
    const sentenceOf = (over: Partial<LimitEvent>, language: 'en-US' | 'ja' = 'en-US') =>
      textOf({ ...nothing, ...over, state: 'ended', until: iso(12) }, { language }).replace(/^.* \| /, '')
    const all = { serial: null, name: null, base: null }
    const conditions: Partial<LimitEvent>[] = [
      { condition: 'error', channel: 1, label: 'Inside', detail: 'E1' },
      { condition: 'silent' },
      { condition: 'silent', serial: null, name: 'Hall 1', detail: '12' },
      { condition: 'battery', detail: 'replace-now' },
      { condition: 'no-data', ...all },
      { condition: 'no-match', ...all, detail: 'too warm: 52A10009' },
    ]
    assert.deepEqual(
      conditions.map((over) => sentenceOf(over)),
      [
        'Freezer 3, Inside: had no value for 12 minutes (08:00 to 08:12) (E1)',
        'Freezer 3: had no new measurement for 12 minutes (08:00 to 08:12)',
        'Base unit Hall 1 (5839F001): had no new measurement for 12 minutes (08:00 to 08:12)',
        'Freezer 3: the battery was low (08:00 to 08:12)',
        'There was no data of any device for 12 minutes (08:00 to 08:12)',
        'For 12 minutes, no device matched these parts of the limits (08:00 to 08:12) (too warm: 52A10009)',
      ],
    )
    for (const over of conditions) assert.match(sentenceOf(over, 'ja'), /した（08:00～08:12）/)
  })

  it('are about a silent base unit', () => {
    const unit = {
      serial: null,
      name: 'Hall 1',
      channel: null,
      label: null,
      limit: null,
      above: null,
    } as const
    const silent = {
      ...unit,
      condition: 'silent',
      value: null,
      extreme: null,
      unit: null,
      detail: '20',
    } as const
    assert.equal(
      textOf(silent),
      'Alarm: Base unit Hall 1 (5839F001): silent | Base unit Hall 1 (5839F001): no new measurement of its 20 devices (last at 08:00)',
    )
    assert.equal(
      textOf({ ...silent, state: 'normal', until: iso(299), minutes: 299 }, { now: 299 }),
      'Normal again: Base unit Hall 1 (5839F001): silent | Base unit Hall 1 (5839F001): measurements arrive again, after 4 h 59 min without (08:00 to 12:59)',
    )
    assert.equal(
      textOf({ ...silent, name: '' }, { language: 'ja' }),
      '警報：親機 5839F001：測定途絶 | 親機 5839F001：子機 20 台の新しい測定値なし（最終 08:00）',
    )
  })

  it('say that events were left out, and that an alarm is a test', () => {
    const sentences = new Sentences(withCatalogs('en-US'), 'local')
    assert.equal(sentences.sentence(toLeftOut(30)), '30 more events are not listed.')
    assert.equal(sentences.subject([toTest(0), toTest(0)]), 'Test alarm')
    const alarm = toState(new Condition('no-data', {}), 0)
    assert.match(sentences.subject([alarm, alarm]), / \(and 1 more\)$/)
    assert.equal(sentences.sentence(toTest(0)), 'Test: this is how alarms arrive.')
  })

  it('name the device of a test, which is that seen last with a serial number', () => {
    const clock = createVirtualClock(0, AT_8)
    const settings = { errorAfterMs: 1, silentAfterMs: 1, battery: true, remindMs: 0 }
    const monitor = new Monitor(clock, settings)
    for (const serial of ['5839F001', '5839F002', '5839F001']) {
      clock.advance(MINUTE)
      const reading = readingOf(clock.now(), -18, { base: { serial, name: 'Hall' } })
      monitor.receive(readMeasurements([reading]).devices, [])
    }
    const test = monitor.test('5212A1B2')
    const { id, serial, name, base } = test.event
    assert.deepEqual(
      [id, serial, name, base],
      [`test/5839F001/5212A1B2/${iso(3)}`, '5212A1B2', 'Freezer 3', '5839F001'],
    )
    assert.deepEqual(monitor.test('5212A1B9'), toTest(clock.now()))
    const textIn = (language: 'en-US' | 'ja') => {
      const sentences = new Sentences(withCatalogs(language), 'local')
      return `${sentences.subject([test])} | ${sentences.sentence(test)}`
    }
    assert.deepEqual(
      [textIn('en-US'), textIn('ja')],
      [
        'Test alarm: Freezer 3 | Test: this is how alarms of Freezer 3 arrive.',
        '警報のテスト：Freezer 3 | テスト（Freezer 3）：警報はこのように届きます。',
      ],
    )
  })

  it('say that a device has not measured anything yet', () => {
    const sentences = new Sentences(withCatalogs('en-US'), 'local')
    const condition = new Condition('silent', { device: new WatchedDevice('52A10001', '52A10001', 0) })
    condition.alarm = toAlarm({ from: 0, isAlarm: true })
    assert.equal(sentences.sentence(toState(condition, 60_000)), '52A10001: no measurement yet')
  })

  it('name what no device matches', () => {
    const sentences = new Sentences(withCatalogs('en-US'), 'local')
    const condition = new Condition('no-match', {})
    condition.alarm = toAlarm({ from: 0, isAlarm: true, detail: 'too warm: 52A10009' })
    const alarm = toState(condition, 30_000)
    assert.equal(
      `${sentences.subject([alarm])} | ${sentences.sentence(alarm)}`,
      'Alarm: Limits: no matching device | No device matches these parts of the limits (too warm: 52A10009). Check the names and numbers.',
    )
  })

  it('have no space before a percent sign, as in reports', () => {
    const humid = { unit: '%', above: 80, value: 85, extreme: 85, limit: null }
    assert.equal(
      textOf(humid).split(' | ')[1],
      'Freezer 3, Inside: above 80% for 12 minutes, now 85% (since 08:00)',
    )
  })

  it('are one line each, whatever names and units contain', () => {
    const sentences = new Sentences(withCatalogs('en-US'), new TimeZone('Etc/UTC'), {
      now: () => AT_8,
      host: UTC,
    })
    const { event } = toState(new Condition('no-data', {}), 0)
    const names = { name: 'Freezer\n3', serial: '52A10001', channel: 1, label: 'In\r\nside' }
    const measured = { above: -15, minutes: 10, value: -9, unit: '°C\nFreezer 4: no value' } as const
    const from = new Date(AT_8).toISOString()
    const report = {
      event: { ...event, ...names, ...measured, state: 'alarm', condition: 'above', from },
      utcOffset: 0,
    } as const
    assert.equal(
      sentences.sentence(report),
      'Freezer 3, In side: above -15 °C Freezer 4: no value for 10 minutes, now -9 °C Freezer 4: no value (since 08:00)',
    )
  })

  it('say that a state is normal', () => {
    const sentences = new Sentences(withCatalogs('en-US'), 'local')
    const about = toState(new Condition('no-data', {}), 0)
    assert.equal(sentences.sentence(about), 'All devices: normal')
    assert.match(textOf({ state: 'normal', from: null }), /\| Freezer 3, Inside \(too warm\): normal$/)
  })
})
