import assert from 'node:assert/strict'

/** Maximum number of differences shown. */
const MAX_SHOWN = 3

/** Asserts the same elements, equally often, in any order of elements and keys. */
export function assertSame(found: readonly object[], expected: readonly object[]): void {
  const [actual, wanted] = [found, expected].map((list) => list.map(textOf)) as [string[], string[]]
  const missing = without(wanted, actual)
  const extra = without(actual, wanted)
  const few = (list: string[]) => list.slice(0, MAX_SHOWN)
  assert.deepEqual({ missing: few(missing), extra: few(extra) }, { missing: [], extra: [] })
}

function without(list: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>()
  for (const text of others) left.set(text, (left.get(text) ?? 0) + 1)
  return list.filter((text) => {
    const count = left.get(text) ?? 0
    left.set(text, count - 1)
    return count <= 0
  })
}

function textOf(value: unknown): string {
  return JSON.stringify(sorted(value))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, inner]) => [key, sorted(inner)] as const)
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
