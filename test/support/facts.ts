import assert from 'node:assert/strict'
import type { Output } from '../../src/shared/outputs'
import type { ActionName, Message } from './flow-types'

/**
 * The content of messages, independent of output and send: the same facts in the same order. A fact is a tuple, so that
 * lists can be compared; `undefined` means that an output does not contain the value.
 */

/** serial, base, timestamp, channel, value, then the other values of the output. */
export type Fact = readonly [
  serial: string,
  base: string,
  timestamp: number | null,
  channel: number,
  value: number | null,
  ...more: unknown[],
]

/** serial, base, timestamp, source, text, and the time as text if the output contains it. */
export type AlertFact = readonly [
  serial: string,
  base: string,
  timestamp: number | null,
  source: string,
  text: string,
  time?: string | null,
]

/** A channel value in any output; keys that an output does not have are missing from its facts. */
export interface ReportedValue {
  serial: string
  base: string
  timestamp: number | null
  time: string | null
  channel: number
  value: number | null
  error: string | null
  unit: string
  label: string
  dataId: number | null
  name: string
  group: string
}

/** The keys of each output; series have no groups. */
const REPORTED_KEYS: Record<
  'series' | 'readings' | 'rows' | 'points' | 'values',
  readonly (keyof ReportedValue)[]
> = {
  series: ['time', 'error', 'unit', 'label', 'dataId', 'name'],
  readings: ['time', 'error', 'unit', 'label', 'name', 'group'],
  rows: ['time', 'error', 'unit', 'label', 'dataId', 'name', 'group'],
  points: ['name', 'group'],
  values: ['time', 'unit', 'label', 'dataId', 'name', 'group'],
}

export function factOf(reported: ReportedValue, action: ActionName, output: Output): Fact {
  const kind =
    output === 'readings' && action !== 'current' ? 'series' : (output as keyof typeof REPORTED_KEYS)
  const { serial, base, timestamp, channel, value } = reported
  return [
    serial,
    base,
    timestamp,
    channel,
    value === null ? null : value + 0,
    ...REPORTED_KEYS[kind].map((key) => reported[key]),
  ]
}

/** Values and points contain only numbers; points need a time. */
export function isReported({ value, timestamp }: ReportedValue, output: Output): boolean {
  if (output === 'points') return value !== null && timestamp !== null
  return output !== 'values' || value !== null
}

/** The facts in the messages of `current`, `latest` or `range`, in order. */
export function factsIn(messages: readonly Message[], action: ActionName, output: Output): Fact[] {
  return messages
    .flatMap((msg) => {
      if (output === 'values') return [valueOfRow(msg.envlog.reading, msg.payload)]
      const parts = Array.isArray(msg.payload) ? msg.payload : [msg.payload]
      return parts.flatMap(
        readers[output === 'readings' && action !== 'current' ? 'series' : output] as Reader,
      )
    })
    .map((reported) => factOf(reported, action, output))
}

type Reader = (part: Message) => ReportedValue[]
const readers: Partial<Record<Output | 'series', Reader>> = {
  readings: valuesOfReading,
  series: valuesOfSeries,
  rows: (row) => [valueOfRow(row)],
  points: valuesOfPoint,
}

function valuesOfReading({ serial, base, name, group, time, timestamp, channels }: Message): ReportedValue[] {
  checkTime(time, timestamp)
  assert.ok(group === null || group.name !== '', 'no name, no group')
  return channels.map(({ key, number, name: label, unit, value, error }: Message) => {
    assert.equal(key, `ch${number}`)
    const device = {
      serial,
      base: base.serial,
      name,
      group: group?.name ?? '',
      time,
      timestamp,
      dataId: null,
    }
    return { ...device, channel: number, label, unit, value, error }
  })
}

function valuesOfSeries({ serial, base, name, channels, records }: Message): ReportedValue[] {
  return records.flatMap(({ time, timestamp, dataId, errors, ...values }: Message) => {
    checkTime(time, timestamp)
    assert.deepEqual(Object.keys(values).sort(), channels.map(({ key }: Message) => key).sort())
    assert.ok(errors === undefined || Object.keys(errors).length > 0)
    return channels.map(({ key, number, name: label, unit }: Message) => {
      const device = { serial, base: base.serial, name, group: '', time, timestamp, dataId }
      return { ...device, channel: number, label, unit, value: values[key], error: errors?.[key] ?? null }
    })
  })
}

function valueOfRow(row: Message, value?: number): ReportedValue {
  const { serial, base, name = '', groupname = '', time = null, timestamp = null } = row
  checkTime(time, timestamp)
  if (value !== undefined) assert.equal(row.value, value, 'a value equals that of its row')
  const { channel, label, unit = '', error = null, dataid = null } = row
  return {
    serial,
    base,
    name,
    group: groupname,
    time,
    timestamp,
    channel,
    label,
    unit,
    value: row.value ?? null,
    error,
    dataId: dataid,
  }
}

function valuesOfPoint({ tags, fields, timestamp }: Message): ReportedValue[] {
  const { serial, base, name = '', group = '' } = tags
  const unknown = { time: null, error: null, unit: '', label: '', dataId: null }
  return Object.entries(fields).map(([key, value]) => ({
    ...unknown,
    serial,
    base,
    name,
    group,
    timestamp: timestamp.getTime(),
    channel: Number(key.slice(2)),
    value: value as number,
  }))
}

/** The facts in the messages of alerts, in order. */
export function alertFactsIn(messages: readonly Message[], output: Output): AlertFact[] {
  return messages
    .flatMap(({ payload }) => (Array.isArray(payload) ? payload : [payload]))
    .map((one) => {
      if (output === 'points') {
        const { serial, base, source } = one.tags
        return [serial, base, one.timestamp.getTime(), source, one.fields.text]
      }
      checkTime(one.time ?? null, one.timestamp ?? null)
      const { serial, base, time = null, timestamp = null, source, text } = one
      return [serial, typeof base === 'object' ? base.serial : base, timestamp, source, text, time]
    })
}

/** Text and number must be the same instant, with an offset or as UTC. */
function checkTime(time: string | null, timestamp: number | null): void {
  if (timestamp === null) assert.equal(time, null)
  else {
    assert.equal(Date.parse(time ?? ''), timestamp)
    assert.match(time ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(Z|[+-]\d\d:\d\d)$/)
  }
}
