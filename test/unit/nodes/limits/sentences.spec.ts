import assert from 'node:assert/strict'
import { Condition, toAlarm, WatchedDevice } from '../../../../src/lib/limits/condition'
import { toLeftOut, toState, toTest } from '../../../../src/lib/limits/event'
import { readMeasurements } from '../../../../src/lib/limits/measurements'
import { Monitor } from '../../../../src/lib/limits/monitor'
import { Sentences } from '../../../../src/nodes/limits/sentences'
import { TimeZone } from '../../../../src/shared/local-clock'
import { withCatalogs } from '../../../support/catalog-red'
import { createVirtualClock } from '../../../support/clock'
import { AT_8, limitsOf, MINUTE, readingOf } from '../../../support/limits/monitoring'

/** The sentences and subjects of a freezer that is too warm, silent, broken and low on battery. */
function tell(language: 'en-US' | 'ja'): string[] {
  const clock = createVirtualClock(0, AT_8)
  const settings = {
    errorAfterMs: 10 * MINUTE,
    silentAfterMs: 60 * MINUTE,
    battery: true,
    remindMs: 0,
    leavesOutPast: true,
  }
  const monitor = new Monitor(clock, settings)
  const limits = limitsOf({ name: 'too warm', above: -15, minutes: 10 }, { name: '', below: -30 })
  const sentences = new Sentences(withCatalogs(language), new TimeZone('Etc/UTC'), () => clock.now())
  const lines: string[] = []
  const collect = () => {
    for (const report of monitor.alarms.collect().reports)
      lines.push(`${sentences.subject([report])} | ${sentences.sentence(report)}`)
  }
  const receive = (minute: number, value: number | string, level = 'sufficient') => {
    clock.advance(AT_8 + minute * MINUTE - clock.now())
    monitor.passTime()
    monitor.receive(readMeasurements([readingOf(clock.now(), value, { battery: { level } })]).devices, limits)
    collect()
  }
  receive(0, -10)
  receive(10, -9.8, 'replace-soon')
  receive(11, -18)
  receive(12, -31)
  receive(13, 'E1')
  clock.advance(10 * MINUTE)
  monitor.passTime()
  collect()
  receive(24, -20)
  clock.advance(60 * MINUTE)
  monitor.passTime()
  collect()
  return lines
}

describe('the sentences of limits', () => {
  it('name device, channel, limit, duration, value and time', () => {
    assert.deepEqual(tell('en-US'), [
      'Alarm: Freezer 3, Inside: too warm | Freezer 3, Inside: above -15 °C for 10 minutes, now -9.8 °C (since 08:00)',
      'Alarm: Freezer 3: battery low | Freezer 3: replace the battery soon',
      'Normal again: Freezer 3, Inside: too warm | Freezer 3, Inside: normal again at -18 °C, after 11 minutes above -15 °C (08:00 to 08:11, highest -9.8 °C)',
      'Normal again: Freezer 3: battery low | Freezer 3: the battery is no longer low',
      'Alarm: Freezer 3, Inside: below the limit | Freezer 3, Inside: below -30 °C, now -31 °C (since 08:12)',
      'Alarm: Freezer 3, Inside: no value | Freezer 3, Inside: no value for 10 minutes (since 08:13) (E1)',
      'Normal again: Freezer 3, Inside: below the limit | Freezer 3, Inside: normal again at -20 °C, after 12 minutes below -30 °C (08:12 to 08:24, lowest -31 °C)',
      'Normal again: Freezer 3, Inside: no value | Freezer 3, Inside: has values again after 11 minutes without (08:13 to 08:24)',
      'Alarm: All devices: no data | No data of any device for 60 minutes (since 08:24). Check the network, the service, the quota and the flow.',
    ])
  })

  it('are also Japanese', () => {
    const lines = tell('ja')
    assert.equal(
      lines[0],
      '警報：Freezer 3・Inside：too warm | Freezer 3・Inside：-15 °C を 10 分間超過、現在 -9.8 °C（08:00 から）',
    )
    for (const line of lines) assert.doesNotMatch(line, /limits\.|undefined|__/)
  })

  it('say that events were left out, and that an alarm is a test', () => {
    const sentences = new Sentences(withCatalogs('en-US'), 'local')
    assert.equal(sentences.sentence(toLeftOut(30)), '30 more events are not listed.')
    assert.equal(sentences.subject([toTest(0), toTest(0)]), 'Test alarm')
    assert.equal(sentences.sentence(toTest(0)), 'Test: this is how alarms arrive.')
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

  it('are one line each, whatever names and units contain', () => {
    const sentences = new Sentences(withCatalogs('en-US'), new TimeZone('Etc/UTC'), () => AT_8)
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
  })
})
