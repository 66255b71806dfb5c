import assert from 'node:assert/strict'
import fc from 'fast-check'
import { schemas } from '../../../scripts/schemas'
import { accountSchema, credentialsSchema } from '../../../src/shared/account-schema'
import { actionSchemas } from '../../../src/shared/action-schemas'
import { findSharedQuotaProblem, isClearText, withoutEndpoint } from '../../../src/shared/addresses'
import { limitsSchema, readLimits, repairLimit } from '../../../src/shared/limits-schema'
import type { Problem } from '../../../src/shared/problems'
import { findProblem, MAX_ELEMENTS, MAX_TEXT, MAX_TYPED_INPUT, type Schema } from '../../../src/shared/schema'
import { readRelative, readTime } from '../../../src/shared/time-input'

/** A property of a node; `find` is what forms and runtime find wrong with a value. */
interface Setting {
  name: string
  most: number
  find(value: unknown): Problem | undefined
}

/** Settings that may be an expression in JSONata. */
const typedInputs = (schema: Schema) => (schema === limitsSchema ? ['limits'] : ['property', 'from', 'to'])

const settingsOf = (schema: Schema): Setting[] =>
  Object.keys(schema.shape).map((name) => ({
    name,
    most: typedInputs(schema).includes(name) ? MAX_TYPED_INPUT : MAX_TEXT,
    find: (value) => findProblem(schema, name, value),
  }))

const settingsOfRow: Setting[] = Object.keys(repairLimit({})).map((name) => ({
  name,
  most: MAX_TEXT,
  find(value) {
    const found = readLimits([{ above: 8, [name]: value }])
    return 'problem' in found ? (found.problem as Problem) : undefined
  },
}))

const all: [node: string, settings: Setting[]][] = [
  ...Object.entries<Schema>({ ...schemas, 'its credentials': credentialsSchema }).map(
    ([node, schema]): [string, Setting[]] => [node, settingsOf(schema)],
  ),
  ['a row of limits', settingsOfRow],
]

/** A text that begins like a setting and repeats what its expressions look for. */
interface Repetitive {
  start: string
  unit: string
  end: string
}
const VARIABLE = '$' + '{'
const repetitive: fc.Arbitrary<Repetitive> = fc.record({
  start: fc.constantFrom(
    ...['', 'https://h', 'redis://', 'redis+sentinel://', '-', '2026-11-20T08:00:00.', '{"alert":', VARIABLE],
  ),
  unit: fc.constantFrom(
    ...[
      '/v1/devices',
      '/v1/devices/',
      '/',
      '//',
      '/a',
      'a',
      'a.',
      '.',
      ':',
      '@',
      'user:pass@',
      ',',
      'host:1,',
    ],
    ...['?password=', '&password=', '?&', '%', '%41', '0', '00', '-0', ' ', '\n', '{', '}', '{serial}', '+'],
    ...['[', '[0,', '{"a":', '"', '\\', VARIABLE, 'Europe/', '+09:00', '_', 'é', '🌡'],
  ),
  end: fc.constantFrom('', '!', '/', '}', '?', ' ', '\n', '@', 'h', 'Z'),
})

function write({ start, unit, end }: Repetitive, length: number): string {
  const rest = length - start.length - end.length
  return start + unit.repeat(rest).slice(0, rest) + end
}

/** The text as a value, in a list, and in a field of an element. */
const valuesWith = (text: string) => [text, [text], [{ serial: text }]]

/** Does something, and returns the length of the longest text that a regular expression was given meanwhile. */
function longestMatched(work: () => void): number {
  const { exec } = RegExp.prototype
  let longest = 0
  RegExp.prototype.exec = function (text) {
    longest = Math.max(longest, text.length)
    return exec.call(this, text)
  }
  try {
    work()
  } finally {
    RegExp.prototype.exec = exec
  }
  return longest
}

describe('a text in settings', () => {
  for (const [node, settings] of all) {
    it(`that is too long is refused before an expression reads it: ${node}`, () => {
      // A blank text of any length means the default.
      const filled = repetitive.filter((parts) => write(parts, 100).trim() !== '')
      const check = (parts: Repetitive, excess: number) => {
        for (const { name, most, find } of settings) {
          for (const value of valuesWith(write(parts, most + excess))) {
            let found: Problem | undefined
            const matched = longestMatched(() => {
              found = find(value)
            })
            assert.deepEqual([name, found], [name, { problem: 'too-long', most }])
            assert.ok(matched <= most, `${name}: an expression was given ${matched} characters`)
          }
        }
      }
      fc.assert(fc.property(filled, fc.integer({ min: 1, max: 9 }), check), { numRuns: 20 })
    })

    it(`of the largest length is read: ${node}`, () => {
      const check = (parts: Repetitive) => {
        for (const { name, most, find } of settings)
          for (const value of valuesWith(write(parts, most)))
            assert.ok(find(value)?.most !== most, `${name}: too long`)
      }
      fc.assert(fc.property(repetitive, check))
    })
  }

  it('is not hidden in a list or an object, which the setting does not have', () => {
    for (const value of [[[['a'.repeat(MAX_TEXT)]]], { a: 'a' }, ['a']])
      assert.deepEqual(findProblem(accountSchema, 'tls', value), { problem: 'text' })
  })

  it('is quoted only in part if it is the name of an unknown property', () => {
    const found = readLimits([{ above: 8, ['a'.repeat(5_000_000)]: 8 }])
    assert.ok(JSON.stringify(found).length < 500)
  })

  it('of any length ends in the expressions that a form applies while it is typed', () => {
    const readers = [withoutEndpoint, findSharedQuotaProblem, isClearText, readRelative, readTime]
    const check = (parts: Repetitive) => {
      for (const read of readers) read(write(parts, 200_000))
    }
    const slowOnce: Repetitive = { start: 'https://h', unit: '/v1/devices', end: '!' }
    fc.assert(fc.property(repetitive, check), { numRuns: 40, examples: [[slowOnce]] })
  })
})

describe('a list in settings', () => {
  it('has a largest number of elements, which is checked before they are', () => {
    const exclude = (length: number) =>
      findProblem(actionSchemas['envlog-current'], 'exclude', Array(length).fill('52A10001'))
    assert.equal(exclude(MAX_ELEMENTS), undefined)
    const matched = longestMatched(() =>
      assert.deepEqual(exclude(MAX_ELEMENTS + 1), { problem: 'too-many', most: MAX_ELEMENTS }),
    )
    assert.equal(matched, 0)
  })

  it('of limits is compared only if it is not too long', () => {
    const found = readLimits(Array.from({ length: 100_000 }, (_, row) => ({ name: `${row}`, above: 8 })))
    assert.deepEqual(found, { property: 'limits', problem: { problem: 'limits-many', most: 1000 } })
  })
})
