import { parseJson, stripBom } from './json'

/**
 * How much is parsed at once: short enough for the event loop, and for V8 to keep the result in its young generation.
 */
const BATCH_BYTES = 64 * 1024
/** So many bytes without the end of an element are some other layout. */
const MAX_PENDING_BYTES = 1024 * 1024

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a]
const [OPEN, CLOSE, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d]
const isBlank = (byte: number | undefined) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/** Takes the place of the elements in the remainder. If it is not found there, the array was another one. */
const PLACEHOLDER = '\u0000elements'

/**
 * Creates a parser of JSON that parses one array at the top level of an object while it arrives, batch by batch, so
 * that the event loop is never blocked for long. A batch ends behind an element: the bytes before such an end parse as
 * whole elements only if they are, whatever their texts hold. Where the layout is not as expected the parser gives up,
 * and the answer has to be parsed as a whole.
 * @param key of the array
 * @param onElements receives the parsed elements of each batch, in their order; void if the parser gives up in the end
 * @param scan reads elements without parsing, each with the comma behind it, from the start of the bytes; returns how
 * many bytes they took
 */
export function createIncrementalArrayParser(
  key: string,
  onElements: (elements: readonly unknown[]) => void,
  scan: (bytes: Buffer) => number = () => 0,
) {
  const quotedKey = Buffer.from(`"${key}"`)
  let hasElements = false
  /** What has arrived and is not parsed. */
  let pending: Buffer = Buffer.alloc(0)
  /** The text in front of the array. */
  let head = ''
  let phase: 'head' | 'elements' | 'given-up' = 'head'
  /** The elements hold arrays or objects, so their ends are found by depth. */
  let isNested = false
  /** The bytes around the comma between two nested elements: likely the same between all of them. */
  let separator: Buffer | undefined

  /** Takes the next chunk, which is not copied: its memory must not be reused. */
  function push(chunk: Uint8Array): void {
    if (phase === 'given-up') return
    pending =
      pending.length === 0
        ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
        : Buffer.concat([pending, chunk])
    if (phase === 'head') findArray()
    if (phase === 'elements') scanPending()
    if (phase === 'elements' && pending.length >= BATCH_BYTES) parseBatch()
    if (pending.length > MAX_PENDING_BYTES) phase = 'given-up'
  }

  function findArray(): void {
    for (let at = pending.indexOf(quotedKey); at >= 0; at = pending.indexOf(quotedKey, at + 1)) {
      const start = findArrayStart(at + quotedKey.length)
      if (start === undefined || pending[at - 1] === BACKSLASH) continue
      head = pending.toString('utf8', 0, start)
      pending = pending.subarray(start + 1)
      phase = 'elements'
      return
    }
  }

  /** Where the array of the key begins that ends at `at`; `undefined` where it is no key of an array. */
  function findArrayStart(at: number): number | undefined {
    let colons = 0
    for (let index = at; index < pending.length; index++) {
      const byte = pending[index]
      if (byte === COLON) colons++
      else if (byte === OPEN_ARRAY) return colons === 1 ? index : undefined
      else if (!isBlank(byte)) return undefined
    }
    return undefined
  }

  function scanPending(): void {
    const end = scan(pending)
    if (end === 0) return
    hasElements = true
    pending = pending.subarray(end)
  }

  /** Parses the whole elements that are pending; where there is none, more has to arrive. */
  function parseBatch(): void {
    if (!isNested) {
      const end = findLastObjectEnd()
      if (end === undefined || parseUpTo(end)) return
      isNested = true
    }
    const likely = separator ? pending.lastIndexOf(separator) : -1
    if (separator && likely >= 0 && parseUpTo(likely + separator.indexOf(COMMA))) return
    const { lastComma } = scanDepth()
    if (lastComma === undefined) return
    separator = separatorAt(lastComma)
    if (!parseUpTo(lastComma)) phase = 'given-up'
  }

  /**
   * How the element before a comma ends and the one behind it begins, up to its first colon. Faster to find than a
   * depth.
   */
  function separatorAt(comma: number): Buffer | undefined {
    const colon = pending.indexOf(COLON, comma)
    return comma < 2 || colon < 0 ? undefined : Buffer.from(pending.subarray(comma - 2, colon))
  }

  /** Parses the elements before `end`. Returns false where they are not whole. */
  function parseUpTo(end: number): boolean {
    const elements = parseElements(pending.subarray(0, end))
    if (elements === undefined) return false
    onElements(elements)
    hasElements = true
    pending = pending.subarray(pending.indexOf(COMMA, end) + 1)
    return true
  }

  /** The end of the last object that a comma follows. */
  function findLastObjectEnd(): number | undefined {
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

  /** The last comma between elements, and the end of the array, by counting brackets outside of texts. */
  function scanDepth(): { lastComma: number | undefined; arrayEnd: number | undefined } {
    let lastComma: number | undefined
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
        if (depth < 0) return { lastComma, arrayEnd: index }
      } else if (byte === COMMA && depth === 0) lastComma = index
    }
    return { lastComma, arrayEnd: undefined }
  }

  /**
   * Ends parsing when everything has arrived. Returns the answer with an empty array; `undefined` where the parser has
   * given up, or the array was so short that no element was parsed yet.
   */
  function end(): object | undefined {
    if (phase !== 'elements' || !hasElements) return undefined
    const { arrayEnd } = scanDepth()
    if (arrayEnd === undefined) return undefined
    const elements = parseElements(pending.subarray(0, arrayEnd))
    // Without a last element the array ends with a comma, which is no JSON.
    if (!elements || elements.length === 0) return undefined
    const remainder = parseRemainder(pending.toString('utf8', arrayEnd + 1))
    if (remainder) onElements(elements)
    return remainder
  }

  function parseRemainder(tail: string): object | undefined {
    const remainder = parseJson(`${stripBom(head)}[${JSON.stringify(PLACEHOLDER)}]${tail}`)
    if (typeof remainder !== 'object' || remainder === null || Array.isArray(remainder)) return undefined
    const array = (remainder as Record<string, unknown>)[key]
    if (!Array.isArray(array) || array.length !== 1 || array[0] !== PLACEHOLDER) return undefined
    array.length = 0
    return remainder
  }

  return { push, end }
}

export type IncrementalArrayParser = ReturnType<typeof createIncrementalArrayParser>

/**
 * Parses what stands between the brackets of an array. They are added as bytes, because a text would be copied for
 * them.
 */
function parseElements(elements: Buffer): unknown[] | undefined {
  const array = Buffer.allocUnsafe(elements.length + 2)
  array[0] = OPEN_ARRAY
  array.set(elements, 1)
  array[array.length - 1] = CLOSE_ARRAY
  return parseJson(array.toString('utf8')) as unknown[] | undefined
}
