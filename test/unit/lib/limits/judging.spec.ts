import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import type { LimitEvent } from '../../../../src/lib/limits/event'
import { runs } from '../../../support/chance'
import { AT_8, MINUTE, Monitoring, readingOf, seriesOf } from '../../../support/limits/monitoring'
import { findAlarms, type OracleAlarm, type OracleLimit } from '../../../support/limits/oracle'

const TOO_WARM = { name: 'too warm', above: -15, minutes: 10 }

/** Values of one minute each. */
const minutely = (...values: (number | string | null)[]) =>
  values.map((value, minute) => [AT_8 + minute * MINUTE, value] as const)

const brief = (events: readonly LimitEvent[]) =>
  events.map(({ state, condition, minutes, from, until, value }) => ({
    state,
    condition,
    minutes,
    from: from?.slice(11, 16) ?? null,
    until: until?.slice(11, 16) ?? null,
    value,
  }))

/** Sends each record in a message of its own. */
const receiveEach = (node: Monitoring, records: ReturnType<typeof minutely>) =>
  records.flatMap((record) => node.receive(seriesOf([record])))

describe('judging by limits', () => {
  it('reports a value outside for the set time, and its end, each once', () => {
    const node = new Monitoring([{ ...TOO_WARM, margin: 1 }])
    const warm = Array.from({ length: 12 }, () => -10)
    assert.deepEqual(brief(receiveEach(node, minutely(-18, ...warm, -15.5, -16, -18))), [
      { state: 'alarm', condition: 'above', minutes: 10, from: '08:01', until: null, value: -10 },
      { state: 'normal', condition: 'above', minutes: 13, from: '08:01', until: '08:14', value: -16 },
    ])
  })

  it('reports a value outside at once only without a time', () => {
    const statesOf = (minutes: number) =>
      receiveEach(new Monitoring([{ ...TOO_WARM, minutes }]), minutely(-10, -10)).map((one) => one.minutes)
    assert.deepEqual([statesOf(0), statesOf(1)], [[0], [1]])
  })

  it('counts the minutes to the newest value, not to now', () => {
    const node = new Monitoring([TOO_WARM])
    receiveEach(node, minutely(...Array.from({ length: 12 }, () => -10)))
    node.wait(30)
    assert.deepEqual(
      node.monitor.alarms.alarms().map(({ event }) => event.minutes),
      [11],
    )
  })

  it('has no unit if the channel has none', () => {
    const node = new Monitoring([{ channel: 1, above: 3 }])
    const channels = [{ key: 'ch1', number: 1, name: 'Input', unit: '', quantity: null }]
    const [event] = node.receive(seriesOf([[AT_8, 5]], { channels }))
    assert.deepEqual([event?.state, event?.unit], ['alarm', null])
  })

  it('reports an excursion within a batch as ended, with its extreme', () => {
    const node = new Monitoring([TOO_WARM])
    node.receive(seriesOf([[AT_8 - MINUTE, -18]]))
    const warm = [-12, -9.8, ...Array.from({ length: 18 }, () => -10)]
    const [event, ...others] = node.receive(seriesOf(minutely(-18, ...warm, -18)))
    assert.deepEqual(others, [])
    assert.deepEqual(event, {
      id: '5839F001/5212A1B2/ch1/too warm/2026-11-20T08:01:00.000Z',
      state: 'ended',
      condition: 'above',
      limit: 'too warm',
      serial: '5212A1B2',
      name: 'Freezer 3',
      base: '5839F001',
      channel: 1,
      label: 'Inside',
      quantity: 'temperature',
      above: -15,
      below: null,
      value: -18,
      extreme: -9.8,
      unit: '°C',
      from: '2026-11-20T08:01:00.000Z',
      until: '2026-11-20T08:21:00.000Z',
      minutes: 20,
      late: false,
      revised: false,
      detail: null,
      acknowledged: null,
    })
  })

  it('judges a late block in its place, once, and leaves the current alarm alone', () => {
    const node = new Monitoring([TOO_WARM])
    node.receive(seriesOf(minutely(-18, -18, -18)))
    const now = AT_8 + 300 * MINUTE
    node.receive(seriesOf([[now, -10]]))
    const late = minutely(-18, -18, -18, ...Array.from({ length: 20 }, () => -5), -18).slice(3)
    assert.deepEqual(brief(node.receive(seriesOf(late))), [
      { state: 'ended', condition: 'above', minutes: 20, from: '08:03', until: '08:23', value: -18 },
    ])
    assert.deepEqual(node.receive(seriesOf(late)), [])
    assert.deepEqual(brief(node.receive(seriesOf([[now + 10 * MINUTE, -10]]))), [
      { state: 'alarm', condition: 'above', minutes: 10, from: '13:00', until: null, value: -10 },
    ])
  })

  it('judges the one value of a time, whatever else of that time is missing', () => {
    for (const values of [
      [null, -5],
      [-5, null],
    ]) {
      const records = values.map((value) => [AT_8, value] as const)
      assert.equal(new Monitoring([{ above: -15 }]).receive(seriesOf(records)).length, 1)
    }
  })

  it('counts whole minutes', () => {
    const [event] = new Monitoring([TOO_WARM]).receive(
      seriesOf([
        [AT_8, -5],
        [AT_8 + 10.9 * MINUTE, -5],
      ]),
    )
    assert.equal(event?.minutes, 10)
  })

  it('compares temperatures in the unit of the limit', () => {
    const node = new Monitoring([{ above: 5, below: 0, unit: 'F' }])
    const [event] = node.receive(seriesOf([[AT_8, -15]]))
    assert.equal(event, undefined)
    const [warm] = node.receive(seriesOf([[AT_8 + MINUTE, -14]]))
    assert.deepEqual([warm?.condition, warm?.value, warm?.unit, warm?.above], ['above', 6.8, '°F', 5])
  })

  it('applies a row to the devices, base units or groups that are selected', () => {
    const isApplied = (row: object) =>
      new Monitoring([{ above: -15, ...row }]).receive(seriesOf([[AT_8, -5]])).length === 1
    const others = [{ serial: '5212A1B8' }, { serial: '5212A1B9' }]
    assert.deepEqual(
      [
        { devices: [...others, { serial: '5212A1B2' }] },
        { devices: [{ serial: '5212A1B2', base: '5839F001' }] },
        { devices: [{ serial: '5212A1B2', base: '5839F002' }] },
        { devices: others },
        { select: 'base', bases: ['5839F001'] },
        { select: 'base', bases: ['5839F002'], devices: [{ serial: '5212A1B2' }], groups: ['Cold chain'] },
        { groups: ['Hall', 'Cold chain'] },
        { groups: ['Hall'] },
      ].map(isApplied),
      [true, true, false, false, true, false, true, false],
    )
    const node = new Monitoring([{ above: -15, groups: ['Cold chain'] }])
    assert.deepEqual(node.receive(readingOf(AT_8, -5, { group: null })), [])
  })

  it('applies a row to the base units that stand beside its devices', () => {
    const devices = [{ serial: '5212A1B9' }]
    const rows = (base: string) => [{ above: -15, select: 'list', devices, bases: [base] }]
    const count = (base: string) => new Monitoring(rows(base)).receive(seriesOf([[AT_8, -5]])).length
    assert.deepEqual(['5839F001', '5839F002'].map(count), [1, 0])
  })

  it('has values other than temperatures in the unit of their channel', () => {
    const channels = [{ key: 'ch1', number: 1, name: 'Damp', unit: '%', quantity: 'humidity' }]
    const node = new Monitoring([{ above: 80, quantity: 'humidity' }])
    const [event] = node.receive(seriesOf([[AT_8, 90]], { channels }))
    assert.deepEqual([event?.value, event?.unit], [90, '%'])
  })

  it('applies to each channel the first limit of each name', () => {
    const rows = [
      { name: 'too warm', above: 0, select: 'list', devices: [{ serial: '5212A1B2' }], channel: 2 },
      { name: 'too warm', above: -15, select: 'group', groups: ['Cold chain'] },
      { name: 'critical', above: -10 },
      { name: 'damp', above: 60, quantity: 'humidity' },
      { name: 'elsewhere', above: -30, select: 'base', bases: ['5839F002'] },
    ]
    const events = new Monitoring(rows).receive(seriesOf([[AT_8, -12, -5]]))
    assert.deepEqual(
      events.map(({ channel, limit, above }) => [channel, limit, above]),
      [
        [1, 'too warm', -15],
        [2, 'critical', -10],
      ],
    )
  })

  it('keeps the limits of a device whose group, unit or quantity is not known for a moment', () => {
    const rows = [
      { name: 'by group', above: -15, minutes: 30, select: 'group', groups: ['Cold chain'] },
      { name: 'too damp', above: 80, minutes: 30, quantity: 'humidity' },
    ]
    const [inside, humidity] = seriesOf([[AT_8, -5, 95]]).channels.map((channel, index) =>
      index === 0 ? channel : { ...channel, unit: '%', quantity: 'humidity' },
    )
    const known = { channels: [inside, humidity] }
    const unknown = {
      channels: [
        { ...inside, unit: '', quantity: null },
        { ...humidity, quantity: null },
      ],
      group: null,
    }
    const node = new Monitoring(rows)
    const events: LimitEvent[] = []
    for (let minute = 0; minute <= 30; minute++) {
      const isBroken = minute === 10
      const record = [AT_8 + minute * MINUTE, isBroken ? 'E1' : -5, 95] as const
      events.push(...node.receive(seriesOf([record], isBroken ? unknown : known)))
    }
    assert.deepEqual(
      events.map(({ limit, minutes }) => [limit, minutes]),
      [
        ['by group', 30],
        ['too damp', 30],
      ],
    )
  })

  it('keeps the limits of a group if a row does not contain it', () => {
    const node = new Monitoring([{ name: 'by group', above: -15, select: 'group', groups: ['Cold chain'] }])
    const row = { serial: '5212A1B2', base: '5839F001', channel: 1, unit: '°C', quantity: 'temperature' }
    node.receive([{ ...row, groupname: 'Cold chain', timestamp: AT_8, value: -18 }])
    const events = node.receive([{ ...row, timestamp: AT_8 + MINUTE, value: -5 }])
    assert.deepEqual(
      events.map(({ state, limit }) => [state, limit]),
      [['alarm', 'by group']],
    )
  })

  it('knows what a channel measures although the first row of a message does not say it', () => {
    const row = { serial: '5212A1B2', base: '5839F001', channel: 1 }
    const events = new Monitoring([{ above: -15 }]).receive([
      { ...row, timestamp: AT_8, error: 'E1' },
      { ...row, unit: '°C', quantity: 'temperature', timestamp: AT_8 + MINUTE, value: -5 },
    ])
    assert.deepEqual(
      events.map(({ state, unit }) => [state, unit]),
      [['alarm', '°C']],
    )
  })

  it('does not repeat what was over before the channel was first seen', () => {
    const warm = Array.from({ length: 20 }, () => -10)
    const node = new Monitoring([TOO_WARM])
    assert.deepEqual(node.receive(seriesOf(minutely(...warm, -18, ...warm.slice(0, 5)))), [])
    assert.deepEqual(
      node.receive(
        seriesOf([
          [AT_8 - 40 * MINUTE, -10],
          [AT_8 - 20 * MINUTE, -10],
        ]),
      ),
      [],
    )
  })

  it('begins anew with a changed limit, and forgets a removed one', () => {
    const node = new Monitoring([TOO_WARM, { name: 'critical', above: -5 }])
    node.receive(seriesOf(minutely(...Array.from({ length: 12 }, () => -2))))
    node.restart([{ ...TOO_WARM, above: -16 }])
    assert.equal(node.monitor.summarize().alarms, 0)
    assert.deepEqual(brief(node.receive(seriesOf([[AT_8 + 30 * MINUTE, -2]]))), [])
    assert.deepEqual(brief(node.receive(seriesOf([[AT_8 + 40 * MINUTE, -2]]))), [
      { state: 'alarm', condition: 'above', minutes: 10, from: '08:30', until: null, value: -2 },
    ])
  })

  for (const changed of [{ unit: 'F' }, { minutes: 11 }, { margin: 1 }, { above: -16 }])
    it(`ends an alarm without an event if its row has another ${Object.keys(changed)}`, () => {
      const node = new Monitoring([{ ...TOO_WARM, minutes: 0 }])
      node.receive(seriesOf([[AT_8, -2]]))
      node.restart([{ ...TOO_WARM, minutes: 0, ...changed }])
      assert.equal(node.monitor.summarize().alarms, 0)
    })

  it('does not judge older records of a channel whose quantity was not known', () => {
    const about = { name: 'Inside', number: 1, key: 'ch1' }
    const channels = (quantity: string | null) => ({ channels: [{ ...about, unit: '°C', quantity }] })
    const node = new Monitoring([{ above: -15 }])
    const records = minutely(-18, -18, -5, -5, -18)
    for (const count of [1, 5]) node.receive(seriesOf(records.slice(0, count), channels(null)))
    assert.deepEqual(node.receive(seriesOf(records, channels('temperature'))), [])
  })

  it('does not judge older records by a changed limit as if they were new', () => {
    const node = new Monitoring([TOO_WARM])
    const now = AT_8 + 300 * MINUTE
    node.receive(seriesOf([[now, -18]]))
    node.restart([{ ...TOO_WARM, above: -16 }])
    const block = minutely(...Array.from({ length: 20 }, () => -10), -18)
    assert.deepEqual(node.receive(seriesOf(block)), [])
  })

  const values = fc.oneof(fc.integer({ min: -40, max: 40 }), fc.constant('E1'), fc.constant(null))
  const limits: fc.Arbitrary<OracleLimit> = fc
    .record({
      above: fc.option(fc.integer({ min: 0, max: 20 })),
      below: fc.option(fc.integer({ min: -20, max: -1 })),
      minutes: fc.integer({ min: 0, max: 6 }),
      margin: fc.integer({ min: 0, max: 8 }),
    })
    .filter(({ above, below, margin }) => above !== below && 2 * margin <= (above ?? 99) - (below ?? -99))
  /** A series: gaps in minutes between values, where the messages are cut, and what happens after each. */
  const series = fc.array(
    fc.record({
      gap: fc.integer({ min: 1, max: 3 }),
      value: values,
      cut: fc.boolean(),
      after: fc.constantFrom('continue', 'restart', 'kill', 'repeat'),
      isShuffled: fc.boolean(),
    }),
    { minLength: 1, maxLength: 40 },
  )

  /** Alarms as told by events: each has an event when it begins and one when it ends, or only one if it had ended. */
  function toldAlarms(events: readonly LimitEvent[]): Omit<OracleAlarm, 'extreme'>[] {
    const told = new Map<string, Omit<OracleAlarm, 'extreme'>>()
    for (const { id, state, from, until, condition } of events) {
      const alarm = {
        from: Date.parse(`${from}`),
        until: until === null ? null : Date.parse(until),
        condition,
      }
      assert.equal(told.has(`${id}`), state === 'normal', `${state} ${id}`)
      told.set(`${id}`, alarm as OracleAlarm)
    }
    return [...told.values()]
  }

  function inUnit(payload: ReturnType<typeof seriesOf>, unit: string) {
    const convert = (value: unknown) =>
      typeof value === 'number' && unit === '°F' ? value * 1.8 + 32 : value
    return {
      ...payload,
      channels: payload.channels.map((channel) => ({ ...channel, unit })),
      records: payload.records.map((record) => ({
        ...record,
        ch1: convert((record as { ch1?: unknown }).ch1),
      })),
    }
  }

  type Step = (typeof series extends fc.Arbitrary<infer T> ? T : never)[number]

  /** The records of each message, and what happens after it. */
  function messagesOf(steps: readonly Step[]) {
    const messages: { records: (readonly [number, number | string | null])[]; after: Step['after'] }[] = []
    let time = AT_8
    let records: (readonly [number, number | string | null])[] = []
    for (const [index, { gap, value, cut, after, isShuffled }] of steps.entries()) {
      time += gap * MINUTE
      records.push([time, value])
      if (!cut && index < steps.length - 1) continue
      messages.push({ records: isShuffled ? records.toReversed() : records, after })
      records = []
    }
    return messages
  }

  function play(rows: readonly OracleLimit[], steps: readonly Step[], unit: string) {
    const node = new Monitoring(rows.map((row, index) => ({ ...row, name: `limit ${index}` })))
    const about = (records: Parameters<typeof seriesOf>[0]) => inUnit(seriesOf(records), unit)
    // A first value inside, because what is over when the channel is first seen is left out.
    const events = node.receive(about([[AT_8, -0.5]]))
    for (const { records, after } of messagesOf(steps)) {
      const payload = about(records)
      events.push(...node.receive(payload))
      if (after === 'repeat') events.push(...node.receive(payload))
      else if (after === 'restart' || after === 'kill') node[after]()
    }
    return events
  }

  it('finds exactly the alarms of the rule, however values are cut into messages and whatever restarts', () => {
    fc.assert(
      fc.property(
        fc.array(limits, { minLength: 1, maxLength: 2 }),
        series,
        fc.constantFrom('°C', '°F'),
        (rows, steps, unit) => {
          const events = play(rows, steps, unit)
          let time = AT_8
          const measured = steps.flatMap(({ gap, value }) => {
            time += gap * MINUTE
            return typeof value === 'number' ? [{ time, value }] : []
          })
          for (const [index, row] of rows.entries()) {
            const told = toldAlarms(events.filter(({ limit }) => limit === `limit ${index}`))
            const expected = findAlarms([{ time: AT_8, value: -0.5 }, ...measured], row)
            assert.deepEqual(
              told,
              expected.map(({ from, until, condition }) => ({ from, until, condition })),
            )
          }
        },
      ),
      { numRuns: runs(30_000) },
    )
  })
})
