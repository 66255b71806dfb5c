import assert from 'node:assert/strict'
import { planMessages } from '../../../../src/lib/output/plan'
import type { Reading } from '../../../../src/lib/readings/current'
import { STATISTICS_COLUMNS } from '../../../../src/lib/readings/statistics'
import { TimeZone } from '../../../../src/shared/local-clock'
import type { Output, Send } from '../../../../src/shared/outputs'
import { messagesOf } from '../../../support/messages'
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
  { serial: '5212A1B3', name: 'Second', group: [], channel: [{ ...inside, value: '0' }] },
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
const { gaps, records, ...about } = three.series
const head = { ...about, group: GROUP }
const device = { serial: '5212A1B2', name: 'Freezer 3', base: '5839F001', group: GROUP.name }
const second = { serial: '5212A1B3', name: 'Second', base: '5839F001', group: '' }
const ch1 = { number: 1, label: 'Inside', unit: '°C', quantity: 'temperature' }

const subjectsOf = async (content: Parameters<typeof plan>[0], output: Output, send: Send) =>
  (await plan(content, { output, send })).messages.map(({ subject }) => subject)
const payloads = async (...given: Parameters<typeof plan>) => (await plan(...given)).payloads

describe('the messages of current readings', () => {
  it('are one array without a subject with `all`, and one reading per device with `device`', async () => {
    assert.deepEqual(await payloads(two, { send: 'all' }), [two.readings])
    assert.deepEqual(await subjectsOf(two, 'readings', 'all'), [undefined])
    assert.deepEqual(await payloads(two, { send: 'device' }), two.readings)
    assert.deepEqual(await subjectsOf(two, 'readings', 'device'), [device, second])
  })

  it('as rows or points are one array per device with `device`', async () => {
    for (const [output, lengths] of [
      ['rows', [2, 1]],
      ['points', [1, 1]],
    ] as const) {
      const [all] = (await payloads(two, { output, send: 'all' })) as unknown[][]
      const single = (await payloads(two, { output, send: 'device' })) as unknown[][]
      assert.deepEqual([single.flat(), single.map(({ length }) => length)], [all, lengths])
      assert.deepEqual(await subjectsOf(two, output, 'device'), [device, second])
    }
  })

  it('as values are only the numbers, each about its channel, with its row', async () => {
    const { payloads: values, messages } = await plan(two, { output: 'values', send: 'value' })
    assert.deepEqual(values, [1.5, 0])
    const [first, , third] = ((await payloads(two, { output: 'rows', send: 'all' })) as unknown[][]).flat()
    assert.deepEqual(
      messages.map(({ reading }) => reading),
      [first, third],
    )
    assert.deepEqual(
      messages.map(({ subject }) => subject),
      [
        { ...device, channel: ch1 },
        { ...second, channel: ch1 },
      ],
    )
  })

  it('of an account without devices are one empty array with `all`, and none with `device`', async () => {
    for (const output of ['readings', 'rows', 'points'] as const) {
      assert.deepEqual(await payloads(empty.current, { output, send: 'all' }), [[]])
      assert.deepEqual(await payloads(empty.current, { output, send: 'device' }), [])
    }
  })
})

describe('the messages of a series', () => {
  it('contain the group of the device, or null', async () => {
    for (const send of ['device', 'each', 'chunk'] as const)
      for (const group of [GROUP, null])
        for (const payload of await payloads(three, { send, group }))
          assert.deepEqual((payload as Reading).group, group)
  })

  it('are the series with `device`, and one series without gaps per record with `each`', async () => {
    assert.deepEqual(await payloads(three, {}), [{ ...head, records, gaps }])
    assert.deepEqual(
      await payloads(three, { send: 'each' }),
      records.map((record) => ({ ...head, records: [record] })),
    )
    assert.deepEqual(await subjectsOf(three, 'readings', 'each'), [device, device, device])
  })

  it('with `chunk` are series with that many records, each gap in the chunk of the following record', async () => {
    assert.equal(gaps.length, 1)
    assert.deepEqual(await payloads(three, { send: 'chunk', chunk: 2 }), [
      { ...head, records: records.slice(0, 2), gaps: [] },
      { ...head, records: records.slice(2), gaps },
    ])
    const inOneSecond = series({
      data: [1, 2, 5].map((id) => ({ unixtime: RECORD_TIME, 'data-id': id, ch1: id })),
    })
    const chunks = (await payloads(inOneSecond, { send: 'chunk', chunk: 1 })) as { gaps: unknown[] }[]
    assert.deepEqual(
      chunks.map((chunk) => chunk.gaps.length),
      [0, 0, 1],
    )
  })

  it('have the offset of the zone at their last record, even if the response had a later one', async () => {
    const time = new TimeZone('Europe/Berlin')
    const data = ['2026-10-25T00:30Z', '2026-10-25T01:00Z'].map((text) => ({
      unixtime: Date.parse(text) / 1000,
    }))
    const { series: all } = series({ data }, time)
    const sent = async (count: number) => {
      const part = { ...all, records: all.records.slice(0, count) }
      const [payload] = await payloads({ kind: 'series', series: part }, { time })
      return (payload as typeof all).utcOffset
    }
    assert.deepEqual([await sent(2), await sent(1), await sent(0)], [60, 120, null])
  })

  it('as rows or points are about the device, even without records', async () => {
    for (const output of ['rows', 'points'] as const) {
      assert.deepEqual(new Set(await subjectsOf(three, output, 'chunk')), new Set([device]))
      assert.deepEqual(await subjectsOf(empty.series, output, 'device'), [device])
      assert.deepEqual(await payloads(empty.series, { output, send: 'device' }), [[]])
      assert.deepEqual(await payloads(empty.series, { output, send: 'chunk' }), [])
    }
  })
})

describe('the messages of alerts', () => {
  it('are one array per device with `device`, and one per alert with `each`, about its channel if it has one', async () => {
    assert.deepEqual(await payloads(log, {}), [log.alerts])
    assert.deepEqual(await subjectsOf(log, 'readings', 'device'), [device])
    for (const output of ['readings', 'rows', 'points'] as const) {
      const [first, other] = await subjectsOf(log, output, 'each')
      assert.deepEqual([first?.channel?.number, first?.channel?.unit, other?.channel], [1, '°C', undefined])
    }
  })

  it('of a device without alerts are one empty array that names the device with `device`, and none with `each`', async () => {
    for (const output of ['readings', 'rows', 'points'] as const) {
      assert.deepEqual(await payloads(empty.alerts, { output, send: 'device' }), [[]])
      assert.deepEqual(await subjectsOf(empty.alerts, output, 'device'), [device])
      assert.deepEqual(await payloads(empty.alerts, { output, send: 'each' }), [])
    }
  })
})

describe('the messages of a raw response', () => {
  it('are that response, about the device if it is about one', async () => {
    const raw = outputOptions({ output: 'raw', send: 'response' })
    for (const content of [{ payload: { devices: [] } }, { payload: '"a"\r\n', device }]) {
      const [message] = await messagesOf(await planMessages({ kind: 'raw', ...content }, raw))
      assert.deepEqual(message, 'device' in content ? { payload: content.payload, subject: device } : content)
    }
  })
})

describe('the columns of rows', () => {
  it('are those of the kind of data, and set for rows only', async () => {
    for (const [content, columns] of [
      [two, CSV_COLUMNS.current],
      [three, CSV_COLUMNS.range],
      [log, CSV_COLUMNS.alerts],
    ] as const) {
      assert.equal((await plan(content, { output: 'rows', send: 'each' })).columns, columns)
      assert.equal('columns' in (await plan(content, { output: 'points', send: 'each' })), false)
    }
  })
})

describe('the messages of statistics', () => {
  it('are rows, about their device and channel unless all are in one message, with the columns of a table', async () => {
    const row = { channel: 1, count: 5 }
    const channels = [{ key: 'ch1', number: 1, name: 'Inside', unit: '°C', quantity: 'temperature' }]
    const devices = [{ device: about, channels, rows: [row] }]
    const content = { kind: 'statistics', devices, records: 5 } as never
    const of = async (send: Send) => {
      const planned = await planMessages(content, outputOptions({ output: 'statistics', send }))
      assert.equal(planned.columns, STATISTICS_COLUMNS)
      return (await messagesOf(planned)).map(({ payload, subject }) => [payload, subject])
    }
    assert.deepEqual(await of('all'), [[[row], undefined]])
    assert.deepEqual(await of('device'), [[[row], device]])
    assert.deepEqual(await of('each'), [[row, { ...device, channel: ch1 }]])
  })
})
