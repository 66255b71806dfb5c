import assert from 'node:assert/strict'
import fc from 'fast-check'
import { EnvlogError } from '../../../src/lib/errors'
import type { Alert } from '../../../src/lib/readings/alerts'
import type { Reading } from '../../../src/lib/readings/current'
import type { Series } from '../../../src/lib/readings/series'
import { runs } from '../../support/chance'
import { asAlerts, asReadings, asSeries, plain } from '../../support/promises'
import { bodyOf, expectedOf, type Fixture, fixtures, receive } from '../../support/response-fixtures'

/** Every fixture, randomly damaged: the client throws only ENVLOG_REPLY, and sent messages satisfy docs/messages.md. */

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
type Path = readonly (string | number)[]

const requests = new Map(fixtures.map((fixture) => [fixture, expectedOf(fixture).request]))
const requestOf = (fixture: Fixture) => requests.get(fixture) ?? {}

const answered = fixtures.filter((fixture) => (requestOf(fixture).status ?? 200) === 200)
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
    // The fixture itself is damaged.
  }
}

/** The path of every part of a response. */
function pathsOf(value: Json, at: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [at]
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value)
  return [at, ...keys.flatMap((key) => pathsOf((value as Record<string, Json>)[key] as Json, [...at, key]))]
}

type Change = (holder: Json[] | Record<string, Json>, key: string | number) => void

/** A copy of the response with one part changed in place; only `whole` replaces the whole response. */
function changed(tree: Json, path: Path, change: Change): Json {
  const copy = structuredClone(tree)
  const last = path.at(-1)
  let holder: unknown = copy
  for (const key of path.slice(0, -1)) {
    // An earlier change may have removed the part; and `__proto__` must not be modified.
    if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, key)) return copy
    holder = (holder as Record<string, unknown>)[key]
  }
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
    const response = steps.reduce<Json>((at, [path, how]) => changed(at, path, how), tree)
    return { fixture, damaged: Buffer.from(JSON.stringify(response)) }
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

/** Decoded as documented, or ENVLOG_REPLY. */
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
  if (fixture.endpoint === 'current') asReadings(payload as Reading[])
  else if (fixture.endpoint === 'alert') asAlerts(payload as Alert[])
  else asSeries(payload as Series)
}

/** Raw output: unchanged text or parsed JSON, or ENVLOG_REPLY. */
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

describe('a damaged response', function () {
  this.timeout(120_000)

  it('without damage passes the same checks', async () => {
    for (const fixture of read) await understoodOrRefused({ fixture, damaged: body(fixture) })
  })

  it('with parts deleted, duplicated and replaced is readable or fails with ENVLOG_REPLY', async () => {
    await fc.assert(fc.asyncProperty(damagedTree, understoodOrRefused), { numRuns: runs(6000) })
  })

  it('truncated at any byte, or with bytes flipped, is readable or fails with ENVLOG_REPLY', async () => {
    await fc.assert(fc.asyncProperty(damagedBytes(read), understoodOrRefused), { numRuns: runs(6000) })
  })

  it('as raw output is unchanged, or fails with ENVLOG_REPLY', async () => {
    await fc.assert(fc.asyncProperty(damagedBytes(asItCame), passedOrRefused), { numRuns: runs(3000) })
  })
})
