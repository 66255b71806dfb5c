import assert from 'node:assert/strict'
import type { LimitEvent } from '../../../../src/lib/limits/event'
import { inMinutes, isCold, recordsAt, recordsIn, warmIn } from '../../../support/limits/minutes'
import {
  brief,
  MINUTE,
  Monitoring,
  nowIn,
  other,
  readingOf,
  UNSIGNED,
} from '../../../support/limits/monitoring'

const TOO_WARM = { name: 'too warm', above: -15 }
const DAY_MINUTES = 1440

const warm = (node: Monitoring) => node.receive([readingOf(nowIn(node), -10)])
const cold = (node: Monitoring) => node.receive([readingOf(nowIn(node), -18)])
/** Events without those about mutes themselves. */
const alarmsIn = (events: readonly LimitEvent[]) => events.filter(({ condition }) => condition !== null)
const wait = (node: Monitoring, minutes: number) => alarmsIn(node.wait(minutes))
const mute = (node: Monitoring, minutes: number, serials: readonly string[] | 'all' = 'all') =>
  alarmsIn(node.command(({ alarms }) => alarms.mute(minutes * MINUTE, serials, UNSIGNED)))

describe('alarms', () => {
  it('are held back while they are muted, also over a restart, and told at the end if they last', () => {
    const node = new Monitoring([TOO_WARM, { name: 'cold', below: -17 }])
    mute(node, 30)
    assert.deepEqual(warm(node), [])
    node.wait(5)
    assert.deepEqual(cold(node), [])
    node.wait(5)
    node.restart()
    assert.notEqual(node.monitor.summarize().mutedUntil, null)
    assert.deepEqual(wait(node, 19), [])
    assert.deepEqual(brief(wait(node, 1)), ['alarm below 5212A1B2 1'])
    assert.equal(node.monitor.summarize().mutedUntil, null)
  })

  it('are muted for single devices; ends of told alarms are told at once', () => {
    const node = new Monitoring([TOO_WARM])
    warm(node)
    mute(node, 60, ['5212A1B2'])
    node.wait(1)
    assert.deepEqual(brief(cold(node)), ['normal above 5212A1B2 1'])
    node.wait(1)
    assert.deepEqual(brief(node.receive([readingOf(nowIn(node), -10), other(nowIn(node), -10)])), [
      'alarm above 5212A1B3 1',
    ])
    assert.deepEqual(brief(mute(node, 0, ['5212A1B2'])), ['alarm above 5212A1B2 1'])
  })
})

describe('a mute', () => {
  it('has one end, although the clocks do not agree to the millisecond, and another one if the clock is set', () => {
    const node = new Monitoring([{ above: -15 }])
    const end = () => node.monitor.summarize().mutedUntil ?? 0
    node.command(({ alarms }) => alarms.mute(60 * MINUTE, 'all', UNSIGNED))
    const told = end()
    node.clock.jump(1)
    assert.equal(end(), told)
    node.clock.jump(MINUTE)
    assert.equal(end(), told + MINUTE + 1)
  })

  /** At 400, before a mute begins. */
  function startAt400(): Monitoring {
    const node = new Monitoring([{ ...TOO_WARM, minutes: 30 }], { silentAfterMs: Number.POSITIVE_INFINITY })
    node.receive(recordsIn(-9, 1, isCold))
    node.clock.jump(400 * MINUTE)
    return node
  }

  it('holds back until its end what was over before it began, also over a crash', () => {
    const node = startAt400()
    mute(node, 60)
    assert.deepEqual(node.receive(recordsIn(1, 401, warmIn([100, 340]))), [])
    node.wait(30)
    node.kill()
    assert.deepEqual(wait(node, 29), [])
    assert.deepEqual(wait(node, 1).map(inMinutes), ['ended above 100-340'])
    assert.deepEqual(wait(node, 60), [])
  })

  it('tells what it held back as it is known at its end', () => {
    const node = startAt400()
    mute(node, 60)
    node.receive(recordsIn(300, 401, warmIn([100, 340])))
    node.receive(recordsIn(1, 300, warmIn([100, 340])))
    assert.deepEqual(mute(node, 0).map(inMinutes), ['ended late above 100-340'])
  })

  it('does not tell what it held back if that proves to have been too short', () => {
    const later: [minutes: number[], told: string[]][] = [
      [[], ['ended late above 11-18']],
      [[13], []],
      // Its beginning may still be found.
      [[13, 9, 6], ['ended late above 6-13']],
    ]
    for (const [minutes, told] of later) {
      const node = new Monitoring([{ ...TOO_WARM, minutes: 6 }])
      const receive = (...values: [minute: number, value: number][]) => node.receive(recordsAt(...values))
      receive([0, -18], [1, -18], [2, -18])
      receive([60, -18])
      mute(node, 60)
      receive([11, -10], [12, -10], [15, -10], [16, -10], [17, -10], [18, -18])
      for (const minute of minutes) receive([minute, minute === 13 ? -18 : -10])
      node.restart()
      assert.deepEqual(mute(node, 0).map(inMinutes), told)
    }
  })

  it('does not make up for reminders at its end', () => {
    const node = new Monitoring([TOO_WARM], {
      remindMs: 60 * MINUTE,
      silentAfterMs: Number.POSITIVE_INFINITY,
    })
    assert.deepEqual(brief(warm(node)), ['alarm above 5212A1B2 1'])
    mute(node, 100)
    assert.deepEqual(wait(node, 119), [])
    assert.deepEqual(brief(wait(node, 1)), ['reminder above 5212A1B2 1'])
  })

  it('of all devices does not tell what was outside while the device was muted by itself', () => {
    const node = startAt400()
    mute(node, 600, ['5212A1B2'])
    node.wait(100)
    mute(node, 600)
    node.receive(recordsIn(1, 500, warmIn([410, 490])))
    assert.deepEqual(mute(node, 0), [])
  })

  it('does not tell what was outside while it lasted', () => {
    const node = startAt400()
    mute(node, 60)
    node.wait(10)
    node.receive(recordsIn(1, 411, warmIn([100, 405])))
    assert.deepEqual(mute(node, 0), [])
  })

  it('does not tell what was outside while it lasted if late values change it after its end', () => {
    const node = new Monitoring([{ ...TOO_WARM, minutes: 6 }])
    const receive = (...values: [minute: number, value: number][]) => node.receive(recordsAt(...values))
    receive([0, -18], [1, -18], [2, -18])
    mute(node, 600)
    node.clock.advance(58 * MINUTE)
    receive([60, -18])
    receive([11, -10], [12, -10], [15, -10], [16, -10], [17, -10], [18, -18])
    receive([13, -18])
    assert.deepEqual(mute(node, 0), [])
    assert.deepEqual(receive([9, -10], [6, -10]), [])
  })

  it('holds back until its end what is about a device that is muted by itself', () => {
    const node = startAt400()
    mute(node, 60, ['5212A1B2'])
    assert.deepEqual(node.receive(recordsIn(1, 401, warmIn([100, 340]))), [])
    assert.deepEqual(wait(node, 60).map(inMinutes), ['ended above 100-340'])
  })

  it('holds back at most 100 reports, and says how many more there were', () => {
    const node = new Monitoring([TOO_WARM])
    const all = (from: number, until: number, count = 105) =>
      Array.from({ length: count }, (_, index) => ({
        ...recordsIn(from, until, warmIn([10, 20], [35, 45])),
        serial: `5212B${100 + index}`,
      }))
    node.receive(all(0, 3))
    node.clock.jump(27 * MINUTE)
    mute(node, 60)
    node.receive(all(3, 30))
    assert.equal(node.monitor.alarms.over.filter(({ isHeld }) => isHeld).length, 100)
    const events = node.command(({ alarms }) => alarms.mute(0, 'all', UNSIGNED)).slice(1)
    assert.deepEqual([events.length, events.at(-1)?.leftOut], [101, 5])
    node.clock.jump(30 * MINUTE)
    mute(node, 60)
    node.receive(all(30, 60, 1))
    const others = node.command(({ alarms }) => alarms.mute(0, 'all', UNSIGNED)).slice(1)
    assert.deepEqual(others.map(inMinutes), ['ended above 35-45'])
    assert.deepEqual(mute(node, 0), [])
  })

  it('keeps what it holds back, although more alarms than the history has were over since it began', () => {
    const node = new Monitoring([TOO_WARM], { silentAfterMs: Number.POSITIVE_INFINITY })
    node.receive(recordsIn(-9, 1, isCold))
    node.clock.jump(400 * MINUTE)
    mute(node, 60)
    node.receive(recordsIn(1, 400, warmIn([100, 340])))
    node.wait(30)
    node.receive(
      recordsAt(...Array.from({ length: 410 }, (_, n) => [401 + n / 15, n % 2 ? -18 : -5] as const)),
    )
    assert.deepEqual(mute(node, 0).map(inMinutes), ['ended above 100-340'])
  })

  it('begins anew if the one before is over, also if the process has stood still since', () => {
    const node = new Monitoring([{ ...TOO_WARM, minutes: 30 }], { silentAfterMs: Number.POSITIVE_INFINITY })
    node.receive(recordsIn(-9, 1, isCold))
    mute(node, 10)
    node.clock.advance(400 * MINUTE)
    mute(node, 60)
    node.receive(recordsIn(1, 400, warmIn([100, 340])))
    assert.deepEqual(mute(node, 0).map(inMinutes), ['ended above 100-340'])
  })

  it('of more than 7 days is cut at a restart', () => {
    const node = new Monitoring([])
    mute(node, 30 * DAY_MINUTES)
    node.restart()
    assert.equal(node.monitor.summarize().mutedUntil, nowIn(node) + 7 * DAY_MINUTES * MINUTE)
  })

  for (const [story, minutes] of [
    ['back a day', -DAY_MINUTES],
    ['back half an hour', -30],
    ['ahead a day', DAY_MINUTES],
  ] as const)
    it(`lasts as long as it was set for if the clock is set ${story}, also over a restart`, () => {
      const node = new Monitoring([TOO_WARM])
      mute(node, 60)
      node.wait(10)
      node.clock.jump(minutes * MINUTE)
      assert.deepEqual(warm(node), [])
      assert.deepEqual(wait(node, 10), [])
      node.restart()
      assert.deepEqual(wait(node, 39), [])
      assert.deepEqual(brief(wait(node, 1)), ['alarm above 5212A1B2 1'])
    })

  it('lasts at most as long as it was set for if the clock is set back before a crash', () => {
    const node = new Monitoring([TOO_WARM], { silentAfterMs: Number.POSITIVE_INFINITY })
    mute(node, 60)
    node.clock.jump(-DAY_MINUTES * MINUTE)
    node.kill()
    assert.deepEqual(warm(node), [])
    assert.deepEqual(wait(node, 59), [])
    assert.deepEqual(brief(wait(node, 1)), ['alarm above 5212A1B2 1'])
  })

  it('does not hold back what is about a device that is forgotten', () => {
    const node = startAt400()
    mute(node, 60)
    node.receive(recordsIn(1, 401, warmIn([100, 340])))
    node.command((monitor) => monitor.forget(['5212A1B2']))
    assert.deepEqual(mute(node, 0), [])
  })
})

describe('the events of mutes', () => {
  const signed = { by: 'night shift', note: 'defrosting' }
  const command = (node: Monitoring, minutes: number, serials: readonly string[] | 'all' = 'all') =>
    node.command(({ alarms }) => alarms.mute(minutes * MINUTE, serials, signed))
  const short = (events: readonly LimitEvent[]) =>
    events.map(({ state, serial, minutes }) => `${state} ${serial ?? 'all'} ${minutes}`)

  it('say who muted which device until when, and who ended that', () => {
    const node = new Monitoring([])
    cold(node)
    const begin = nowIn(node)
    const [event, unknown] = command(node, 60, ['5212A1B2', '5212A1B9'])
    const iso = (minutes: number) => new Date(begin + minutes * MINUTE).toISOString()
    assert.deepEqual(event, {
      ...{ id: `mute/5212A1B2/${iso(0)}`, state: 'muted', condition: null, limit: null },
      ...{ serial: '5212A1B2', name: 'Freezer 3', base: '5839F001', channel: null, label: null },
      ...{ quantity: null, above: null, below: null, value: null, extreme: null, unit: null },
      ...{ from: iso(0), until: iso(60), minutes: 60, late: false, revised: false, detail: null },
      acknowledged: { at: iso(0), ...signed },
    })
    assert.deepEqual([unknown?.serial, unknown?.name, unknown?.base], ['5212A1B9', null, null])
    assert.equal(node.monitor.summarize().mutedDevices, 2)
    node.wait(10)
    const [over] = command(node, 0, ['5212A1B2', '5212A1B3'])
    assert.deepEqual(
      [over?.state, over?.from, over?.until, over?.acknowledged],
      ['unmuted', iso(0), iso(10), { at: iso(10), ...signed }],
    )
    assert.equal(node.monitor.summarize().mutedDevices, 1)
  })

  it('have the time zone of their device', () => {
    const node = new Monitoring([])
    cold(node)
    const { alarms } = node.monitor
    alarms.mute(60 * MINUTE, ['5212A1B2'], signed)
    alarms.mute(60 * MINUTE, 'all', signed)
    assert.deepEqual(
      alarms.collect().reports.map(({ utcOffset }) => utcOffset),
      [540, null],
    )
  })

  it('are sent when its time is over, also if that was while the node was off', () => {
    for (const stop of ['restart', 'kill'] as const) {
      const node = new Monitoring([])
      command(node, 60)
      command(node, 30, ['5212A1B2'])
      assert.deepEqual(short(node.wait(30)), ['unmuted 5212A1B2 30'])
      node[stop]()
      assert.deepEqual(short(node.wait(29)), [])
      node.clock.advance(120 * MINUTE)
      node[stop]()
      const events = node.wait(1)
      assert.deepEqual(short(events), ['unmuted all 60'])
      assert.equal(events[0]?.acknowledged, null)
      node.kill()
      assert.deepEqual(short(node.wait(1)), [])
    }
  })

  it('are sent again if a mute is made longer or shorter, and for each mute that a command ends', () => {
    const node = new Monitoring([])
    assert.deepEqual(short(command(node, 60)), ['muted all 60'])
    node.wait(10)
    assert.deepEqual(short(command(node, 60)), ['muted all 70'])
    assert.deepEqual(short(command(node, 20)), ['muted all 30'])
    command(node, 60, ['5212A1B2'])
    assert.deepEqual(short(command(node, 0)), ['unmuted all 10', 'unmuted 5212A1B2 0'])
    assert.deepEqual(short(command(node, 0)), [])
  })

  it('come before the alarms that the mute held back', () => {
    const node = new Monitoring([TOO_WARM])
    command(node, 10)
    warm(node)
    assert.deepEqual(
      node.wait(10).map(({ state }) => state),
      ['unmuted', 'alarm'],
    )
  })
})

describe('the devices that are muted one by one', () => {
  it('are at most 1,000; more are refused as a whole', () => {
    const node = new Monitoring([])
    const serials = Array.from({ length: 1001 }, (_, index) => `5212B${index}`)
    assert.throws(() => mute(node, 60, serials), { reason: 'too-many-mutes', code: 'ENVLOG_INPUT' })
    assert.equal(node.monitor.summarize().mutedDevices, 0)
    mute(node, 60, serials.slice(1))
    mute(node, 60, serials.slice(1, 3))
    mute(node, 60)
    assert.equal(node.monitor.summarize().mutedDevices, 1000)
    assert.throws(() => mute(node, 60, serials.slice(0, 1)), { reason: 'too-many-mutes' })
    node.wait(60)
    mute(node, 60, serials.slice(0, 1))
    assert.equal(node.monitor.summarize().mutedDevices, 1)
  })
})
