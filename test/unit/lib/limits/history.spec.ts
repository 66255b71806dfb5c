import assert from 'node:assert/strict'
import { at, inMinutes, isCold, recordsAt, recordsIn, warmIn } from '../../../support/limits/minutes'
import {
  MINUTE,
  Monitoring,
  nowIn,
  other,
  readingOf,
  seriesOf,
  UNSIGNED,
} from '../../../support/limits/monitoring'

const TOO_WARM = { name: 'too warm', above: -15 }
const NEVER = Number.POSITIVE_INFINITY

const measure = (node: Monitoring, value: number | string, more: object = {}) => {
  node.clock.advance(MINUTE)
  return node.receive(readingOf(nowIn(node), value, more))
}
const acknowledge = (node: Monitoring, of: readonly string[] | 'all' = 'all') =>
  node.command(({ alarms }) => alarms.acknowledge(of, { ...UNSIGNED, by: 'night shift' }))
const mute = (node: Monitoring, minutes: number) =>
  node.command(({ alarms }) => alarms.mute(minutes * MINUTE, 'all', UNSIGNED))
const historyOf = (node: Monitoring, since = 0) =>
  node.monitor.alarms.history(since).map(({ event }) => event)

describe('the history of limits', () => {
  it('has the alarms that were over at a time or later, the oldest first', () => {
    const node = new Monitoring([{ ...TOO_WARM, minutes: 5 }], { silentAfterMs: NEVER })
    node.receive(recordsIn(-9, 0, isCold))
    node.receive(recordsIn(60, 100, warmIn([70, 80], [90, 96])))
    node.receive(recordsIn(0, 60, warmIn([20, 30], [40, 44])))
    assert.deepEqual(historyOf(node).map(inMinutes), [
      'ended late above 20-30',
      'ended above 70-80',
      'ended above 90-96',
    ])
    assert.deepEqual(historyOf(node, at(80)).map(inMinutes), ['ended above 70-80', 'ended above 90-96'])
    assert.deepEqual(historyOf(node, at(96) + 1), [])
  })

  it('shows each alarm as it was last reported, also what was normal again, over restarts and crashes', () => {
    const node = new Monitoring([{ ...TOO_WARM, minutes: 10 }], { silentAfterMs: NEVER })
    node.receive(recordsIn(-9, 0, isCold))
    const [alarm] = node.receive(recordsIn(60, 80, warmIn([60, 80])))
    const [normal] = node.receive(recordsIn(80, 100, isCold))
    assert.deepEqual([alarm?.state, normal?.state], ['alarm', 'normal'])
    node.kill()
    assert.deepEqual(historyOf(node), [{ ...normal, state: 'ended' }])
    const [revised] = node.receive(recordsIn(0, 60, warmIn([50, 60])))
    assert.deepEqual(historyOf(node), [revised])
    const [acknowledged] = acknowledge(node)
    node.kill()
    assert.deepEqual(historyOf(node), [{ ...revised, acknowledged: acknowledged?.acknowledged }])
  })

  it('is the same after a restart, for all conditions', () => {
    const node = new Monitoring([
      TOO_WARM,
      { name: '', below: -30 },
      { name: 'hall', select: 'group', groups: ['Hall'], above: 0 },
    ])
    const steps: (() => void)[] = [
      () => measure(node, -18, { battery: { level: 'replace-soon' } }),
      () => measure(node, -10),
      () => measure(node, -31),
      () => measure(node, 'E1', { utcOffset: null }),
      () => void node.wait(70),
      () => measure(node, -18, { group: { number: 1, name: 'Hall' } }),
      () => void node.wait(2),
      () => void node.receive(other(nowIn(node), -18)),
    ]
    for (const step of steps) step()
    for (let minute = 0; minute < 80; minute++) {
      node.wait(1)
      node.receive(
        readingOf(nowIn(node), -18, { serial: '5212C1', base: { serial: '5839F002', name: 'Hall 2' } }),
      )
    }
    measure(node, -18)
    node.wait(1)
    acknowledge(node, ['5839F001'])
    const before = historyOf(node)
    assert.deepEqual(
      new Set(before.map(({ condition, serial }) => `${condition} ${serial}`)),
      new Set([
        'above 5212A1B2',
        'below 5212A1B2',
        'error 5212A1B2',
        'battery 5212A1B2',
        'no-data null',
        'silent null',
      ]),
    )
    node.restart()
    assert.deepEqual(historyOf(node), before)
  })

  it('has what a mute held back, reported or not', () => {
    const node = new Monitoring([{ ...TOO_WARM, minutes: 30 }], { silentAfterMs: NEVER })
    node.receive(recordsIn(-9, 1, isCold))
    node.clock.jump(400 * MINUTE)
    mute(node, 60)
    node.wait(50)
    node.receive(recordsIn(1, 450, warmIn([100, 340], [401, 440])))
    const expected = ['ended above 100-340', 'ended above 401-440']
    assert.deepEqual(historyOf(node).map(inMinutes), expected)
    node.kill()
    assert.deepEqual(historyOf(node).map(inMinutes), expected)
    assert.deepEqual(mute(node, 0).map(inMinutes).slice(1), ['ended above 100-340'])
    assert.deepEqual(historyOf(node).map(inMinutes), expected)
  })

  it('has what a mute held back of a broken sensor, although it is not reported', () => {
    const node = new Monitoring([])
    mute(node, 60)
    measure(node, 'E1')
    node.wait(20)
    measure(node, -18)
    assert.deepEqual(
      historyOf(node).map(({ condition }) => condition),
      ['error'],
    )
    assert.equal(node.monitor.summarize().unacknowledged, 0)
  })

  it('may have dropped an alarm that late values put right', () => {
    const node = new Monitoring([TOO_WARM], { silentAfterMs: NEVER })
    node.receive(recordsIn(-9, 0, isCold))
    node.receive(recordsIn(60, 80, warmIn([60, 70])))
    acknowledge(node)
    for (const [from, until] of [
      [-1, 0],
      [0, 410],
    ] as const) {
      const others = recordsIn(from, until, (minute) => (minute % 2 === 0 ? -18 : -5))
      node.receive({ ...others, serial: '5212A1B3' })
    }
    assert.ok(historyOf(node).every(({ serial }) => serial === '5212A1B3'))
    const events = node.receive(recordsIn(0, 60, warmIn([50, 60])))
    assert.deepEqual(events.map(inMinutes), ['ended late revised above 50-70'])
  })

  for (const [story, isMutedBefore] of [
    ['until its end', false],
    ['for ever', true],
  ] as const)
    it(`puts right what a mute held back ${story}, and forgets it if it proves to have been no alarm`, () => {
      const node = new Monitoring([{ ...TOO_WARM, minutes: 6 }], { silentAfterMs: NEVER })
      const receive = (...values: [minute: number, value: number][]) => node.receive(recordsAt(...values))
      for (const [minute, value] of [
        [-9, -5],
        [-2, -5],
        [-1, -18],
      ] as const)
        node.receive({ ...recordsAt([minute, value]), serial: '5212A1B3' })
      const [before] = historyOf(node)
      receive([0, -18], [1, -18], [2, -18])
      if (isMutedBefore) mute(node, 600)
      node.clock.advance(58 * MINUTE)
      receive([60, -18])
      if (!isMutedBefore) mute(node, 600)
      receive([11, -10], [12, -10], [15, -10], [16, -10], [17, -10], [18, -18])
      receive([9, -10])
      assert.deepEqual(historyOf(node).slice(1).map(inMinutes), ['ended late above 9-18'])
      receive([13, -18])
      assert.deepEqual(historyOf(node), [before])
    })

  it('has the silence of a base unit that is found to be over by a start', () => {
    const node = new Monitoring([])
    const both = () => [readingOf(nowIn(node), -18), other(nowIn(node), -18)]
    node.receive(both())
    for (let minute = 0; minute < 75; minute++) {
      node.wait(1)
      node.receive(readingOf(nowIn(node), -18, { serial: '5212C1', base: { serial: '5839F002' } }))
    }
    node.receive(both())
    node.restart()
    node.wait(1)
    assert.deepEqual(
      historyOf(node).map(({ condition, base, name }) => [condition, base, name]),
      [['silent', '5839F001', 'Hall 1']],
    )
    assert.equal(node.monitor.summarize().unacknowledged, 1)
    const keptStates = () =>
      [...node.monitor.conditions()].filter((one) => node.monitor.alarms.isLatched(one)).length
    assert.equal(keptStates(), 2)
    acknowledge(node, ['5839F001'])
    assert.equal(keptStates(), 0)
  })

  it('does not have what ends without an event, or is covered by the silence of a base unit', () => {
    const node = new Monitoring([TOO_WARM])
    node.receive([readingOf(nowIn(node), -10), other(nowIn(node), -18)])
    node.restart([{ ...TOO_WARM, above: -14 }])
    for (let minute = 0; minute < 75; minute++) {
      node.wait(1)
      node.receive(readingOf(nowIn(node), -18, { serial: '5212C1', base: { serial: '5839F002' } }))
    }
    measure(node, -18)
    node.wait(1)
    assert.deepEqual(
      historyOf(node).map(({ condition, serial, base }) => [condition, serial, base]),
      [['silent', null, '5839F001']],
    )
    node.command((monitor) => monitor.forget('all'))
    assert.equal(historyOf(node).length, 1)
  })
})

describe('the 200 alarms of a history', () => {
  /** Alarms of one minute each, the first of one freezer and the others of another one. */
  function withAlarms(ofFirst: number, ofSecond: number): Monitoring {
    const node = new Monitoring([TOO_WARM], { silentAfterMs: NEVER })
    const series = (count: number, more: object) => {
      const values = Array.from({ length: 2 * count }, (_, minute) => (minute % 2 === 0 ? -5 : -18))
      return seriesOf(
        [-18, ...values].map((value, minute) => [at(minute), value]),
        more,
      )
    }
    const first = (values: object) => ({ ...values, serial: '5212A1B3' })
    for (const more of [{ serial: '5212A1B3' }, {}]) node.receive(seriesOf([[at(-1), -18]], more))
    node.receive(first(series(ofFirst, {})))
    node.receive(series(ofSecond, {}))
    return node
  }
  const countBySerial = (node: Monitoring) => {
    const serials = historyOf(node).map(({ serial }) => serial)
    return ['5212A1B3', '5212A1B2'].map((one) => serials.filter((serial) => serial === one).length)
  }

  it('are the last ones, over a restart', () => {
    const node = withAlarms(0, 230)
    node.restart()
    const history = historyOf(node)
    assert.equal(history.length, 200)
    assert.equal(inMinutes(history[0] as never), 'ended above 61-62')
    assert.equal(node.monitor.summarize().unacknowledged, 200)
  })

  it('always have the last one of each limit that nobody has acknowledged', () => {
    const node = withAlarms(3, 250)
    assert.deepEqual(countBySerial(node), [1, 199])
    const [first] = historyOf(node)
    acknowledge(node, [first?.id ?? ''])
    measure(node, -5)
    measure(node, -18)
    assert.deepEqual(countBySerial(node), [0, 200])
  })

  it('need at most 250 bytes each, and nothing while there are none', () => {
    const empty = new Monitoring([TOO_WARM])
    measure(empty, -18)
    assert.ok(!('over' in empty.monitor.toSave()))
    const node = withAlarms(0, 250)
    const size = JSON.stringify(node.monitor.toSave().over).length
    assert.ok(size > 200 * 100 && size <= 200 * 250, `${size} bytes`)
  })
})
