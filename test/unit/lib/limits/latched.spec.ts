import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import type { LimitEvent } from '../../../../src/lib/limits/event'
import { isCold, recordsIn, warmIn } from '../../../support/limits/minutes'
import {
  MINUTE,
  Monitoring,
  nameOf,
  nowIn,
  readingOf,
  seriesOf,
  UNSIGNED,
} from '../../../support/limits/monitoring'

const TOO_WARM = { name: 'too warm', above: -15 }
const NEVER = Number.POSITIVE_INFINITY
const LIMITS_ONLY = { errorAfterMs: NEVER, silentAfterMs: NEVER, battery: false }

const measure = (node: Monitoring, value: number, more: object = {}) => {
  node.clock.advance(MINUTE)
  node.receive(readingOf(nowIn(node), value, more))
}
const acknowledge = (node: Monitoring, of: readonly string[] | 'all' = 'all') =>
  node.command(({ alarms }) => alarms.acknowledge(of, UNSIGNED))
/** The states that were sent since the last call. */
const sentBy = ({ sent }: Monitoring) => {
  const { states, latched } = sent
  return { states: states.splice(0), latched: latched.splice(0) }
}
const both = (...states: string[]) => ({ states, latched: states })

describe('a state that is kept until it is acknowledged', () => {
  it('stays true after the end until somebody acknowledges the alarm', () => {
    const node = new Monitoring([TOO_WARM], LIMITS_ONLY)
    measure(node, -18)
    assert.deepEqual(sentBy(node), both('too warm 5212A1B2 false'))
    measure(node, -10)
    assert.deepEqual(sentBy(node), both('too warm 5212A1B2 true'))
    measure(node, -18)
    assert.deepEqual(sentBy(node), { states: ['too warm 5212A1B2 false'], latched: [] })
    node.restart()
    measure(node, -18)
    assert.deepEqual(sentBy(node), both())
    acknowledge(node)
    assert.deepEqual(sentBy(node), { states: [], latched: ['too warm 5212A1B2 false'] })
    node.kill()
    assert.deepEqual(sentBy(node), both())
  })

  it('turns false at the end if somebody has acknowledged the alarm before', () => {
    const node = new Monitoring([TOO_WARM], LIMITS_ONLY)
    measure(node, -10)
    acknowledge(node)
    node.kill()
    sentBy(node)
    measure(node, -18)
    assert.deepEqual(sentBy(node), both('too warm 5212A1B2 false'))
  })

  it('turns true for what was over within a message, or came late', () => {
    const node = new Monitoring([TOO_WARM], LIMITS_ONLY)
    node.receive(recordsIn(-9, 0, isCold))
    sentBy(node)
    node.receive(recordsIn(0, 30, warmIn([10, 20])))
    assert.deepEqual(sentBy(node), { states: [], latched: ['too warm 5212A1B2 true'] })
    acknowledge(node)
    node.receive(recordsIn(60, 90, isCold))
    sentBy(node)
    node.receive(recordsIn(30, 60, warmIn([40, 50])))
    assert.deepEqual(sentBy(node), { states: [], latched: ['too warm 5212A1B2 true'] })
    const [condition] = [...node.monitor.conditions()].filter((one) => nameOf(one).startsWith('too warm'))
    assert.ok(condition)
    const { event } = node.monitor.alarms.toLatchedState(condition)
    assert.deepEqual([event.state, event.minutes, event.late], ['ended', 10, true])
    acknowledge(node)
    const { event: normal } = node.monitor.alarms.toLatchedState(condition)
    assert.deepEqual([normal.state, normal.condition], ['normal', null])
  })

  it('needs all alarms of its condition acknowledged', () => {
    const node = new Monitoring([TOO_WARM], LIMITS_ONLY)
    node.receive(recordsIn(-9, 0, isCold))
    const [first, second] = node.receive(recordsIn(0, 60, warmIn([10, 20], [30, 40])))
    sentBy(node)
    acknowledge(node, [second?.id ?? ''])
    assert.deepEqual(sentBy(node), both())
    acknowledge(node, [first?.id ?? ''])
    assert.deepEqual(sentBy(node).latched, ['too warm 5212A1B2 false'])
  })

  it('turns false if the limit changes, or what was over is no longer watched', () => {
    const node = new Monitoring([TOO_WARM], { silentAfterMs: NEVER })
    for (const value of [-18, -10, -18]) measure(node, value)
    node.receive(readingOf(nowIn(node) + MINUTE, -18, { battery: { level: 'replace-now' } }))
    node.wait(70)
    measure(node, -18)
    node.restart([{ ...TOO_WARM, above: -14 }], { battery: false })
    sentBy(node)
    measure(node, -18)
    assert.deepEqual(sentBy(node).latched.sort(), [
      'battery 5212A1B2 false',
      'too warm 5212A1B2 false',
      'too warm 5212A1B2 false',
    ])
  })

  it('turns true when a mute that has held the alarm back ends, also over a restart', () => {
    const node = new Monitoring([TOO_WARM], LIMITS_ONLY)
    node.receive(recordsIn(-9, 1, isCold))
    node.clock.jump(400 * MINUTE)
    const mute = (minutes: number) =>
      node.command(({ alarms }) => alarms.mute(minutes * MINUTE, 'all', UNSIGNED))
    mute(60)
    node.receive(recordsIn(1, 400, warmIn([100, 340])))
    node.restart()
    sentBy(node)
    mute(0)
    assert.deepEqual(sentBy(node), { states: [], latched: ['too warm 5212A1B2 true'] })
  })

  it('turns false if the alarm is dropped because the history has more than 200 others', () => {
    const node = new Monitoring([TOO_WARM], LIMITS_ONLY)
    const serials = Array.from({ length: 201 }, (_, index) => `5212B${100 + index}`)
    const all = (value: number) => serials.map((serial) => readingOf(nowIn(node), value, { serial }))
    node.receive(all(-10))
    node.clock.advance(MINUTE)
    // At most 100 are reported at a time.
    for (let count = 0; count < 2; count++) node.receive([])
    node.receive(all(-18).slice(0, 200))
    sentBy(node)
    node.receive(all(-18))
    assert.deepEqual(
      node.monitor.alarms.history(0).map(({ event }) => event.serial),
      serials.slice(1),
    )
    assert.deepEqual(sentBy(node).latched, ['too warm 5212B100 false'])
  })

  it('of a battery is kept over a restart, although its alarm is over', () => {
    const node = new Monitoring([], { silentAfterMs: NEVER })
    measure(node, -18, { battery: { level: 'replace-now' } })
    node.wait(70)
    measure(node, -18)
    node.restart()
    sentBy(node)
    measure(node, -18)
    assert.deepEqual(sentBy(node), both())
    assert.ok([...node.monitor.conditions()].some((one) => nameOf(one) === 'battery 5212A1B2'))
    acknowledge(node)
    assert.deepEqual(sentBy(node), { states: [], latched: ['battery 5212A1B2 false'] })
  })

  it('of the silence of a device is kept until that of its base unit is acknowledged', () => {
    const node = new Monitoring([])
    const serials = ['5212B1', '5212B2']
    const receive = () => {
      for (const serial of serials) measure(node, -18, { serial })
    }
    const silentIn = (states: readonly string[]) => states.filter((state) => state.startsWith('silent 5212B'))
    receive()
    for (let minute = 0; minute < 75; minute++) {
      node.receive(readingOf(nowIn(node), -18, { serial: '5212C1', base: { serial: '5839F002', name: '' } }))
      node.wait(1)
    }
    sentBy(node)
    receive()
    node.wait(1)
    const { states, latched } = sentBy(node)
    assert.deepEqual(
      silentIn(states),
      serials.map((serial) => `silent ${serial} false`),
    )
    assert.deepEqual(silentIn(latched), [])
    node.restart()
    acknowledge(node, ['5839F001'])
    assert.deepEqual(
      silentIn(sentBy(node).latched),
      serials.map((serial) => `silent ${serial} false`),
    )
  })

  it('of the silence of a device ends with it if that of its base unit is acknowledged', () => {
    const node = new Monitoring([])
    const serials = ['5212B1', '5212B2']
    for (const serial of serials) measure(node, -18, { serial })
    for (let minute = 0; minute < 75; minute++) {
      node.receive(readingOf(nowIn(node), -18, { serial: '5212C1', base: { serial: '5839F002', name: '' } }))
      node.wait(1)
    }
    acknowledge(node)
    sentBy(node)
    measure(node, -18, { serial: '5212B1' })
    assert.ok(sentBy(node).latched.includes('silent 5212B1 false'))
  })

  it('of the silence of a device ends with it if that of its base unit is muted', () => {
    const node = new Monitoring([])
    node.command(({ alarms }) => alarms.mute(180 * MINUTE, 'all', UNSIGNED))
    for (const serial of ['5212B1', '5212B2']) measure(node, -18, { serial })
    for (let minute = 0; minute < 75; minute++) {
      node.receive(readingOf(nowIn(node), -18, { serial: '5212C1', base: { serial: '5839F002', name: '' } }))
      node.wait(1)
    }
    sentBy(node)
    measure(node, -18, { serial: '5212B1' })
    assert.ok(sentBy(node).latched.includes('silent 5212B1 false'))
  })

  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        values: fc.array(fc.constantFrom(-18, -10, 0), { minLength: 1, maxLength: 6 }),
        ago: fc.constantFrom(0, 0, 0, 40),
      }),
    },
    { weight: 4, arbitrary: fc.constantFrom('acknowledge', 'mute', 'unmute', 'restart', 'kill', 'wait') },
  )

  type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

  /** Checks that states that were sent are other ones than before, and that those sent last are those of the limits. */
  function checkSent(
    sent: readonly string[],
    last: Map<string, string>,
    now: readonly (readonly [name: string, state: boolean])[],
  ) {
    for (const text of sent) {
      const [, name = '', state = ''] = /^(.*) (\w+)$/.exec(text) ?? []
      assert.notEqual(last.get(name), state)
      last.set(name, state)
    }
    for (const [name, state] of now) assert.equal(last.get(name), `${state}`)
  }

  function apply(node: Monitoring, one: Step): LimitEvent[] {
    if (typeof one === 'object') {
      const { values, ago } = one
      node.clock.advance(values.length * MINUTE)
      const end = nowIn(node) - (ago + values.length) * MINUTE
      return node.receive(seriesOf(values.map((value, index) => [end + index * MINUTE, value])))
    }
    if (one === 'restart' || one === 'kill') {
      node[one]()
      return []
    }
    if (one === 'acknowledge') return acknowledge(node)
    if (one === 'wait') return node.wait(10)
    return node.command(({ alarms }) => alarms.mute(one === 'mute' ? 20 * MINUTE : 0, 'all', UNSIGNED))
  }

  /** Notes the ids of alarms that were reported, and that nobody has acknowledged. */
  function noteUnseen(unseen: Set<string | null>, events: readonly LimitEvent[]) {
    for (const { id, state, revised } of events)
      if (state === 'acknowledged') unseen.delete(id)
      else if (state === 'alarm' || (state === 'ended' && !revised)) unseen.add(id)
  }

  it('is, like the plain one, always what was sent last, and is never sent twice', () => {
    const rows = [TOO_WARM, { name: 'critical', above: -5, minutes: 2 }]
    const property = fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
      const node = new Monitoring(rows, LIMITS_ONLY)
      const last = { states: new Map<string, string>(), latched: new Map<string, string>() }
      const unseen = new Set<string | null>()
      for (const one of steps) {
        noteUnseen(unseen, apply(node, one))
        const sent = sentBy(node)
        const { alarms } = node.monitor
        const limits = [...node.monitor.conditions()].filter(({ kind }) => kind === 'limit')
        const plain = limits.map((limit) => [nameOf(limit), limit.isAlarm] as const)
        checkSent(sent.states, last.states, plain)
        const latched = limits.map((limit) => [nameOf(limit), alarms.isLatched(limit)] as const)
        checkSent(sent.latched, last.latched, latched)
        assert.equal(node.monitor.summarize().unacknowledged, unseen.size)
      }
    })
    fc.assert(property, { numRuns: 200 })
  })
})
