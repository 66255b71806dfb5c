import assert from 'node:assert/strict'
import { planMessages } from '../../../../src/lib/output/plan'
import { TimeZone } from '../../../../src/shared/local-clock'
import type { Output, Send } from '../../../../src/shared/outputs'
import { CSV_COLUMNS } from '../../../support/outputs'
import { alerts, current, GROUP, outputOptions, plan, RECORD_TIME, series } from './contents'

const inside = { num: '1', name: 'Inside', unit: 'C' }
const outside = { num: '2', name: 'Outside', unit: '%' }
const two = current([
  {
    channel: [
      { ...inside, value: '1.5' },
      { ...outside, value: 'E1' },
    ],
  },
  { serial: '5212A1B3', name: 'Second', group: [], channel: [{ ...inside, value: '2' }] },
])
const three = series({
  channel: [inside, outside],
  data: [
    { unixtime: RECORD_TIME, 'data-id': 1, ch1: 1, ch2: 10 },
    { unixtime: RECORD_TIME + 60, 'data-id': 2, ch1: 2, ch2: 'E1' },
    { unixtime: RECORD_TIME + 300, 'data-id': 6, ch1: 3 },
  ],
})
const log = alerts([
  { unixtime: RECORD_TIME + 60, 'battery-level': 'Low' },
  { unixtime: RECORD_TIME, ch1: 'Sensor Error' },
])
const empty = { series: series({ data: [] }), alerts: alerts([]), current: current([]) }
const { gaps, records, ...head } = three.series
const device = { serial: '5212A1B2', name: 'Freezer 3', base: '5839F001', group: GROUP }
const second = { serial: '5212A1B3', name: 'Second', base: '5839F001', group: '' }
const ch1 = { number: 1, label: 'Inside', unit: '°C', quantity: 'temperature' }

const subjects = (content: Parameters<typeof plan>[0], output: Output, send: Send) =>
  Array.from(plan(content, { output, send }).messages, ({ subject }) => subject)
/** The flat array of an output; other sends send parts of it. */
const whole = (content: Parameters<typeof plan>[0], output: Output) =>
  plan(content, { output, send: content.kind === 'current' ? 'all' : 'device' }).payloads[0] as unknown[]

describe('the messages of current readings', () => {
  it('are one array without a subject, or one reading per device', () => {
    const all = plan(two, { send: 'all' })
    assert.deepEqual(all.payloads, [two.readings])
    assert.equal(all.sequence, undefined)
    assert.deepEqual(subjects(two, 'readings', 'all'), [undefined])
    const single = plan(two, { send: 'device' })
    assert.deepEqual(single.payloads, two.readings)
    assert.deepEqual(single.sequence, { count: 2, length: 1 })
    assert.deepEqual(subjects(two, 'readings', 'device'), [device, second])
  })

  for (const output of ['rows', 'points'] as const) {
    it(`as ${output} are one array, one array per device, or individual elements`, () => {
      const all = whole(two, output)
      assert.equal(all.length, output === 'rows' ? 3 : 2)
      const split = output === 'rows' ? 2 : 1
      const single = plan(two, { output, send: 'device' })
      assert.deepEqual(single.payloads, [all.slice(0, split), all.slice(split)])
      assert.deepEqual(single.sequence, { count: 2, length: 1 })
      assert.deepEqual(subjects(two, output, 'device'), [device, second])
      const each = plan(two, { output, send: 'each' })
      assert.deepEqual(each.payloads, all)
      assert.deepEqual(each.sequence, { count: all.length, length: 1 })
    })
  }

  it('as values are only the numbers, each about its channel, with its row', () => {
    const { payloads, messages, sequence } = plan(two, { output: 'values', send: 'value' })
    assert.deepEqual(payloads, [1.5, 2])
    assert.deepEqual(sequence, { count: 2, length: 1 })
    const [first, third] = [0, 2].map((index) => whole(two, 'rows')[index])
    assert.deepEqual(
      Array.from(messages, ({ reading }) => reading),
      [first, third],
    )
    assert.deepEqual(subjects(two, 'values', 'value'), [
      { ...device, channel: ch1 },
      { ...second, channel: ch1 },
    ])
  })

  it('of an account without devices are one empty array, or none', () => {
    for (const output of ['readings', 'rows', 'points'] as const) {
      assert.deepEqual(plan(empty.current, { output, send: 'all' }).payloads, [[]])
      assert.deepEqual(plan(empty.current, { output, send: 'device' }).payloads, [])
    }
  })
})

describe('the messages of a series', () => {
  it('are the series, or one series without gaps for each record', () => {
    assert.deepEqual(plan(three, {}).payloads, [three.series])
    assert.equal(plan(three, {}).sequence, undefined)
    const each = plan(three, { send: 'each' })
    assert.deepEqual(
      each.payloads,
      records.map((record) => ({ ...head, records: [record] })),
    )
    assert.deepEqual(each.sequence, { count: 3, length: 1 })
    assert.deepEqual(subjects(three, 'readings', 'each'), [device, device, device])
  })

  it('in chunks are series with that many records, each gap in the chunk of the following record', () => {
    assert.equal(gaps.length, 1)
    const { payloads, sequence } = plan(three, { send: 'chunk', chunk: 2 })
    assert.deepEqual(payloads, [
      { ...head, records: records.slice(0, 2), gaps: [] },
      { ...head, records: records.slice(2), gaps },
    ])
    assert.deepEqual(sequence, { count: 2, length: 1 })
    assert.deepEqual(plan(three, { send: 'chunk', chunk: 3 }).payloads, [three.series])
  })

  for (const output of ['rows', 'points'] as const) {
    it(`as ${output} are one array, individual elements, or arrays of the chunk size`, () => {
      const all = whole(three, output)
      assert.equal(all.length, output === 'rows' ? 6 : 3)
      const each = plan(three, { output, send: 'each' })
      assert.deepEqual([each.payloads, each.sequence], [all, { count: all.length, length: 1 }])
      const chunks = plan(three, { output, send: 'chunk', chunk: 2 })
      assert.deepEqual(chunks.payloads.flat(), all)
      assert.deepEqual(chunks.payloads[0], all.slice(0, 2))
      assert.deepEqual(chunks.sequence, { count: Math.ceil(all.length / 2), length: 2 })
      const about = subjects(three, output, 'chunk')
      assert.deepEqual(
        about,
        about.map(() => device),
        'a chunk is about the device',
      )
    })
  }

  it('have the offset of the zone at their last record, though the response had a later one', () => {
    const time = new TimeZone('Europe/Berlin')
    const data = ['2026-10-25T00:30Z', '2026-10-25T01:00Z'].map((text) => ({
      unixtime: Date.parse(text) / 1000,
    }))
    const { series: all } = series({ data }, time)
    const sent = (count: number) => {
      const { messages } = planMessages(
        { kind: 'series', series: { ...all, records: all.records.slice(0, count) } },
        outputOptions({ send: 'device', time }),
      )
      return Array.from(messages, (message) => (message as { payload: typeof all }).payload.utcOffset)
    }
    assert.deepEqual([sent(2), sent(1), sent(0)], [[60], [120], [null]])
  })

  it('as values skip values that are not numbers', () => {
    const { payloads, sequence } = plan(three, { output: 'values', send: 'value' })
    assert.deepEqual(payloads, [1, 10, 2, 3])
    assert.deepEqual(sequence, { count: 4, length: 1 })
  })

  it('without records are the empty series or array, and none with each, chunk and value', () => {
    assert.deepEqual(plan(empty.series, {}).payloads, [empty.series.series])
    for (const output of ['readings', 'rows', 'points'] as const) {
      assert.equal(plan(empty.series, { output, send: 'device' }).payloads.length, 1)
      for (const send of ['each', 'chunk'] as const) {
        assert.deepEqual(plan(empty.series, { output, send }).payloads, [])
      }
    }
    for (const output of ['rows', 'points'] as const) assert.deepEqual(whole(empty.series, output), [])
    assert.deepEqual(plan(empty.series, { output: 'values', send: 'value' }).payloads, [])
    assert.deepEqual(subjects(empty.series, 'rows', 'device'), [device])
  })
})

describe('the messages of alerts', () => {
  it('are one array per device, or one per alert, about its channel if it has one', () => {
    assert.deepEqual(plan(log, {}).payloads, [log.alerts])
    assert.equal(plan(log, {}).sequence, undefined)
    assert.deepEqual(subjects(log, 'readings', 'device'), [device])
    const each = plan(log, { send: 'each' })
    assert.deepEqual([each.payloads, each.sequence], [log.alerts, { count: 2, length: 1 }])
    const [first, other] = subjects(log, 'readings', 'each')
    assert.deepEqual([first?.channel?.number, first?.channel?.unit, other?.channel], [1, '°C', undefined])
  })

  for (const output of ['rows', 'points'] as const) {
    it(`as ${output} are one array per device, or individual elements`, () => {
      const all = whole(log, output)
      assert.equal(all.length, 2)
      const each = plan(log, { output, send: 'each' })
      assert.deepEqual([each.payloads, each.sequence], [all, { count: 2, length: 1 }])
    })

    it(`as ${output} have the same subjects as their alerts`, () => {
      const own = subjects(log, 'readings', 'each').map((subject) => [
        subject?.channel?.number,
        subject?.channel?.unit,
      ])
      const found = subjects(log, output, 'each').map((subject) => [
        subject?.channel?.number,
        subject?.channel?.unit,
      ])
      assert.deepEqual(found, own)
    })
  }

  it('of a device without alerts are one empty array that names the device, or none', () => {
    for (const output of ['readings', 'rows', 'points'] as const) {
      assert.deepEqual(plan(empty.alerts, { output, send: 'device' }).payloads, [[]])
      assert.deepEqual(subjects(empty.alerts, output, 'device'), [device])
      assert.deepEqual(plan(empty.alerts, { output, send: 'each' }).payloads, [])
    }
  })
})

describe('the messages of a raw response', () => {
  it('are that response, about the device if it is about one', () => {
    const payload = { devices: [{ anything: 1 }] }
    const raw = outputOptions({ output: 'raw', send: 'answer' })
    assert.deepEqual(planMessages({ kind: 'raw', payload }, raw), { messages: [{ payload }] })
    const csv = outputOptions({ output: 'csv2', send: 'answer' })
    assert.deepEqual(planMessages({ kind: 'raw', payload: '"a"\r\n', device }, csv), {
      messages: [{ payload: '"a"\r\n', subject: device }],
    })
  })
})

describe('the columns of rows', () => {
  it('are those of the kind, for every send, and for no other output', () => {
    for (const [content, columns] of [
      [two, CSV_COLUMNS.current],
      [three, CSV_COLUMNS.range],
      [log, CSV_COLUMNS.alerts],
      [empty.series, CSV_COLUMNS.latest],
    ] as const) {
      for (const send of ['all', 'device', 'each', 'chunk'] as const) {
        assert.equal(plan(content, { output: 'rows', send }).columns, columns)
        assert.equal('columns' in plan(content, { output: 'points', send }), false)
        assert.equal('columns' in plan(content, { send }), false)
      }
      assert.equal('columns' in plan(content, { output: 'values', send: 'value' }), false)
    }
  })
})
