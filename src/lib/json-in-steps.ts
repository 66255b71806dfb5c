/** A map or list with more entries becomes text in steps of so many. */
const ENTRIES_PER_STEP = 256
/** How deep below a state long maps and lists may be. */
const MAX_DEPTH = 3

const isContainer = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !('toJSON' in value)

/** Whether a map or list, or one in it, has many entries. */
function isLong(value: unknown, depth: number): boolean {
  if (!isContainer(value)) return false
  const values = Array.isArray(value) ? value : Object.values(value)
  return values.length > ENTRIES_PER_STEP || (depth > 0 && values.some((one) => isLong(one, depth - 1)))
}

/** What `JSON.stringify` returns, made in steps where the value is long. Each yields the characters it has made. */
export function* jsonInSteps(value: unknown, depth = MAX_DEPTH): Generator<number, string | undefined> {
  if (!isContainer(value) || !isLong(value, depth)) return JSON.stringify(value)
  const parts: string[] = []
  const isList = Array.isArray(value)
  const entries: unknown[] = isList ? value : Object.entries(value)
  if (entries.length > ENTRIES_PER_STEP) {
    for (let at = 0; at < entries.length; at += ENTRIES_PER_STEP) {
      const part = entries.slice(at, at + ENTRIES_PER_STEP)
      const text = JSON.stringify(isList ? part : Object.fromEntries(part as [string, unknown][]))
      if (text.length > 2) parts.push(text.slice(1, -1))
      yield text.length
    }
  } else if (isList) {
    for (const one of value) parts.push((yield* jsonInSteps(one, depth - 1)) ?? 'null')
  } else {
    for (const [key, one] of Object.entries(value)) {
      const text = yield* jsonInSteps(one, depth - 1)
      if (text !== undefined) parts.push(`${JSON.stringify(key)}:${text}`)
    }
  }
  return isList ? `[${parts.join(',')}]` : `{${parts.join(',')}}`
}
