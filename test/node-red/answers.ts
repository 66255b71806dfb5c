/** Expected responses for each action, from the simulator's true data. */

import assert from 'node:assert/strict'
import type { TrueDevice, TrueRecord, Truth } from '../../simulator'
import type { ActionName, Message } from '../support/flow-types'

export const ANSWERS_NOW = Date.UTC(2026, 0, 15, 3)
const FROM = ANSWERS_NOW - 2 * 3_600_000
const NEWEST = 300

/** A standalone device and a remote unit, both with records and alerts. */
function chosen(truth: Truth): [TrueDevice, TrueDevice] {
  const requested = truth.devices().filter(({ endpoints }) => endpoints.includes('alert'))
  const alone = requested.find(({ standalone }) => standalone)
  const remote = requested.find(({ standalone }) => !standalone)
  assert.ok(alone && remote)
  return [alone, remote]
}

/** Properties of each action node that override the defaults. */
export function nodeProperties(truth: Truth): Record<ActionName, Record<string, unknown>> {
  const devices = chosen(truth).map(({ serial, base }) => ({ serial, base }))
  const some = { select: 'list', devices, onlyNew: false }
  const period = { from: new Date(FROM).toISOString(), to: new Date(ANSWERS_NOW).toISOString() }
  return {
    current: {},
    latest: some,
    range: { ...some, ...period, fromType: 'date', toType: 'date' },
    alerts: some,
  }
}

interface Expected {
  /** messages per trigger */
  count: number
  check(messages: Message[], truth: Truth): void
}

export const answers: Record<ActionName, Expected> = {
  current: {
    count: 1,
    check([msg], truth) {
      const found = msg?.payload.map(({ serial, base, timestamp, channels }: Message) => ({
        serial,
        base: base.serial,
        time: timestamp,
        values: Object.fromEntries(channels.map(({ number, value }: Message) => [number, value])),
      }))
      // The service returns no channels for a device that has never sent anything.
      const expected = truth
        .current()
        .map((reading) => ({ ...reading, values: reading.time === null ? {} : numbersOf(reading.values) }))
      assert.deepEqual(found, expected)
      const [first] = truth.devices()
      assert.equal(msg?.payload[0].name, first?.name)
      assert.equal(msg?.payload[0].time, new Date(truth.current()[0]?.time ?? 0).toISOString())
    },
  },
  latest: {
    count: 2,
    check: series((device, truth) => recordsOf(device, truth).slice(-NEWEST), {
      alone: 'latest-data',
      remote: 'latest-data-relay',
    }),
  },
  range: {
    count: 2,
    check(messages, truth) {
      const within = (device: TrueDevice) => recordsOf(device, truth, FROM, ANSWERS_NOW - 1)
      series(within, { alone: 'data', remote: 'data-relay' })(messages, truth)
      const range = { from: new Date(FROM).toISOString(), to: new Date(ANSWERS_NOW).toISOString() }
      for (const { envlog } of messages) assert.deepEqual(envlog.range, range)
    },
  },
  alerts: {
    count: 2,
    check(messages, truth) {
      for (const device of chosen(truth)) {
        const msg = about(device, messages, 'alert')
        const { serial, base, standalone } = device
        const logged = truth.alerts(serial, standalone ? undefined : base)
        const expected = logged.flatMap(({ time, texts }) => Object.values(texts).map((text) => [time, text]))
        const found = msg.payload.map(({ timestamp, text }: Message) => [timestamp, text])
        assert.ok(found.length > 0)
        assert.deepEqual(found.map(String).toSorted(), expected.map(String).toSorted())
      }
    },
  },
}

function series(
  expected: (device: TrueDevice, truth: Truth) => TrueRecord[],
  endpoints: { alone: string; remote: string },
): Expected['check'] {
  return (messages, truth) => {
    for (const device of chosen(truth)) {
      const { payload } = about(device, messages, device.standalone ? endpoints.alone : endpoints.remote)
      const records = expected(device, truth)
      assert.ok(records.length > 0)
      const found = payload.records.map((record: Message) => ({
        time: record.timestamp,
        id: record.dataId,
        values: Object.fromEntries(payload.channels.map(({ key, number }: Message) => [number, record[key]])),
      }))
      assert.deepEqual(
        found,
        records.map((record) => ({ ...record, values: numbersOf(record.values) })),
      )
    }
  }
}

/** The only message about a device; checks its device and endpoint. */
function about({ serial, name, base }: TrueDevice, messages: Message[], endpoint: string): Message {
  const found = messages.filter(({ envlog }) => envlog.device.serial === serial)
  assert.equal(found.length, 1)
  const [msg] = found as [Message]
  assert.deepEqual(msg.envlog.device, { serial, name, base })
  assert.equal(msg.envlog.endpoint, endpoint)
  return msg
}

function recordsOf({ serial, base, standalone }: TrueDevice, truth: Truth, from?: number, to?: number) {
  return truth.records(serial, standalone ? undefined : base, from, to)
}

/** Texts in place of numbers become `null`. */
function numbersOf(values: Record<number, unknown>): Record<string, number | null> {
  const entries = Object.entries(values).map(([number, value]) => [
    number,
    typeof value === 'number' ? value : null,
  ])
  return Object.fromEntries(entries)
}
