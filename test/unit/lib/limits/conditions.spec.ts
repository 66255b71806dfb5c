import assert from 'node:assert/strict'
import type { LimitEvent } from '../../../../src/lib/limits/event'
import { readMeasurements } from '../../../../src/lib/limits/measurements'
import { recordsAt } from '../../../support/limits/minutes'
import {
  AT_8,
  brief,
  limitsOf,
  MINUTE,
  Monitoring,
  nameOf,
  nowIn,
  other,
  readingOf,
  seriesOf,
  UNSIGNED,
} from '../../../support/limits/monitoring'

const TOO_WARM = { name: 'too warm', above: -15 }
const DAY_MINUTES = 1440

describe('a channel without values', () => {
  it('is reported once after the set time by the clock, and when it has values again', () => {
    const node = new Monitoring([TOO_WARM])
    const broken = nowIn(node)
    assert.deepEqual(node.receive([readingOf(broken, 'E1')]), [])
    assert.deepEqual(node.wait(9), [])
    node.receive([readingOf(nowIn(node), 'E1')])
    const [event, ...others] = node.wait(3)
    assert.deepEqual(others, [])
    assert.equal(event?.id, `5839F001/5212A1B2/ch1/error/${new Date(broken).toISOString()}`)
    assert.deepEqual(
      [event?.state, event?.condition, event?.detail, event?.minutes],
      ['alarm', 'error', 'E1', 10],
    )
    node.restart()
    assert.deepEqual(node.wait(15), [])
    const [over] = node.receive([readingOf(nowIn(node), -18)])
    assert.deepEqual([over?.state, over?.id, over?.minutes], ['normal', event?.id, 27])
  })

  it('is one that had a value at the same time, or that is missing in the newest record', () => {
    const node = new Monitoring([])
    const at = nowIn(node)
    node.receive(seriesOf([[at, -18, 40]]))
    node.receive(seriesOf([[at, -18, 'E1']]))
    node.receive(seriesOf([[at + MINUTE, null, 40]]))
    node.receive(seriesOf([[at + 2 * MINUTE, 4]]))
    assert.deepEqual(brief(node.wait(10)), ['alarm error 5212A1B2 2'])
  })

  it('is judged by its newest record, not by late ones, and not by rows of other channels', () => {
    const node = new Monitoring([])
    const at = nowIn(node)
    node.receive(seriesOf([[at, -18, 40]]))
    node.receive(seriesOf([[at - MINUTE, 'E1', 'E1']]))
    const { serial, base } = readingOf(at, 1)
    const row = {
      serial,
      base: base.serial,
      timestamp: at + MINUTE,
      label: 'Inside',
      unit: '°C',
      quantity: 'temperature',
    }
    node.receive({ ...row, channel: 1, value: -18 })
    node.receive({ ...row, channel: 2, value: 40 })
    // A chunk may end in the middle of a record.
    node.receive([{ ...row, timestamp: at + 2 * MINUTE, channel: 1, value: -18 }])
    node.receive([{ ...row, timestamp: at + 2 * MINUTE, channel: 2, value: 40 }])
    assert.deepEqual(node.wait(30), [])
  })
})

describe('the newest record of several', () => {
  const tells = (...values: (readonly [minute: number, value: number | null])[]) => {
    const node = new Monitoring([])
    node.receive(recordsAt(...values))
    return brief(node.wait(10))
  }

  it('shows whether a channel has a value', () => {
    assert.deepEqual(tells([0, -18], [1, null]), ['alarm error 5212A1B2 1'])
    assert.deepEqual(tells([0, null], [1, -18]), [])
  })

  it('has a value if one of its time has', () => {
    assert.deepEqual(tells([0, null], [0, -18]), [])
    assert.deepEqual(tells([0, -18], [0, null]), [])
  })
})

describe('a channel that a message does not contain', () => {
  const row = (node: Monitoring, channel: number) => {
    const about = { serial: '5212A1B2', base: '5839F001', unit: '°C', quantity: 'temperature' }
    return { ...about, channel, timestamp: nowIn(node), value: -18 }
  }
  const lives = (isArray: boolean) => {
    const node = new Monitoring([])
    node.receive([row(node, 1), row(node, 2)])
    const events: LimitEvent[] = []
    for (let minute = 0; minute < 12; minute++)
      events.push(...node.wait(1), ...node.receive(isArray ? [row(node, 1)] : row(node, 1)))
    return brief(events)
  }

  it('has no value, unless the message is a single row', () => {
    assert.deepEqual(lives(true), ['alarm error 5212A1B2 2'])
    assert.deepEqual(lives(false), [])
  })
})

describe('a low battery', () => {
  const withBattery = (node: Monitoring, level: string) =>
    node.receive([readingOf(nowIn(node), -18, { battery: { code: 4, level } })])

  const told = (node: Monitoring, level: string) =>
    withBattery(node, level)
      .filter(({ condition }) => condition === 'battery')
      .map(({ state, detail }) => `${state} ${detail}`)

  it('is reported once for each of its two levels', () => {
    const node = new Monitoring([])
    const levels = ['sufficient', 'replace-soon', 'unknown', 'replace-soon', 'replace-now', 'replace-soon']
    assert.deepEqual(
      levels.map((level) => told(node, level)),
      [[], ['alarm replace-soon'], [], [], ['alarm replace-now'], []],
    )
  })

  it('is over when its level has been better for 24 hours, also over restarts and crashes', () => {
    const node = new Monitoring([])
    const at = (minutes: number, level: string) => {
      node.wait(minutes)
      return told(node, level)
    }
    assert.deepEqual(at(1, 'replace-soon'), ['alarm replace-soon'])
    for (const level of ['low', 'replace-soon', 'low']) assert.deepEqual(at(30, level), [])
    node.kill()
    for (let halfHour = 1; halfHour < 48; halfHour++) assert.deepEqual(at(30, 'low'), [])
    node.restart()
    assert.deepEqual(at(29, 'low'), [])
    node.wait(1)
    const over = withBattery(node, 'low')
    assert.deepEqual(
      over.map(({ state, until }) => [state, Date.parse(until ?? '')]),
      [['normal', nowIn(node)]],
    )
  })

  it('is over at once if the device measured nothing for an hour, as with a new battery', () => {
    const node = new Monitoring([])
    assert.deepEqual(told(node, 'replace-now'), ['alarm replace-now'])
    node.wait(59)
    assert.deepEqual(told(node, 'sufficient'), [])
    node.wait(60)
    assert.deepEqual(told(node, 'sufficient'), ['normal replace-now'])
  })

  it('is not over because its level is unknown', () => {
    const node = new Monitoring([])
    told(node, 'replace-now')
    node.wait(60)
    assert.deepEqual(told(node, 'unknown'), [])
  })

  it('is not over at once for a device that measures once an hour', () => {
    const node = new Monitoring([])
    const hour = 60 * MINUTE
    node.receive(seriesOf([2, 1, 0].map((ago) => [nowIn(node) - ago * hour, -18])))
    node.wait(60)
    assert.deepEqual(told(node, 'replace-soon'), ['alarm replace-soon'])
    node.wait(60)
    assert.deepEqual(told(node, 'low'), [])
  })

  it('is not over because a message does not contain it', () => {
    const node = new Monitoring([])
    told(node, 'replace-now')
    node.wait(60)
    node.receive(seriesOf([[nowIn(node), -18]]))
    assert.deepEqual(told(node, 'replace-now'), [])
    assert.equal(node.monitor.summarize().alarms, 1)
  })

  it('is reported of a device that has never measured, since now', () => {
    const node = new Monitoring([])
    const [event] = node.receive([readingOf(null, null, { battery: { level: 'replace-now' } })])
    assert.deepEqual([event?.detail, event?.from], ['replace-now', new Date(nowIn(node)).toISOString()])
  })

  it('is known from rows', () => {
    const node = new Monitoring([])
    const { serial, base } = readingOf(0, 1)
    const row = {
      serial,
      base: base.serial,
      channel: 1,
      value: 1,
      timestamp: nowIn(node),
      batterylevel: 'replace-now',
    }
    assert.deepEqual(brief(node.receive([row])), ['alarm battery 5212A1B2'])
  })
})

describe('alarms', () => {
  const warm = (node: Monitoring) => node.receive([readingOf(nowIn(node), -10)])
  const cold = (node: Monitoring) => node.receive([readingOf(nowIn(node), -18)])

  it('are counted apart from what is not yet an alarm', () => {
    const node = new Monitoring([TOO_WARM, { name: 'for long', above: -15, minutes: 30 }])
    node.receive([readingOf(nowIn(node), 'E1'), other(nowIn(node), -10)])
    const { alarms, pending } = node.monitor.summarize()
    assert.deepEqual([alarms, pending], [1, 2])
  })

  it('are none of what is not watched', () => {
    const never = Number.POSITIVE_INFINITY
    const node = new Monitoring([], { errorAfterMs: never, battery: false })
    node.receive([readingOf(nowIn(node), 'E1', { battery: { level: 'replace-now' } })])
    const { alarms, pending } = node.monitor.summarize()
    assert.deepEqual([alarms, pending], [0, 0])
  })

  it('are counted, with the beginning of the oldest', () => {
    const node = new Monitoring([TOO_WARM])
    const begin = nowIn(node)
    warm(node)
    node.wait(5)
    node.receive([other(nowIn(node), -10)])
    const { alarms, since } = node.monitor.summarize()
    assert.deepEqual([alarms, since], [2, begin])
  })

  it('are repeated as long as they last, until they are acknowledged', () => {
    const node = new Monitoring([TOO_WARM], { remindMs: 15 * MINUTE })
    warm(node)
    assert.deepEqual(brief(node.wait(31)), ['reminder above 5212A1B2 1', 'reminder above 5212A1B2 1'])
    node.command(({ alarms }) => alarms.acknowledge(['5212A1B2'], UNSIGNED))
    node.restart()
    assert.deepEqual(node.wait(40), [])
    assert.deepEqual(brief(cold(node)), ['normal above 5212A1B2 1'])
    assert.deepEqual(brief(warm(node)), [])
    node.wait(1)
    assert.deepEqual(brief(warm(node)), ['alarm above 5212A1B2 1'])
    assert.deepEqual(brief(node.wait(15)), ['reminder above 5212A1B2 1'])
  })

  it('are repeated even if the node restarts more often than that', () => {
    const node = new Monitoring([{ ...TOO_WARM, minutes: 30 }], { remindMs: 60 * MINUTE })
    warm(node)
    node.wait(30)
    assert.deepEqual(brief(warm(node)), ['alarm above 5212A1B2 1'])
    for (const minutes of [35, 23]) {
      assert.deepEqual(node.wait(minutes), [])
      node.restart()
    }
    assert.deepEqual(brief(node.wait(2)), ['reminder above 5212A1B2 1'])
  })

  it('are limited to 100 at a time; the others follow with the next message, ends are not limited', () => {
    const node = new Monitoring([TOO_WARM])
    const all = (value: number) =>
      Array.from({ length: 230 }, (_, index) =>
        readingOf(nowIn(node), value, { serial: `5212B${String(index).padStart(3, '0')}` }),
      )
    const counts = (events: readonly LimitEvent[]) => [events.length, events.at(-1)?.leftOut]
    assert.deepEqual(counts(node.receive(all(-10))), [101, 130])
    assert.deepEqual(node.monitor.alarms.alarms().length, 101)
    assert.deepEqual(counts(node.receive(all(-10))), [101, 30])
    assert.deepEqual(node.wait(1), [])
    assert.deepEqual(counts(node.receive(all(-10))), [30, undefined])
    node.wait(1)
    assert.equal(node.receive(all(-18)).length, 230)
  })

  it('are limited to 100 together with what was over within the message', () => {
    const node = new Monitoring([TOO_WARM])
    const all = (...records: (readonly [minute: number, value: number])[]) =>
      Array.from({ length: 60 }, (_, index) => ({ ...recordsAt(...records), serial: `5212B${100 + index}` }))
    node.receive(all([0, -18]))
    const events = node.receive(all([1, -10], [2, -18], [3, -10]))
    const count = (one: string) => events.filter(({ state, leftOut }) => !leftOut && state === one).length
    assert.deepEqual([count('alarm'), count('ended'), events.at(-1)?.leftOut], [60, 40, 20])
    node.wait(1)
    const over = node.receive(all([4, -18], [5, -10], [6, -18], [7, -10], [8, -18]))
    assert.deepEqual([over.length, over.at(-1)?.leftOut], [161, 20])
  })

  it('may be 100 without a word about others', () => {
    const node = new Monitoring([TOO_WARM])
    const all = Array.from({ length: 100 }, (_, index) =>
      readingOf(nowIn(node), -10, { serial: `5212B${100 + index}` }),
    )
    assert.equal(node.receive(all).length, 100)
    assert.equal(node.monitor.alarms.alarms().length, 100)
  })

  it('are the same after a crash, without what was already told', () => {
    const node = new Monitoring([{ ...TOO_WARM, minutes: 5 }])
    cold(node)
    node.wait(1)
    const from = nowIn(node)
    warm(node)
    node.kill()
    node.wait(5)
    const [alarm] = warm(node)
    assert.equal(alarm?.from, new Date(from).toISOString())
    node.kill()
    node.wait(1)
    assert.deepEqual(warm(node), [])
    assert.deepEqual(brief(cold(node)), [])
    node.wait(1)
    assert.deepEqual(brief(cold(node)), ['normal above 5212A1B2 1'])
  })

  it('of forgotten devices are gone', () => {
    const node = new Monitoring([TOO_WARM])
    warm(node)
    node.command((monitor) => monitor.forget(['5212A1B2']))
    assert.deepEqual(node.monitor.summarize(), {
      ...node.monitor.summarize(),
      alarms: 0,
      since: null,
      devices: 0,
    })
    assert.deepEqual(brief(warm(node)), ['alarm above 5212A1B2 1'])
  })
})

describe('names', () => {
  it('and errors are cut after 100 characters, not in one that has two halves', () => {
    const long = `x${'😀'.repeat(100)}`
    const cut = `x${'😀'.repeat(99)}`
    const node = new Monitoring([TOO_WARM])
    const broken = { name: long, channels: [{ ...readingOf(0, long).channels[0], name: long }] }
    node.receive([readingOf(nowIn(node), long, broken)])
    const [event] = node.wait(12)
    assert.deepEqual([event?.name, event?.label, event?.detail], [cut, cut, cut])
  })

  // Every object has properties of these names.
  for (const name of ['__proto__', 'constructor', 'toString']) {
    it(`may be ${name}: the alarm of such a limit and the mute of such a device outlive a restart`, () => {
      const node = new Monitoring([{ name, above: -15 }])
      const freezer = () => readingOf(nowIn(node), -10, { serial: name })
      assert.deepEqual(brief(node.receive([freezer()])), [`alarm above ${name} 1`])
      node.command(({ alarms }) => alarms.mute(30 * MINUTE, [name], UNSIGNED))
      node.restart()
      node.wait(1)
      assert.deepEqual(node.receive([freezer()]), [])
      assert.notEqual(node.monitor.alarms.mutes.since(name), undefined)
    })
  }
})

describe('a message', () => {
  const broken = [
    ['serial', { serial: '52A1/002' }],
    ['serial', { serial: 'x'.repeat(101) }],
    ['base.serial', { base: { serial: 'A/B' } }],
    ['channels', { channels: [{ number: 100, unit: '°C', quantity: 'temperature', value: 5 }] }],
    ['channels', { channels: [{ number: 1 }, { number: 100 }] }],
    ['channels', { channels: undefined, records: [] }],
    ['timestamp', { timestamp: '2026-11-20T08:00:00Z' }],
    ['records', { records: 5 }],
    ['records', { records: [{ timestamp: AT_8 }, { timestamp: '2026-11-20T08:00:00Z' }] }],
  ] as const
  for (const [property, more] of broken) {
    it(`with a device that cannot be judged has the others judged: ${property} ${JSON.stringify(more).slice(0, 60)}`, () => {
      const node = new Monitoring([TOO_WARM])
      const { devices, problem } = readMeasurements([
        readingOf(nowIn(node), -10),
        readingOf(nowIn(node), -10, { name: 'Odd', ...more }),
        other(nowIn(node), -10),
      ])
      assert.deepEqual(
        devices.map(({ serial }) => serial),
        ['5212A1B2', '5212A1B3'],
      )
      assert.equal(problem?.code, 'ENVLOG_INPUT')
      assert.match(`${problem.params.elements}`, new RegExp(`${property}$`))
    })
  }

  it('with rows that cannot be judged has the others judged, and names the first three', () => {
    const row = { serial: '5212A1B2', base: '5839F001', channel: 1, timestamp: AT_8, value: -10 }
    const broken = [
      { base: 'A/B' },
      { serial: 'A/B' },
      { channel: 100 },
      { timestamp: 'now' },
      { value: '5' },
    ]
    const { devices, problem } = readMeasurements([row, ...broken.map((more) => ({ ...row, ...more }))])
    assert.deepEqual(
      devices.map(({ base, serial, channels }) => [
        base,
        serial,
        channels.find(({ number }) => number === 1)?.values.length,
      ]),
      [['5839F001', '5212A1B2', 1]],
    )
    assert.deepEqual(problem?.params, {
      count: 5,
      of: 6,
      elements: '5212A1B2 base, serial, 5212A1B2 channel, …',
    })
  })

  it('with the event of an alarm is none of measurements', () => {
    const node = new Monitoring([TOO_WARM])
    const [event] = node.receive(readingOf(nowIn(node), -10))
    assert.throws(() => readMeasurements(event), { reason: 'measurements-unreadable', code: 'ENVLOG_INPUT' })
  })

  it('with too many devices has those watched that there is room for', () => {
    const { monitor, clock } = new Monitoring([])
    const about = { base: { serial: '5839F001' }, timestamp: clock.now(), channels: [] }
    const fleet = Array.from({ length: 100_001 }, (_, index) => ({ ...about, serial: `${index}` }))
    const { devices } = readMeasurements(fleet)
    assert.throws(() => monitor.receive(devices, []), { reason: 'too-many-channels' })
    assert.equal(monitor.summarize().devices, 100_000)
  })

  it('with too many channels has those judged that there is room for', () => {
    const { monitor, clock } = new Monitoring([])
    const channels = Array.from({ length: 99 }, (_, index) => ({ number: index + 1, value: -20 }))
    const fleet = Array.from({ length: 1012 }, (_, index) =>
      readingOf(clock.now(), -20, { serial: `${index}`, channels }),
    )
    const { devices } = readMeasurements(fleet)
    assert.throws(() => monitor.receive(devices, []), { reason: 'too-many-channels' })
    const { states } = monitor.alarms.collect()
    const judged = states.filter(({ kind }) => kind === 'error')
    const last = judged.at(-1)?.about
    assert.deepEqual([last?.device?.serial, last?.channel?.number], ['1010', 10])
    // A known channel is judged also if one without room stands before it.
    const more = [{ number: 50, value: -20 }, ...channels.slice(0, 10)]
    const newer = clock.now() + MINUTE
    const again = readMeasurements([readingOf(newer, -20, { serial: '1010', channels: more })])
    assert.throws(() => monitor.receive(again.devices, []), { reason: 'too-many-channels' })
    assert.equal(last?.device?.newest, newer)
    monitor.forget(['0'])
    const { devices: others } = readMeasurements([readingOf(newer, -20, { serial: 'new', channels })])
    monitor.receive(others, [])
    assert.equal(monitor.summarize().devices, 1012)
  })
})

describe('the watched devices', () => {
  it('have the first value of a channel judged, also after rows of another channel of that time', () => {
    const node = new Monitoring([TOO_WARM])
    const rowOf = (channel: number) => {
      const about = { serial: '5212A1B2', base: '5839F001', unit: '°C', quantity: 'temperature' }
      return [{ ...about, channel, timestamp: nowIn(node), value: -5 }]
    }
    const events = [1, 2].flatMap((channel) => node.receive(rowOf(channel)))
    assert.deepEqual(brief(events), ['alarm above 5212A1B2 1', 'alarm above 5212A1B2 2'])
  })

  it('are judged without a break by equal limits that are read anew for each message', () => {
    const node = new Monitoring([])
    const frozen = limitsOf({ above: -15, minutes: 5 })
    const events: LimitEvent[] = []
    for (let minute = 0; minute < 12; minute++) {
      events.push(...node.wait(1))
      events.push(...node.receive([readingOf(nowIn(node), -10)], structuredClone(frozen)))
      if (minute === 3) node.restart()
    }
    assert.deepEqual(brief(events), ['alarm above 5212A1B2 1'])
  })

  it('keep the quantity of a channel while a message does not say it, and lose it with another unit', () => {
    const node = new Monitoring([{ quantity: 'humidity', above: 80 }])
    const send = (unit: string, quantity: string | null) => {
      node.wait(1)
      const channels = [{ number: 1, name: 'Damp', unit, quantity, value: 90, error: null }]
      node.receive([readingOf(nowIn(node), 90, { channels })])
      return node.monitor.summarize().alarms
    }
    const units = [
      ['%', 'humidity'],
      ['%', null],
      ['', null],
      ['rpm', null],
    ] as const
    assert.deepEqual(
      units.map(([unit, quantity]) => send(unit, quantity)),
      [1, 1, 1, 0],
    )
  })

  it('have a quantity that becomes known later, also with the same unit', () => {
    const node = new Monitoring([{ quantity: 'humidity', above: 80 }])
    const alarms = [null, 'humidity'].map((quantity) => {
      node.wait(1)
      const channels = [{ number: 1, name: 'Damp', unit: '%', quantity, value: 90, error: null }]
      node.receive([readingOf(nowIn(node), 90, { channels })])
      return node.monitor.summarize().alarms
    })
    assert.deepEqual(alarms, [0, 1])
  })

  it('keep their names and the offset of their clock if a message does not contain them', () => {
    const node = new Monitoring([TOO_WARM])
    node.receive([readingOf(nowIn(node), -18), other(nowIn(node), -18)])
    node.wait(1)
    for (const serial of ['5212A1B2', '5212A1B3'])
      node.receive([{ serial, base: '5839F001', channel: 1, timestamp: nowIn(node), value: -5 }])
    const [alarm] = node.monitor.alarms.alarms()
    assert.deepEqual([alarm?.event.name, alarm?.event.label, alarm?.utcOffset], ['Freezer 3', 'Inside', 540])
    for (let minute = 0; minute < 75; minute++) {
      node.wait(1)
      node.receive(readingOf(nowIn(node), -18, { serial: '5212C1', base: { serial: '5839F002' } }))
    }
    const silent = node.monitor.alarms.alarms().find(({ event }) => event.condition === 'silent')
    assert.equal(silent?.event.name, 'Hall 1')
  })

  it('have each state sent when it is first judged, and none before', () => {
    const node = new Monitoring([TOO_WARM])
    assert.deepEqual([...node.monitor.conditions()], [])
    const states = ['unknown', 'sufficient', 'sufficient'].map((level) => {
      node.wait(1)
      node.receive([readingOf(nowIn(node), -18, { battery: { level } })])
      return node.sent.states.splice(0).sort()
    })
    const conditions = ['error 5212A1B2', 'no-data', 'silent 5212A1B2', 'too warm 5212A1B2']
    assert.deepEqual(states, [
      conditions.map((condition) => `${condition} false`),
      ['battery 5212A1B2 false'],
      [],
    ])
    const judged = () => [...node.monitor.conditions()].map(nameOf).sort()
    assert.deepEqual(judged(), ['battery 5212A1B2', ...conditions])
    node.restart()
    assert.ok(judged().includes('battery 5212A1B2'))
    node.receive([readingOf(nowIn(node), -18, { battery: { level: 'sufficient' } })])
    assert.deepEqual(
      node.sent.states.filter((state) => state.startsWith('battery')),
      [],
    )
  })

  it('are judged from then on if the quantity of a channel becomes known', () => {
    const node = new Monitoring([TOO_WARM])
    const begin = nowIn(node)
    const send = (minutes: number[], unit: string, quantity: string | null) =>
      node.receive(
        seriesOf(
          minutes.map((minute) => [begin + minute * MINUTE, -5] as const),
          { channels: [{ key: 'ch1', number: 1, name: 'Inside', unit, quantity }] },
        ),
      )
    assert.deepEqual(send([0], '', null), [])
    const [alarm] = send([0, 1], '°C', 'temperature')
    assert.equal(alarm?.from, new Date(begin + MINUTE).toISOString())
  })

  it('have no run of a row that is another one now, and keep that of one that is for others, too', () => {
    const row = { name: 'band', above: -15, below: -30, minutes: 0, margin: 0 }
    const lastsWith = (changed: object) => {
      const node = new Monitoring([row])
      node.receive([readingOf(nowIn(node), -10)])
      node.restart([{ ...row, ...changed }])
      return node.monitor.summarize().alarms === 1
    }
    const changes = [
      { name: 'other' },
      { above: -14 },
      { below: -31 },
      { unit: 'F' },
      { minutes: 1 },
      { margin: 1 },
    ]
    assert.deepEqual(
      changes.map(lastsWith),
      changes.map(() => false),
    )
    assert.equal(lastsWith({ bases: ['5839F001'] }), true)
  })

  it('have a usual interval: that at which they measure or, if it is longer, send; an outage is none', () => {
    const node = new Monitoring([])
    const minutes = () => node.monitor.usualPause / MINUTE
    const send = (after: number) => {
      node.wait(after)
      node.receive([readingOf(nowIn(node), -18)])
      return minutes()
    }
    assert.equal(send(0), 0)
    // One of two waits may be an outage.
    assert.deepEqual([send(60), send(60), send(300), send(60), send(5), send(5)], [0, 60, 60, 60, 5, 5])
    const records = [0, 30, 60].map((minute) => [nowIn(node) + minute * MINUTE, -18] as const)
    node.receive(seriesOf(records))
    assert.equal(minutes(), 30)
  })

  it('are forgotten after 30 days without a message, also over restarts', () => {
    const node = new Monitoring([TOO_WARM], { silentAfterMs: Number.POSITIVE_INFINITY })
    node.receive([readingOf(nowIn(node), -10), other(nowIn(node), -18)])
    for (let day = 0; day < 30; day++) {
      assert.equal(node.monitor.summarize().devices, 2)
      node.clock.advance(DAY_MINUTES * MINUTE)
      node.receive([other(nowIn(node), -18)])
      node.wait(1)
      if (day % 10 === 5) node.restart()
    }
    assert.deepEqual([node.monitor.summarize().devices, node.monitor.summarize().alarms], [1, 0])
  })
})
