import assert from 'node:assert/strict'
import type { LimitEvent } from '../../../../src/lib/limits/event'
import { brief, MINUTE, Monitoring, nowIn, other, readingOf } from '../../../support/limits/monitoring'

const TOO_WARM = { name: 'too warm', above: -15 }
const DAY_MINUTES = 1440

describe('silence', () => {
  it('of one device is reported once, and its end', () => {
    const node = new Monitoring([TOO_WARM])
    const last = nowIn(node)
    node.receive([readingOf(last, -18), other(last, -18)])
    const events: LimitEvent[] = []
    for (let hour = 0; hour < 3; hour++) {
      events.push(...node.wait(59), ...node.receive([readingOf(last, -18), other(nowIn(node), -18)]))
    }
    assert.deepEqual(brief(events), ['alarm silent 5212A1B2'])
    assert.equal(events[0]?.from, new Date(last).toISOString())
    node.restart()
    assert.deepEqual(node.wait(59), [])
    assert.deepEqual(brief(node.receive([readingOf(nowIn(node), -18)])), ['normal silent 5212A1B2'])
  })

  it('counts from the measurement of a device that is seen for the first time, and from the start', () => {
    const node = new Monitoring([])
    node.receive([readingOf(nowIn(node) - 50 * MINUTE, -18), other(nowIn(node), -18)])
    node.wait(9)
    node.receive([other(nowIn(node), -18)])
    assert.deepEqual(node.wait(1), [])
    node.receive([other(nowIn(node), -18)])
    assert.deepEqual(brief(node.wait(1)), ['alarm silent 5212A1B2'])
    node.restart()
    node.receive([other(nowIn(node), -18)])
    node.wait(10)
    assert.deepEqual(brief(node.wait(49)), [])
  })

  it('of more than an hour counts over restarts', () => {
    const node = new Monitoring([], { silentAfterMs: DAY_MINUTES * MINUTE })
    node.receive([readingOf(nowIn(node), -18)])
    const events: LimitEvent[] = []
    for (let hour = 0; hour < 30; hour++) {
      events.push(...node.wait(60), ...node.receive([other(nowIn(node), -18)]))
      if (hour % 20 === 10) node.restart()
    }
    assert.deepEqual(brief(events), ['alarm silent 5212A1B2'])
  })

  it('of up to an hour starts over after a restart', () => {
    for (const [before, after] of [
      [60, 119],
      [61, 58],
    ] as const) {
      const node = new Monitoring([TOO_WARM], { silentAfterMs: 120 * MINUTE })
      const last = nowIn(node)
      const live = (minutes: number) => {
        const events: LimitEvent[] = []
        for (let minute = 0; minute < minutes; minute++)
          events.push(...node.wait(1), ...node.receive([readingOf(last, -18), other(nowIn(node), -18)]))
        return events
      }
      node.receive([readingOf(last, -18)])
      assert.deepEqual(live(before), [])
      node.restart()
      assert.deepEqual(live(after), [])
      assert.deepEqual(brief(live(3)), ['alarm silent 5212A1B2'])
    }
  })

  it('that was saved is over after a crash, too', () => {
    const node = new Monitoring([], { silentAfterMs: DAY_MINUTES * MINUTE })
    const lives = (hours: number) => {
      const events: LimitEvent[] = []
      for (let hour = 0; hour < hours; hour++)
        events.push(...node.wait(60), ...node.receive([other(nowIn(node), -18)]))
      return events
    }
    node.receive([readingOf(nowIn(node), -18)])
    lives(20)
    node.restart()
    node.wait(1)
    node.receive([readingOf(nowIn(node), -18)])
    lives(1)
    node.kill()
    assert.deepEqual(lives(20), [])
  })

  it('of all is one event, also from the start, and then counts anew', () => {
    const node = new Monitoring([])
    assert.deepEqual(brief(node.wait(60)), ['alarm no-data'])
    assert.deepEqual(brief(node.receive([readingOf(nowIn(node), -18), other(nowIn(node), -18)])), [
      'normal no-data',
    ])
    assert.deepEqual(brief(node.wait(60)), ['alarm no-data'])
    node.restart()
    assert.deepEqual(node.wait(200), [])
    assert.deepEqual(brief(node.receive([other(nowIn(node), -18)])), ['normal no-data'])
    assert.deepEqual(node.wait(59), [])
  })

  it('of all begins with the last message', () => {
    const node = new Monitoring([])
    node.wait(10)
    const last = nowIn(node)
    node.receive([readingOf(last, -18)])
    assert.equal(node.wait(60)[0]?.from, new Date(last).toISOString())
  })

  it('of all lasts if a device is forgotten', () => {
    const node = new Monitoring([])
    node.receive([readingOf(nowIn(node), -18), other(nowIn(node), -18)])
    node.wait(60)
    node.command((monitor) => monitor.forget(['5212A1B2']))
    assert.notEqual(node.monitor.summarize().noDataSince, null)
  })

  it('of all is forgotten with all devices', () => {
    const node = new Monitoring([])
    node.receive([readingOf(nowIn(node), -18)])
    node.wait(60)
    node.command((monitor) => monitor.forget('all'))
    assert.equal(node.monitor.summarize().noDataSince, null)
    assert.deepEqual(node.receive([readingOf(nowIn(node), -18)]), [])
  })

  it('does not count the time in which nothing arrived before a restart', () => {
    const node = new Monitoring([], { silentAfterMs: 120 * MINUTE })
    node.receive([readingOf(nowIn(node), -18), other(nowIn(node), -18)])
    node.wait(90)
    node.restart()
    const live = (minutes: number) =>
      Array.from({ length: minutes }, () => [...node.wait(1), ...node.receive([other(nowIn(node), -18)])])
    assert.deepEqual(live(119).flat(), [])
    assert.deepEqual(brief(live(2).flat()), ['alarm silent 5212A1B2'])
  })

  it('does not end before it began if the clock was set back meanwhile', () => {
    const node = new Monitoring([])
    node.wait(60)
    node.clock.jump(-300 * MINUTE)
    const [over] = node.receiveAhead([readingOf(nowIn(node), -18)])
    assert.deepEqual([over?.state, over?.until], ['normal', over?.from])
  })

  it('includes a device that has never measured', () => {
    const node = new Monitoring([])
    const events = [0, 30, 30].flatMap((minutes) => {
      const before = node.wait(minutes)
      return [...before, ...node.receive([readingOf(null, null)])]
    })
    const [alarm, ...others] = [...events, ...node.wait(1)]
    assert.deepEqual([alarm?.condition, alarm?.serial, alarm?.detail], ['silent', '5212A1B2', 'never'])
    assert.deepEqual(others, [])
  })

  it('is forgotten if it is switched off, and then never reported', () => {
    const node = new Monitoring([])
    node.receive([readingOf(nowIn(node), 'E1', { battery: { level: 'replace-now' } })])
    node.wait(60)
    assert.equal(node.monitor.summarize().alarms, 3)
    node.restart([], {
      silentAfterMs: Number.POSITIVE_INFINITY,
      errorAfterMs: Number.POSITIVE_INFINITY,
      battery: false,
    })
    assert.equal(node.monitor.summarize().alarms, 0)
    node.receive([readingOf(nowIn(node), 'E1')])
    assert.deepEqual(node.wait(200), [])
  })
})

describe('the silence of a base unit', () => {
  const BASE = { serial: '5839F001', name: 'Hall 1' }
  const serialsOf = (count: number) => Array.from({ length: count }, (_, index) => `52A${100 + index}`)
  const remotes = (node: Monitoring, serials: readonly string[]) =>
    serials.map((serial) => readingOf(nowIn(node), -18, { serial, base: BASE }))
  const standalone = (node: Monitoring) =>
    readingOf(nowIn(node), -18, { serial: '5300', base: { serial: '5300', name: 'Office' } })

  /** So many minutes in which these remote units measure, and a standalone device. */
  function lives(node: Monitoring, minutes: number, serials: readonly string[]): LimitEvent[] {
    const events: LimitEvent[] = []
    for (let minute = 0; minute < minutes; minute++)
      events.push(...node.wait(1), ...node.receive([...remotes(node, serials), standalone(node)]))
    return events
  }

  const about = (events: readonly LimitEvent[]) =>
    events.map(({ state, serial, base, detail }) => [state, serial ?? base, detail].join(' ').trim())

  const serials = serialsOf(20)

  it('is one event, and its end; a device that stays silent is reported 10 minutes later', () => {
    const node = new Monitoring([], { remindMs: 60 * MINUTE })
    lives(node, 10, serials)
    const last = nowIn(node)
    const [alarm, ...others] = lives(node, 69, [])
    assert.deepEqual(others, [])
    assert.deepEqual(about(alarm ? [alarm] : []), ['alarm 5839F001 20'])
    assert.deepEqual(
      [alarm?.name, alarm?.serial, alarm?.from],
      ['Hall 1', null, new Date(last).toISOString()],
    )
    assert.equal(node.monitor.summarize().alarms, 1)
    assert.deepEqual(about(lives(node, 60, [])), ['reminder 5839F001 20'])
    const allButOne = serials.slice(1)
    lives(node, 1, allButOne)
    const measured = nowIn(node)
    const ended = lives(node, 10, allButOne)
    assert.deepEqual(about(ended), ['normal 5839F001 20'])
    assert.equal(ended[0]?.until, new Date(measured).toISOString())
    assert.deepEqual(about(lives(node, 1, allButOne)), ['alarm 52A100'])
    assert.deepEqual(about(lives(node, 1, serials)), ['normal 52A100'])
  })

  it('is the only alarm that lasts', () => {
    const node = new Monitoring([])
    lives(node, 1, serialsOf(2))
    lives(node, 61, [])
    const lasting = node.monitor.alarms.alarms().map(({ event }) => [event.base, event.serial])
    assert.deepEqual(lasting, [['5839F001', null]])
  })

  it('keeps the states of its devices', () => {
    const node = new Monitoring([])
    lives(node, 1, serialsOf(2))
    lives(node, 61, [])
    const silent = [...node.monitor.conditions()].filter(({ kind, isAlarm }) => kind === 'silent' && isAlarm)
    assert.deepEqual(
      silent.map(({ about: { device } }) => device?.serial),
      ['52A100', '52A101'],
    )
    const sent = node.sent.states.filter((state) => /^silent.*true/.test(state))
    assert.deepEqual(sent, ['silent 52A100 true', 'silent 52A101 true'])
  })

  it('begins with the newest measurement of its devices, or now if they have never measured', () => {
    const node = new Monitoring([])
    lives(node, 1, serialsOf(2))
    lives(node, 5, ['52A100'])
    const newest = nowIn(node)
    assert.equal(lives(node, 61, [])[0]?.from, new Date(newest).toISOString())
    const never = new Monitoring([])
    const events = [0, 30, 30, 1].flatMap((minutes) => {
      const before = never.wait(minutes)
      return [...before, ...never.receive(serialsOf(2).map((serial) => readingOf(null, null, { serial })))]
    })
    const [base] = events
    assert.deepEqual(
      [base?.condition, base?.serial, base?.from],
      ['silent', null, new Date(nowIn(never)).toISOString()],
    )
  })

  it('is forgotten with its devices, at once or when nothing was seen of them for 30 days', () => {
    const forgets: ((node: Monitoring) => void)[] = [
      (node) => node.command((monitor) => monitor.forget(serialsOf(2))),
      (node) => {
        for (let day = 0; day < 31; day++) {
          node.clock.advance(DAY_MINUTES * MINUTE)
          lives(node, 1, [])
        }
      },
    ]
    for (const forget of forgets) {
      const node = new Monitoring([])
      lives(node, 1, serialsOf(2))
      lives(node, 61, [])
      assert.equal(node.monitor.summarize().alarms, 1)
      forget(node)
      assert.equal(node.monitor.summarize().alarms, 0)
      lives(node, 1, serialsOf(2))
      assert.deepEqual(about(lives(node, 61, [])), ['alarm 5839F001 2'])
    }
  })

  it('is over for good if its devices are forgotten after that', () => {
    const node = new Monitoring([])
    lives(node, 1, serialsOf(2))
    lives(node, 61, [])
    assert.deepEqual(about(lives(node, 2, serialsOf(2))), ['normal 5839F001 2'])
    node.command((monitor) => monitor.forget(serialsOf(2)))
    assert.deepEqual(lives(node, 2, []), [])
  })

  it('includes devices that measured at most 10 minutes apart, and has no others', () => {
    for (const [minutes, expected] of [
      [9, ['alarm 5839F001 2']],
      [11, ['alarm 52A100', 'alarm 5839F001 2']],
    ] as const) {
      const node = new Monitoring([])
      lives(node, 1, serialsOf(2))
      lives(node, minutes, ['52A101'])
      assert.deepEqual(about(lives(node, 80, [])), expected)
    }
  })

  it('is awaited for ten minutes again after a restart', () => {
    const node = new Monitoring([], { silentAfterMs: 30 * MINUTE })
    lives(node, 1, serialsOf(2))
    lives(node, 3, ['52A101'])
    assert.deepEqual(lives(node, 28, []), [])
    node.restart()
    assert.deepEqual(about(lives(node, 9, [])), [])
    assert.deepEqual(about(lives(node, 2, [])), ['alarm 52A100'])
  })

  it('is no more than the silence of one device if others of it measure, or if it has one', () => {
    const node = new Monitoring([])
    lives(node, 1, serials)
    assert.deepEqual(about(lives(node, 80, serials.slice(2))), ['alarm 52A100', 'alarm 52A101'])
    const single = new Monitoring([])
    lives(single, 1, ['52A100'])
    assert.deepEqual(about(lives(single, 61, [])), ['alarm 52A100'])
  })

  it('is over when the devices measure again one by one, without a word about the others', () => {
    const node = new Monitoring([])
    lives(node, 1, serials)
    lives(node, 80, [])
    const events = [2, 5, 8, 11, 14, 17, 20].flatMap((count) => lives(node, 1, serials.slice(0, count)))
    assert.deepEqual(about([...events, ...lives(node, 60, serials)]), ['normal 5839F001 20'])
  })

  it('goes on if one of its devices is forgotten, or a new one has not yet measured', () => {
    const changes: ((node: Monitoring) => void)[] = [
      (node) => node.command((monitor) => monitor.forget(['52A100'])),
      (node) => node.receive([readingOf(null, null, { serial: '52A102', base: BASE })]),
    ]
    for (const change of changes) {
      const node = new Monitoring([])
      lives(node, 1, serialsOf(2))
      assert.deepEqual(about(lives(node, 80, [])), ['alarm 5839F001 2'])
      change(node)
      assert.deepEqual(about(lives(node, 30, [])), [])
      const [event] = lives(node, 2, ['52A101'])
      assert.deepEqual([event?.state, event?.serial], ['normal', null])
    }
  })

  it('has the number of its devices, also if one was forgotten meanwhile', () => {
    const node = new Monitoring([])
    lives(node, 1, serialsOf(3))
    lives(node, 80, [])
    node.command((monitor) => monitor.forget(['52A100']))
    node.wait(1)
    assert.deepEqual(about(node.monitor.alarms.alarms().map(({ event }) => event)), ['reminder 5839F001 2'])
  })

  it('has its name, also after a restart and if its devices have the same one', () => {
    for (const name of ['Freezer 3', BASE.name]) {
      const node = new Monitoring([])
      const named = () => remotes(node, serialsOf(2)).map((reading) => ({ ...reading, name }))
      node.receive(named())
      lives(node, 61, [])
      node.restart()
      assert.equal(node.monitor.alarms.alarms()[0]?.event.name, BASE.name)
    }
  })

  it('does not hide the silence of one device that was reported before, also after a restart', () => {
    const node = new Monitoring([], { silentAfterMs: 30 * MINUTE })
    lives(node, 1, serialsOf(2))
    assert.deepEqual(about(lives(node, 45, ['52A101'])), ['alarm 52A100'])
    node.restart()
    assert.equal(node.monitor.summarize().alarms, 1)
  })

  it('goes on over a restart, also if a message arrives before the first check', () => {
    const node = new Monitoring([], { remindMs: 200 * MINUTE })
    lives(node, 1, serials)
    assert.deepEqual(about(lives(node, 80, [])), ['alarm 5839F001 20'])
    node.restart()
    assert.equal(node.monitor.summarize().alarms, 1)
    assert.deepEqual(about(node.receive([standalone(node)])), [])
    assert.deepEqual(about(lives(node, 30, [])), [])
    assert.deepEqual(about(lives(node, 2, serials)), ['normal 5839F001 20'])
  })
})

describe('the ids of events', () => {
  it('name the base unit, the device and the channel that they are about', () => {
    const node = new Monitoring([TOO_WARM])
    const standalone = (value: number) =>
      readingOf(nowIn(node), value, { serial: '5300', base: { serial: '5300' } })
    const placesOf = (events: readonly LimitEvent[]) =>
      events.map(({ id }) => id?.slice(0, id.lastIndexOf('/')))
    const lives = (...values: (() => object)[]) =>
      Array.from({ length: 71 }, () => [...node.wait(1), ...node.receive(values.map((value) => value()))])
    const freezer = () => other(nowIn(node), -18)
    const office = () => standalone(-18)
    const events = node.receive([readingOf(nowIn(node), -18), freezer(), standalone(-5)])
    assert.deepEqual(placesOf(events), ['5300/5300/ch1/too warm'])
    assert.deepEqual(placesOf(lives(freezer, office).flat().slice(1)), ['5839F001/5212A1B2/device/silent'])
    assert.deepEqual(placesOf(lives(office).flat()), ['5839F001/device/silent'])
    assert.deepEqual(placesOf(node.wait(61)), ['no-data'])
  })
})

describe('a process that stood still', () => {
  it('counts minutes anew if a check comes more than 65 seconds late', () => {
    for (const [seconds, isAnew] of [
      [64, false],
      [66, true],
    ] as const) {
      const node = new Monitoring([], { silentAfterMs: 10 * MINUTE })
      node.receive([readingOf(nowIn(node), 'E1')])
      node.wait(8)
      node.clock.advance((seconds - 60) * 1000)
      node.wait(1)
      const alarms = ['alarm error 5212A1B2 1', 'alarm no-data']
      assert.deepEqual(brief(node.wait(1)), isAnew ? [] : alarms)
      assert.deepEqual(brief(node.wait(9)), isAnew ? alarms : [])
    }
  })
})
