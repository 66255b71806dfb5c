/** What docs/messages.md promises about every payload, regardless of what the service sent. */
import assert from 'node:assert/strict'
import type { Alert } from '../../src/lib/readings/alerts'
import type { Channel } from '../../src/lib/readings/channel'
import type { Reading } from '../../src/lib/readings/current'
import type { Device } from '../../src/lib/readings/device'
import type { Series } from '../../src/lib/readings/series'
import { QUANTITIES } from '../../src/shared/quantity'
import { sampleAlert, sampleReading, sampleSeries } from './samples'

/** Checks that a value is plain JSON: nothing undefined, only finite numbers, only plain objects. */
export function plain(value: unknown, at = 'payload'): void {
  if (typeof value === 'number') assert.ok(Number.isFinite(value), `${at} is ${value}`)
  else if (typeof value === 'object' && value !== null) {
    const kind = Object.getPrototypeOf(value)
    assert.ok(kind === Object.prototype || kind === Array.prototype, `${at} is a ${kind?.constructor?.name}`)
    for (const key of Object.keys(value)) plain(value[key as keyof typeof value], `${at}.${key}`)
  } else assert.ok(['string', 'boolean', 'object'].includes(typeof value), `${at} is ${typeof value}`)
}

const haveSameKeys = (value: object, sample: object) =>
  assert.deepEqual(Object.keys(value).sort(), Object.keys(sample).sort())

function asDevice({ serial, name, model, base, standalone }: Device, utcOffset: number | null): void {
  haveSameKeys(base, sampleReading.base)
  for (const text of [serial, name, model, base.serial, base.name, base.model]) {
    assert.equal(typeof text, 'string')
  }
  assert.notEqual(serial, '')
  assert.equal(standalone, base.serial === serial)
  assert.ok(utcOffset === null || Number.isInteger(utcOffset))
}

function asTime({ time, timestamp }: { time: string | null; timestamp: number | null }): void {
  if (timestamp === null) assert.equal(time, null)
  else assert.equal(Date.parse(String(time)), timestamp, 'both are the same instant')
}

function asChannels(channels: readonly Channel[], sample: Channel): void {
  for (const channel of channels) {
    haveSameKeys(channel, sample)
    assert.ok(Number.isInteger(channel.number) && channel.number > 0)
    assert.equal(channel.key, `ch${channel.number}`)
    assert.ok(channel.quantity === null || QUANTITIES.includes(channel.quantity))
    assert.ok(channel.name !== '' && typeof channel.name === 'string' && typeof channel.unit === 'string')
  }
  assert.equal(new Set(channels.map(({ key }) => key)).size, channels.length, 'each channel once')
}

/** Checks a value: a number, or the reason why there is none. */
function asValue(value: unknown, error: unknown): void {
  if (value === null) assert.ok(typeof error === 'string' && error.trim() !== '', 'a null has a reason')
  else {
    assert.equal(typeof value, 'number')
    assert.equal(error ?? null, null, 'a number has no error')
  }
}

/** Checks that items without a time are first, and the others oldest first. */
function asOldestFirst(items: readonly { timestamp: number | null }[]): void {
  const times = items.map(({ timestamp }) => timestamp ?? Number.NEGATIVE_INFINITY)
  assert.ok(times.every((time, index) => index === 0 || (times[index - 1] ?? 0) <= time))
}

const LEVELS = ['replace-now', 'replace-soon', 'half', 'low', 'sufficient', 'unknown']

export function asReadings(readings: readonly Reading[]): void {
  for (const reading of readings) {
    haveSameKeys(reading, sampleReading)
    asDevice(reading, reading.utcOffset)
    asTime(reading)
    asChannels(reading.channels, sampleReading.channels[0])
    for (const { value, error } of reading.channels) asValue(value, error)
    const { age, battery, group, timestamp } = reading
    assert.equal(age === null, timestamp === null)
    assert.ok(age === null || Number.isInteger(age))
    assert.ok(LEVELS.includes(battery.level))
    if (group) assert.ok(typeof group.name === 'string' && group.name !== '')
    for (const number of [reading.number, reading.rssi, battery.code, group?.number ?? null]) {
      assert.ok(number === null || typeof number === 'number')
    }
  }
}

export function asSeries(series: Series): void {
  const { channels, records, gaps } = series
  haveSameKeys(series, sampleSeries)
  asDevice(series, series.utcOffset)
  asChannels(channels, sampleSeries.channels[0])
  const keys = channels.map(({ key }) => key)
  for (const record of records) {
    const { errors: _, ...values } = record
    const channelKeys = Object.fromEntries(keys.map((key) => [key, 0]))
    haveSameKeys(values, { time: 0, timestamp: 0, dataId: 0, ...channelKeys })
    asTime(record)
    for (const key of keys) asValue(record[key as 'ch1'], record.errors?.[key])
    if (record.errors) {
      const named = Object.keys(record.errors)
      assert.ok(named.length > 0 && named.every((key) => keys.includes(key)), 'errors are those of channels')
    }
  }
  asOldestFirst(records)
  assert.equal(new Set(records.map((record) => JSON.stringify(record))).size, records.length, 'no duplicates')
  const times = new Set(records.map(({ time }) => time))
  for (const { kind, after, before, missing } of gaps) {
    assert.ok(times.has(after) && times.has(before) && after !== null && before !== null)
    if (kind === 'restart') assert.equal(missing, null)
    else
      assert.ok(kind === 'missing' && Number.isInteger(missing) && (missing ?? 0) > 0, `${missing} missing`)
  }
}

const KINDS = ['upper-limit', 'lower-limit', 'recovered', 'sensor-error', 'battery', 'communication', 'other']

export function asAlerts(alerts: readonly Alert[]): void {
  for (const alert of alerts) {
    haveSameKeys(alert, sampleAlert)
    asDevice(alert, alert.utcOffset)
    asTime(alert)
    asChannels(alert.channel ? [alert.channel] : [], sampleAlert.channel)
    assert.ok(KINDS.includes(alert.kind))
    assert.match(alert.source, /^(ch[1-6]|battery|communication)$/)
    assert.equal(alert.source.startsWith('ch') ? alert.source : undefined, alert.channel?.key)
    assert.notEqual(alert.text.trim(), '')
  }
  asOldestFirst(alerts)
}
