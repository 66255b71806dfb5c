import assert from 'node:assert/strict'
import fc from 'fast-check'
import { EnvlogError } from '../../src/lib/errors'
import type { Alert } from '../../src/lib/readings/alerts'
import type { Channel } from '../../src/lib/readings/channel'
import type { Device } from '../../src/lib/readings/device'
import type { Series } from '../../src/lib/readings/series'
import { bodyOf, expectedOf, type Fixture, listFixtures, receive } from '../support/answer-fixtures'

/**
 * Every fixture, damaged at random: the client throws ENVLOG_REPLY and nothing else, and what is sent obeys
 * what docs/messages.md promises of every message. `readings/any-json.spec.ts` does the same to whole answers.
 */

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
type Path = readonly (string | number)[]

const fixtures = listFixtures()
const expected = new Map(fixtures.map((fixture) => [fixture, expectedOf(fixture)]))
const requestOf = (fixture: Fixture) => expected.get(fixture)?.request ?? {}

const refused = fixtures.filter((fixture) => (requestOf(fixture).status ?? 200) !== 200)
const answered = fixtures.filter((fixture) => !refused.includes(fixture))
const read = answered.filter((fixture) => (requestOf(fixture).form ?? 'read') === 'read')
const asItCame = answered.filter((fixture) => !read.includes(fixture))

const bodies = new Map(fixtures.map((fixture) => [fixture.name, bodyOf(fixture)]))
const body = (fixture: Fixture) => bodies.get(fixture.name) ?? Buffer.of()

const trees = new Map<Fixture, Json>()
for (const fixture of read) {
  try {
    trees.set(
      fixture,
      JSON.parse(
        body(fixture)
          .toString()
          .replace(/^\ufeff/, ''),
      ),
    )
  } catch {
    // Is damaged already.
  }
}

/** Every part of an answer, by its path. */
function pathsOf(value: Json, at: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [at]
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value)
  return [at, ...keys.flatMap((key) => pathsOf((value as Record<string, Json>)[key] as Json, [...at, key]))]
}

type Change = (holder: Json[] | Record<string, Json>, key: string | number) => void

/** The answer with one part changed where it stands; the whole of it is replaced by nothing but `whole`. */
function changed(tree: Json, path: Path, change: Change): Json {
  const copy = structuredClone(tree)
  const last = path.at(-1)
  let holder: unknown = copy
  for (const key of path.slice(0, -1)) holder = (holder as Record<string, unknown> | undefined)?.[key]
  if (last !== undefined && typeof holder === 'object' && holder !== null) change(holder as Json[], last)
  return copy
}

const odd = fc.oneof(
  fc.jsonValue() as fc.Arbitrary<Json>,
  fc.constantFrom<Json>(
    '',
    ' ',
    '0',
    '-0',
    'E1',
    '1e300',
    -1,
    0.5,
    1.5,
    '1e-300',
    65_535,
    8.64e12,
    '__proto__',
  ),
  fc.integer({ min: -3, max: 70_000 }).map((number) => (number % 2 ? number : String(number))),
)

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.constant<Change>((holder, key) => {
    if (Array.isArray(holder)) holder.splice(Number(key), 1)
    else delete holder[key]
  }),
  fc.constant<Change>((holder, key) => {
    if (Array.isArray(holder)) holder.splice(Number(key), 0, structuredClone(holder[Number(key)] as Json))
    else holder[`${key}2`] = holder[key] as Json
  }),
  odd.map<Change>((by) => (holder, key) => {
    Object.defineProperty(holder, key, { value: by, enumerable: true, configurable: true, writable: true })
  }),
)

const damagedTree = fc.constantFrom(...trees.keys()).chain((fixture) => {
  const tree = trees.get(fixture) as Json
  const step = fc.tuple(fc.constantFrom(...pathsOf(tree)), change)
  return fc.array(step, { minLength: 1, maxLength: 3 }).map((steps) => {
    const answer = steps.reduce<Json>((at, [path, how]) => changed(at, path, how), tree)
    return { fixture, damaged: Buffer.from(JSON.stringify(answer)) }
  })
})

function damagedBytes(some: readonly Fixture[]) {
  return fc.constantFrom(...some).chain((fixture) => {
    const bytes = body(fixture)
    const place = fc.nat(Math.max(0, bytes.length - 1))
    const truncated = place.map((end): Uint8Array => bytes.subarray(0, end))
    const flip = fc.tuple(place, fc.integer({ min: 1, max: 255 }))
    const flipped = fc.array(flip, { minLength: 1, maxLength: 3 }).map((flips) => withFlips(bytes, flips))
    return fc.oneof(truncated, flipped).map((damaged) => ({ fixture, damaged }))
  })
}

function withFlips(bytes: Uint8Array, flips: readonly (readonly [number, number])[]): Uint8Array {
  const copy = Uint8Array.from(bytes)
  for (const [at, by] of flips) if (at < copy.length) copy[at] = (copy[at] ?? 0) ^ by
  return copy
}

/** Understood, and then as promised, or ENVLOG_REPLY. */
async function understoodOrRefused({ fixture, damaged }: { fixture: Fixture; damaged: Uint8Array }) {
  let payload: unknown
  try {
    payload = (await receive(fixture.endpoint, damaged, requestOf(fixture))).payload
  } catch (error) {
    const known = error instanceof EnvlogError && error.code === 'ENVLOG_REPLY'
    assert.ok(known, `${fixture.name} threw ${error instanceof Error ? error.stack : String(error)}`)
    return
  }
  plain(payload)
  assert.equal(typeof JSON.stringify(payload), 'string')
  if (fixture.endpoint === 'current') asReadings(payload as ReadingLike[])
  else if (fixture.endpoint === 'alert') asAlerts(payload as Alert[])
  else asSeries(payload as Series)
}

/** As it came or ENVLOG_REPLY: text is left alone, JSON is parsed. */
async function passedOrRefused({ fixture, damaged }: { fixture: Fixture; damaged: Uint8Array }) {
  const text = Buffer.from(damaged).toString()
  try {
    const { payload } = await receive(fixture.endpoint, damaged, requestOf(fixture))
    if (typeof payload === 'string') assert.equal(payload, text)
    else assert.deepEqual(payload, JSON.parse(text))
  } catch (error) {
    assert.ok(error instanceof EnvlogError && error.code === 'ENVLOG_REPLY', String(error))
  }
}

/** Whatever a refusal says: its status alone tells what it is. */
async function sameRefusal({ fixture, damaged }: { fixture: Fixture; damaged: Uint8Array }) {
  const { error } = expected.get(fixture) ?? {}
  await assert.rejects(receive(fixture.endpoint, damaged, requestOf(fixture)), (caught) => {
    assert.ok(caught instanceof EnvlogError, String(caught))
    assert.deepEqual([caught.code, caught.reason], [error?.code, error?.reason])
    plain(caught.params, 'params')
    plain(caught.cause, 'cause')
    return true
  })
}

/** JSON through and through: nothing undefined, no number that JSON does not have, no object but plain ones. */
function plain(value: unknown, at = 'payload'): void {
  if (typeof value === 'number') assert.ok(Number.isFinite(value), `${at} is ${value}`)
  else if (typeof value === 'object' && value !== null) {
    const kind = Object.getPrototypeOf(value)
    assert.ok(kind === Object.prototype || kind === Array.prototype, `${at} is a ${kind?.constructor?.name}`)
    for (const key of Object.keys(value)) plain(value[key as keyof typeof value], `${at}.${key}`)
  } else assert.ok(['string', 'boolean', 'object'].includes(typeof value), `${at} is ${typeof value}`)
}

function keysOf(value: object, keys: readonly string[], optional: readonly string[] = []): void {
  const own = Object.keys(value).filter((key) => !optional.includes(key))
  assert.deepEqual(own.sort(), [...keys].sort())
}

const DEVICE = ['serial', 'name', 'model', 'base', 'standalone', 'utcOffset']

function asDevice({ serial, name, model, base, standalone }: Device, utcOffset: number): void {
  keysOf(base, ['serial', 'name', 'model'])
  for (const text of [serial, name, model, base.serial, base.name, base.model]) {
    assert.equal(typeof text, 'string')
  }
  assert.notEqual(serial, '')
  assert.equal(standalone, base.serial === serial)
  assert.ok(Number.isInteger(utcOffset))
}

function asTime({ time, timestamp }: { time: string | null; timestamp: number | null }): void {
  if (timestamp === null) assert.equal(time, null)
  else assert.equal(Date.parse(String(time)), timestamp, 'both name the same instant')
}

function asChannels(channels: readonly Channel[], more: readonly string[] = []): void {
  for (const channel of channels) {
    keysOf(channel, ['key', 'number', 'name', 'unit', ...more])
    assert.ok(Number.isInteger(channel.number) && channel.number > 0)
    assert.equal(channel.key, `ch${channel.number}`)
    assert.ok(channel.name !== '' && typeof channel.name === 'string' && typeof channel.unit === 'string')
  }
  assert.equal(new Set(channels.map(({ key }) => key)).size, channels.length, 'each channel once')
}

/** A number, or the reason why there is none. */
function asValue(value: unknown, error: unknown): void {
  if (value === null) assert.ok(typeof error === 'string' && error.trim() !== '', 'a null has its reason')
  else {
    assert.equal(typeof value, 'number')
    assert.equal(error ?? null, null, 'a number has no error')
  }
}

/** Without a time first, then oldest first. */
function asOldestFirst(items: readonly { timestamp: number | null }[]): void {
  const times = items.map(({ timestamp }) => timestamp ?? Number.NEGATIVE_INFINITY)
  assert.ok(times.every((time, index) => index === 0 || (times[index - 1] ?? 0) <= time))
}

interface ReadingLike extends Device {
  utcOffset: number
  time: string | null
  timestamp: number | null
  number: number | null
  group: { number: number | null; name: string } | null
  age: number | null
  stale: boolean | null
  battery: { code: number | null; level: string }
  rssi: number | null
  channels: (Channel & { value: number | null; error: string | null })[]
}

const READING = ['number', 'group', 'time', 'timestamp', 'age', 'stale', 'battery', 'rssi', 'channels']
const LEVELS = ['replace-now', 'replace-soon', 'half', 'low', 'sufficient', 'unknown']

function asReadings(readings: readonly ReadingLike[]): void {
  for (const reading of readings) {
    keysOf(reading, [...DEVICE, ...READING])
    asDevice(reading, reading.utcOffset)
    asTime(reading)
    asChannels(reading.channels, ['value', 'error'])
    for (const { value, error } of reading.channels) asValue(value, error)
    const { age, battery, group, timestamp } = reading
    assert.equal(age === null, timestamp === null)
    assert.ok(age === null || (Number.isInteger(age) && age >= 0))
    assert.ok(LEVELS.includes(battery.level))
    if (group) assert.ok(typeof group.name === 'string' && group.name !== '')
    for (const number of [reading.number, reading.rssi, battery.code, group?.number ?? null]) {
      assert.ok(number === null || typeof number === 'number')
    }
  }
}

function asSeries(series: Series): void {
  const { channels, records, gaps } = series
  keysOf(series, [...DEVICE, 'channels', 'records', 'gaps'])
  asDevice(series, series.utcOffset)
  asChannels(channels)
  const keys = channels.map(({ key }) => key)
  for (const record of records) {
    keysOf(record, ['time', 'timestamp', 'dataId', ...keys], ['errors'])
    asTime(record)
    for (const key of keys) asValue(record[key as 'ch1'], record.errors?.[key])
    if (record.errors) {
      const told = Object.keys(record.errors)
      assert.ok(told.length > 0 && told.every((key) => keys.includes(key)), 'errors of channels, or none')
    }
  }
  asOldestFirst(records)
  assert.equal(new Set(records.map((record) => JSON.stringify(record))).size, records.length, 'none twice')
  const times = new Set(records.map(({ time }) => time))
  for (const { kind, after, before, missing } of gaps) {
    assert.ok(times.has(after) && times.has(before) && after !== null && before !== null)
    if (kind === 'restart') assert.equal(missing, null)
    else
      assert.ok(kind === 'missing' && Number.isInteger(missing) && (missing ?? 0) > 0, `${missing} missing`)
  }
}

const ALERT = [...DEVICE, 'time', 'timestamp', 'source', 'channel', 'kind', 'text']
const KINDS = ['upper-limit', 'lower-limit', 'recovered', 'sensor-error', 'battery', 'communication', 'other']

function asAlerts(alerts: readonly Alert[]): void {
  for (const alert of alerts) {
    keysOf(alert, ALERT)
    asDevice(alert, alert.utcOffset)
    asTime(alert)
    asChannels(alert.channel ? [alert.channel] : [])
    assert.ok(KINDS.includes(alert.kind))
    assert.match(alert.source, /^(ch[1-6]|battery|communication)$/)
    assert.equal(alert.source.startsWith('ch') ? alert.source : undefined, alert.channel?.key)
    assert.notEqual(alert.text.trim(), '')
  }
  asOldestFirst(alerts)
}

describe('a damaged answer', () => {
  it('as it came keeps the promises too', async () => {
    for (const fixture of read) await understoodOrRefused({ fixture, damaged: body(fixture) })
  })

  it('with parts deleted, doubled and replaced is understood or ENVLOG_REPLY', async () => {
    await fc.assert(fc.asyncProperty(damagedTree, understoodOrRefused), { numRuns: 3000 })
  })

  it('cut off at any byte, or with bytes flipped, is understood or ENVLOG_REPLY', async () => {
    await fc.assert(fc.asyncProperty(damagedBytes(read), understoodOrRefused), { numRuns: 3000 })
  })

  it('sent as it came is just that, or ENVLOG_REPLY', async () => {
    await fc.assert(fc.asyncProperty(damagedBytes(asItCame), passedOrRefused), { numRuns: 500 })
  })

  it('that refuses is the same failure whatever it says', async () => {
    await fc.assert(fc.asyncProperty(damagedBytes(refused), sameRefusal), { numRuns: 500 })
  })

  it('replaced by any JSON is understood or ENVLOG_REPLY', async () => {
    const whole = fc.record({ fixture: fc.constantFrom(...read), json: odd })
    const property = fc.asyncProperty(whole, ({ fixture, json }) =>
      understoodOrRefused({ fixture, damaged: Buffer.from(JSON.stringify(json)) }),
    )
    await fc.assert(property, { numRuns: 300 })
  })
})
