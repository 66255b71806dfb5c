/** A map or list with more entries becomes text in steps of so many. */
const ENTRIES_PER_STEP = 256
/** How deep below a state long maps and lists may be. */
const MAX_DEPTH = 3

/**
 * A map whose values are converted when they become text, a few at a time; it is without those that are `undefined`. No
 * key occurs twice.
 */
export class LazyMap<T> {
  constructor(
    private readonly entries: readonly (readonly [string, T])[],
    private readonly convert: (value: T) => unknown = (value) => value,
  ) {}

  get length(): number {
    return this.entries.length
  }

  /** Its entries from `from` up to and without `to`. */
  slice(from: number, to?: number): Record<string, unknown> {
    return Object.fromEntries(this.entries.slice(from, to).map(([key, value]) => [key, this.convert(value)]))
  }

  toJSON(): Record<string, unknown> {
    return this.slice(0)
  }
}

const isContainer = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !('toJSON' in value)

/** Whether a map or list, or one in it, has many entries. */
function isLong(value: unknown, depth: number): boolean {
  if (value instanceof LazyMap) return value.length > ENTRIES_PER_STEP
  if (!isContainer(value)) return false
  const values = Array.isArray(value) ? value : Object.values(value)
  return values.length > ENTRIES_PER_STEP || (depth > 0 && values.some((one) => isLong(one, depth - 1)))
}

/**
 * What `JSON.stringify` returns, made in steps where the value is long: of plain values, and without the key for a
 * `toJSON` of its own. Each step yields the characters it has made.
 */
export function* jsonInSteps(value: unknown, depth = MAX_DEPTH): Generator<number, string | undefined> {
  if (!isLong(value, depth)) return JSON.stringify(value)
  const parts: string[] = []
  const isList = Array.isArray(value)
  const long = value instanceof LazyMap || isList ? value : new LazyMap(Object.entries(value as object))
  if (long.length > ENTRIES_PER_STEP) {
    for (let at = 0; at < long.length; at += ENTRIES_PER_STEP) {
      const text = JSON.stringify(long.slice(at, at + ENTRIES_PER_STEP))
      if (text.length > 2) parts.push(text.slice(1, -1))
      yield text.length
    }
  } else if (isList) {
    for (const one of value) parts.push((yield* jsonInSteps(one, depth - 1)) ?? 'null')
  } else {
    for (const [key, one] of Object.entries(value as object)) {
      const text = yield* jsonInSteps(one, depth - 1)
      if (text !== undefined) parts.push(`${JSON.stringify(key)}:${text}`)
    }
  }
  return isList ? `[${parts.join(',')}]` : `{${parts.join(',')}}`
}
