import { parseJson, stripBom } from './json'

/** A slice that is parsed at once: short enough for the event loop, and for V8 to keep what comes of it young. */
const SLICE_BYTES = 64 * 1024
/** So much without an end of anything is some other layout. */
const MOST_PENDING_BYTES = 1024 * 1024

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a]
const [OPEN, CLOSE, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d]
const isBlank = (byte: number | undefined) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/** Stands for the elements in the rest of the answer: were it not found there, another array was cut. */
const MARK = '\u0000elements'

/**
 * Parses an answer while it arrives: the elements of one array at the answer's top, slice by slice, so that the
 * event loop is never stopped for long. A slice ends behind an element: what comes before such an end parses as
 * whole elements only if it really is one, whatever the texts in between hold. Where anything is not as expected
 * nothing comes of it, and the answer is to be parsed as a whole.
 * @param key of the array
 * @param taken told the elements that were parsed, in their order: void where nothing comes of it in the end
 * @param read takes those before them that need no parsing, each with the comma behind it; tells how many bytes
 */
export function createIncrementalArrayParser(
  key: string,
  taken: (elements: readonly unknown[]) => void,
  read: (bytes: Buffer) => number = () => 0,
) {
  const name = Buffer.from(`"${key}"`)
  let isFirst = true
  /** What has arrived and is not parsed. */
  let pending: Buffer = Buffer.alloc(0)
  let head = ''
  let phase: 'head' | 'elements' | 'given-up' = 'head'
  /** Elements hold arrays and objects: their ends are looked for by depth. */
  let isNested = false
  /** Of the last that was found so: the others are likely to look like it. */
  let border: Buffer | undefined

  function push(chunk: Uint8Array): void {
    if (phase === 'given-up') return
    pending =
      pending.length === 0
        ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
        : Buffer.concat([pending, chunk])
    if (phase === 'head') findArray()
    if (phase === 'elements') readKnown()
    if (phase === 'elements' && pending.length >= SLICE_BYTES) cut()
    if (pending.length > MOST_PENDING_BYTES) phase = 'given-up'
  }

  function findArray(): void {
    for (let at = pending.indexOf(name); at >= 0; at = pending.indexOf(name, at + 1)) {
      const start = arrayAfter(at + name.length)
      if (start === undefined || pending[at - 1] === BACKSLASH) continue
      head = pending.toString('utf8', 0, start)
      pending = pending.subarray(start + 1)
      phase = 'elements'
      return
    }
  }

  /** Where the array begins whose key ends here; nothing where it is no key of an array. */
  function arrayAfter(at: number): number | undefined {
    let colons = 0
    for (let index = at; index < pending.length; index++) {
      const byte = pending[index]
      if (byte === COLON) colons++
      else if (byte === OPEN_ARRAY) return colons === 1 ? index : undefined
      else if (!isBlank(byte)) return undefined
    }
    return undefined
  }

  function readKnown(): void {
    const end = read(pending)
    if (end === 0) return
    isFirst = false
    pending = pending.subarray(end)
  }

  /** Parses what is whole; where that is nothing, more has to arrive. */
  function cut(): void {
    if (!isNested) {
      const end = lastEnd()
      if (end === undefined || take(end)) return
      isNested = true
    }
    const likely = border ? pending.lastIndexOf(border) : -1
    if (border && likely >= 0 && take(likely + border.indexOf(COMMA))) return
    const { comma } = scan()
    if (comma === undefined) return
    border = borderAt(comma)
    if (!take(comma)) phase = 'given-up'
  }

  /** How one element ends and the next begins: likely so between all of them, and found faster than a depth. */
  function borderAt(comma: number): Buffer | undefined {
    const colon = pending.indexOf(COLON, comma)
    return comma < 2 || colon < 0 ? undefined : Buffer.from(pending.subarray(comma - 2, colon))
  }

  function take(end: number): boolean {
    const found = parsed(pending.subarray(0, end))
    if (found === undefined) return false
    taken(found)
    isFirst = false
    pending = pending.subarray(pending.indexOf(COMMA, end) + 1)
    return true
  }

  /** Behind the last object that a comma follows. */
  function lastEnd(): number | undefined {
    for (
      let at = pending.lastIndexOf(CLOSE);
      at >= 0;
      at = at > 0 ? pending.lastIndexOf(CLOSE, at - 1) : -1
    ) {
      let next = at + 1
      while (isBlank(pending[next])) next++
      if (pending[next] === COMMA) return at + 1
    }
    return undefined
  }

  /** The same where objects hold others: only what stands in the array itself counts. */
  function scan(): { comma: number | undefined; arrayEnd: number | undefined } {
    let comma: number | undefined
    let depth = 0
    let isText = false
    for (let index = 0; index < pending.length; index++) {
      const byte = pending[index]
      if (isText) {
        if (byte === BACKSLASH) index++
        else if (byte === QUOTE) isText = false
      } else if (byte === QUOTE) isText = true
      else if (byte === OPEN || byte === OPEN_ARRAY) depth++
      else if (byte === CLOSE || byte === CLOSE_ARRAY) {
        depth--
        if (depth < 0) return { comma, arrayEnd: index }
      } else if (byte === COMMA && depth === 0) comma = index
    }
    return { comma, arrayEnd: undefined }
  }

  /**
   * All has arrived: the answer, with no elements in the array. Nothing where it is not laid out as expected, or so
   * short that no element was taken yet.
   */
  function end(): object | undefined {
    if (phase !== 'elements' || isFirst) return undefined
    const { arrayEnd } = scan()
    if (arrayEnd === undefined) return undefined
    const last = parsed(pending.subarray(0, arrayEnd))
    // A comma was the last that was read.
    if (!last || last.length === 0) return undefined
    const rest = restOf(pending.toString('utf8', arrayEnd + 1))
    if (rest) taken(last)
    return rest
  }

  function restOf(tail: string): object | undefined {
    const rest = parseJson(`${stripBom(head)}[${JSON.stringify(MARK)}]${tail}`)
    if (typeof rest !== 'object' || rest === null || Array.isArray(rest)) return undefined
    const array = (rest as Record<string, unknown>)[key]
    if (!Array.isArray(array) || array.length !== 1 || array[0] !== MARK) return undefined
    array.length = 0
    return rest
  }

  return { push, end }
}

export type IncrementalArrayParser = ReturnType<typeof createIncrementalArrayParser>

/** What stands between the brackets of an array. They are put on as bytes: a text would be copied for them. */
function parsed(elements: Buffer): unknown[] | undefined {
  const array = Buffer.allocUnsafe(elements.length + 2)
  array[0] = OPEN_ARRAY
  array.set(elements, 1)
  array[array.length - 1] = CLOSE_ARRAY
  return parseJson(array.toString('utf8')) as unknown[] | undefined
}
