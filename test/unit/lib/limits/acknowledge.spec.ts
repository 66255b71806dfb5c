import assert from 'node:assert/strict'
import { inMinutes, isCold, recordsIn, warmIn } from '../../../support/limits/minutes'
import { brief, MINUTE, Monitoring, nowIn, other, readingOf } from '../../../support/limits/monitoring'

const TOO_WARM = { name: 'too warm', above: -15 }
const CRITICAL = { name: 'critical', above: -5 }
const NEVER = Number.POSITIVE_INFINITY

const measure = (node: Monitoring, value: number) => {
  node.clock.advance(MINUTE)
  return node.receive([readingOf(nowIn(node), value)])
}
const SIGNED = { by: 'night shift', note: 'door was open', ms: null }
const acknowledge = (node: Monitoring, of: readonly string[] | 'all' = 'all', more: object = {}) =>
  node.command(({ alarms }) => alarms.acknowledge(of, { ...SIGNED, ...more }))
const unacknowledged = (node: Monitoring) => node.monitor.summarize().unacknowledged
const signatureIn = (node: Monitoring) => ({
  at: new Date(nowIn(node)).toISOString(),
  by: SIGNED.by,
  note: SIGNED.note,
})

describe('acknowledging', () => {
  it('is an event, and who did it is in all later events about the alarm, also over restarts and crashes', () => {
    const node = new Monitoring([TOO_WARM], { remindMs: 15 * MINUTE })
    const [alarm] = measure(node, -10)
    assert.equal(alarm?.acknowledged, null)
    const [event, ...others] = acknowledge(node)
    const acknowledged = signatureIn(node)
    assert.deepEqual(
      [event?.state, event?.id, event?.acknowledged],
      ['acknowledged', alarm?.id, acknowledged],
    )
    assert.deepEqual(others, [])
    node.kill()
    assert.deepEqual(node.wait(30), [])
    const [reminder] = node.monitor.alarms.alarms()
    assert.deepEqual(reminder?.event.acknowledged, acknowledged)
    node.restart()
    const [normal] = measure(node, -18)
    assert.deepEqual([normal?.state, normal?.acknowledged], ['normal', acknowledged])
    assert.equal(unacknowledged(node), 0)
  })

  it('is possible once an alarm is over, also over a crash', () => {
    const node = new Monitoring([TOO_WARM])
    measure(node, -18)
    measure(node, -10)
    measure(node, -18)
    node.kill()
    assert.equal(unacknowledged(node), 1)
    const [event] = acknowledge(node)
    assert.deepEqual([event?.state, event?.until !== null], ['acknowledged', true])
    node.kill()
    assert.deepEqual([unacknowledged(node), acknowledge(node)], [0, []])
  })

  it('is about one alarm if its id is named, and about all of a device or silent base unit by its number', () => {
    const node = new Monitoring([TOO_WARM, CRITICAL])
    node.receive([readingOf(nowIn(node), -18), other(nowIn(node), -18)])
    node.clock.advance(MINUTE)
    const events = node.receive([readingOf(nowIn(node), 0), other(nowIn(node), -10)])
    const critical = events.find(({ limit }) => limit === 'critical')
    assert.deepEqual(
      acknowledge(node, [critical?.id ?? '', 'unknown']).map(({ limit }) => limit),
      ['critical'],
    )
    assert.deepEqual(brief(acknowledge(node, ['5212A1B3'])), ['acknowledged above 5212A1B3 1'])
    assert.equal(unacknowledged(node), 1)
    // Another base unit measures.
    for (let minute = 0; minute < 65; minute++) {
      node.wait(1)
      node.receive(readingOf(nowIn(node), -18, { serial: '5212C1', base: { serial: '5839F002' } }))
    }
    const [base] = acknowledge(node, ['5839F001'])
    assert.deepEqual([base?.condition, base?.serial, base?.detail], ['silent', null, '2'])
    assert.equal(unacknowledged(node), 1)
  })

  it('is repeated only for an alarm that lasts and is named', () => {
    const node = new Monitoring([TOO_WARM])
    measure(node, -18)
    const [alarm] = measure(node, -10)
    const id = alarm?.id ?? ''
    const namesOf = (events: ReturnType<typeof acknowledge>) => events.map((event) => event.acknowledged?.by)
    assert.deepEqual(namesOf(acknowledge(node, 'all', { by: 'first' })), ['first'])
    assert.deepEqual(namesOf(acknowledge(node, 'all', { by: 'second' })), [])
    assert.deepEqual(namesOf(acknowledge(node, [id], { by: 'third' })), ['third'])
    assert.deepEqual(namesOf(acknowledge(node, ['5212A1B2'], { by: 'fourth' })), ['fourth'])
    const [normal] = measure(node, -18)
    assert.equal(normal?.acknowledged?.by, 'fourth')
    assert.deepEqual(acknowledge(node, [id, '5212A1B2']), [])
  })

  it('does not concern what is not yet an alarm', () => {
    const node = new Monitoring([{ ...TOO_WARM, minutes: 30 }])
    measure(node, -10)
    const id = `5839F001/5212A1B2/ch1/too warm/${new Date(nowIn(node)).toISOString()}`
    assert.deepEqual(acknowledge(node, [id, '5212A1B2']), [])
  })

  it('does not concern what a mute holds back, unless its id is named', () => {
    const node = new Monitoring([TOO_WARM])
    measure(node, -18)
    node.command(({ alarms }) => alarms.mute(60 * MINUTE, 'all', SIGNED))
    measure(node, -10)
    assert.equal(unacknowledged(node), 0)
    assert.deepEqual([acknowledge(node), acknowledge(node, ['5212A1B2'])], [[], []])
    const [listed] = node.monitor.alarms.alarms()
    assert.deepEqual(brief(acknowledge(node, [listed?.event.id ?? ''])), ['acknowledged above 5212A1B2 1'])
    const told = node.command(({ alarms }) => alarms.mute(0, 'all', SIGNED))
    assert.deepEqual(
      told.map(({ state, acknowledged }) => [state, acknowledged?.by]),
      [
        ['unmuted', SIGNED.by],
        ['alarm', SIGNED.by],
      ],
    )
    assert.equal(unacknowledged(node), 0)
  })

  it('is kept while a mute holds the alarm back, also with further values, over a restart and at its end', () => {
    const changes: [change: (node: Monitoring) => unknown, states: string[]][] = [
      [(node) => measure(node, -9), ['unmuted', 'alarm']],
      [(node) => node.kill(), ['unmuted', 'alarm']],
      [(node) => measure(node, -18), ['unmuted']],
    ]
    for (const [change, states] of changes) {
      const node = new Monitoring([TOO_WARM], { remindMs: 15 * MINUTE })
      measure(node, -18)
      node.command(({ alarms }) => alarms.mute(60 * MINUTE, 'all', SIGNED))
      measure(node, -10)
      const [listed] = node.monitor.alarms.alarms()
      acknowledge(node, [listed?.event.id ?? ''])
      change(node)
      const told = node.command(({ alarms }) => alarms.mute(0, 'all', SIGNED))
      assert.deepEqual(
        told.map(({ state }) => state),
        states,
      )
      const kept = told[1] ?? node.monitor.alarms.history(0)[0]?.event
      assert.deepEqual([kept?.id, kept?.acknowledged?.by], [listed?.event.id, SIGNED.by])
      assert.equal(unacknowledged(node), 0)
    }
  })

  it('keeps the name of who has acknowledged it as it was given', () => {
    const node = new Monitoring([TOO_WARM])
    measure(node, -10)
    const [event] = acknowledge(node, 'all', { by: '😀'.repeat(100) })
    assert.equal(event?.acknowledged?.by, '😀'.repeat(100))
  })

  it('is kept if values that arrive later put the alarm right, also over a restart', () => {
    const node = new Monitoring([{ ...TOO_WARM, minutes: 10 }])
    node.receive(recordsIn(-9, 0, isCold))
    node.receive(recordsIn(60, 100, warmIn([60, 80])))
    acknowledge(node)
    node.restart()
    const [revised] = node.receive(recordsIn(0, 60, warmIn([50, 60])))
    assert.deepEqual(revised && inMinutes(revised), 'ended late revised above 50-80')
    assert.equal(revised?.acknowledged?.by, SIGNED.by)
    assert.equal(unacknowledged(node), 0)
  })

  for (const name of ['__proto__', 'constructor'])
    it(`reaches a limit and a device called ${name}, also after a restart`, () => {
      const node = new Monitoring([{ name, above: -15 }])
      const freezer = (value: number) => {
        node.clock.advance(MINUTE)
        return node.receive(readingOf(nowIn(node), value, { serial: name }))
      }
      for (const value of [-18, -10, -18]) freezer(value)
      node.restart()
      assert.deepEqual(brief(acknowledge(node, [name])), [`acknowledged above ${name} 1`])
      assert.deepEqual(node.monitor.alarms.history(0)[0]?.event.limit, name)
    })
})

describe('acknowledging for some time', () => {
  const start = () => {
    const node = new Monitoring([TOO_WARM], { remindMs: 15 * MINUTE, silentAfterMs: NEVER })
    measure(node, -10)
    acknowledge(node, 'all', { ms: 60 * MINUTE })
    return node
  }

  it('ends reminders for that time only, also over a restart and a crash', () => {
    for (const stop of ['restart', 'kill'] as const) {
      const node = start()
      assert.deepEqual(node.wait(30), [])
      node[stop]()
      assert.deepEqual(node.wait(29), [])
      assert.deepEqual(brief(node.wait(16)), ['reminder above 5212A1B2 1', 'reminder above 5212A1B2 1'])
      assert.equal(unacknowledged(node), 0)
    }
  })

  it('is as long if the clock is set, and no longer after a restart if it was set back', () => {
    for (const days of [-1, 1]) {
      const node = start()
      node.clock.jump(days * 1440 * MINUTE)
      assert.deepEqual(node.wait(59), [])
      assert.deepEqual(brief(node.wait(1)), ['reminder above 5212A1B2 1'])
    }
    const node = start()
    node.clock.jump(-1440 * MINUTE)
    node.restart()
    assert.deepEqual(node.wait(59), [])
    assert.deepEqual(brief(node.wait(1)), ['reminder above 5212A1B2 1'])
  })
})

describe('the number of alarms that nobody has acknowledged', () => {
  it('counts what was reported, lasts or is over', () => {
    const node = new Monitoring([TOO_WARM, CRITICAL])
    measure(node, -18)
    measure(node, 0)
    assert.equal(unacknowledged(node), 2)
    measure(node, -10)
    assert.deepEqual([node.monitor.summarize().alarms, unacknowledged(node)], [1, 2])
    acknowledge(node)
    assert.equal(unacknowledged(node), 0)
  })

  it('does not count what a mute held back, but counts what it reports at its end', () => {
    const node = new Monitoring([TOO_WARM], { silentAfterMs: NEVER })
    node.receive(recordsIn(-9, 1, isCold))
    node.clock.jump(400 * MINUTE)
    node.command(({ alarms }) => alarms.mute(60 * MINUTE, 'all', SIGNED))
    node.wait(10)
    node.receive(recordsIn(1, 411, warmIn([100, 340], [402, 408])))
    assert.equal(unacknowledged(node), 0)
    node.kill()
    node.wait(50)
    assert.equal(unacknowledged(node), 1)
    node.kill()
    assert.equal(unacknowledged(node), 1)
  })

  it('does not count what was acknowledged by its id while a mute held it back', () => {
    const node = new Monitoring([TOO_WARM], { silentAfterMs: NEVER })
    node.receive(recordsIn(-9, 1, isCold))
    node.clock.jump(400 * MINUTE)
    node.command(({ alarms }) => alarms.mute(60 * MINUTE, 'all', SIGNED))
    node.receive(recordsIn(1, 400, warmIn([100, 340])))
    const [held] = node.monitor.alarms.history(0)
    acknowledge(node, [held?.event.id ?? ''])
    assert.deepEqual(node.wait(60).map(inMinutes).slice(1), ['ended above 100-340'])
    assert.equal(unacknowledged(node), 0)
  })

  it('does not count what is no longer watched', () => {
    const changes: ((node: Monitoring) => void)[] = [
      (node) => node.restart([{ ...TOO_WARM, above: -14 }]),
      (node) => node.command((monitor) => monitor.forget(['5212A1B2'])),
      (node) => node.command((monitor) => monitor.forget('all')),
    ]
    for (const change of changes) {
      const node = new Monitoring([TOO_WARM])
      for (const value of [-18, -10, -18, -10]) measure(node, value)
      assert.equal(unacknowledged(node), 2)
      change(node)
      assert.equal(unacknowledged(node), 0)
      node.restart()
      measure(node, -18)
      assert.equal(unacknowledged(node), 0)
    }
  })

  it('counts the silence of a base unit until none of its devices is watched', () => {
    const node = new Monitoring([])
    const serials = ['5212B1', '5212B2']
    const all = () => serials.map((serial) => readingOf(nowIn(node), -18, { serial }))
    node.receive(all())
    for (let minute = 0; minute < 75; minute++) {
      node.wait(1)
      node.receive(readingOf(nowIn(node), -18, { serial: '5212C1', base: { serial: '5839F002' } }))
    }
    node.receive(all())
    node.wait(1)
    const counts = serials.map((serial) => {
      node.command((monitor) => monitor.forget([serial]))
      return unacknowledged(node)
    })
    assert.deepEqual(counts, [1, 0])
  })

  it('does not count what a mute held back of a limit that was changed meanwhile, although it is reported', () => {
    const node = new Monitoring([TOO_WARM], { silentAfterMs: NEVER })
    node.receive(recordsIn(-9, 1, isCold))
    node.clock.jump(400 * MINUTE)
    node.command(({ alarms }) => alarms.mute(60 * MINUTE, 'all', SIGNED))
    node.receive(recordsIn(1, 400, warmIn([100, 340])))
    node.restart([{ ...TOO_WARM, above: -14 }])
    node.restart()
    assert.deepEqual(node.wait(60).map(inMinutes).slice(1), ['ended above 100-340'])
    assert.equal(unacknowledged(node), 0)
  })

  it('does not count an error that is switched off, and counts it until then', () => {
    const node = new Monitoring([TOO_WARM])
    node.receive([readingOf(nowIn(node), 'E1')])
    node.wait(10)
    measure(node, -18)
    node.restart()
    assert.equal(unacknowledged(node), 1)
    node.restart(undefined, { errorAfterMs: NEVER })
    assert.equal(unacknowledged(node), 0)
  })
})
