/**
 * Keeps secrets out of errors and messages. A service or proxy may repeat a request, and it may write a secret in any
 * encoding, in one encoding inside another, or only a part of it.
 */
import { isSerial } from '../../shared/action'
import { createEncodingDecoders } from './encodings'

/** So many characters of a secret in a row reveal too much of it. */
const FRAGMENT_LENGTH = 6
/** How many encodings inside one another are decoded. */
const MAX_NESTING = 8
/** Texts are searched in parts of this length that overlap, so that a secret on the border of two is found. */
const PART_LENGTH = 4000
const PART_OVERLAP = 600
/**
 * Only the beginning of a text is decoded; behind it, where no name of a device reaches, secrets are found in plain.
 */
const MAX_DECODED_LENGTH = 10_000
/** Bounds the characters of all variants of a part, that is the time that a search takes. */
const MAX_VARIANT_CHARACTERS = 300_000

/** Replaces a text that holds a secret. */
const REDACTED = '***'

/**
 * Creates a function that returns the first 4,000 characters of a text, or a blank text where they may hold a part of
 * a secret.
 */
export function createSecretGuard(secrets: readonly string[]): (text: string) => string {
  const hasSecret = createSecretSearch(secrets)
  return (text) => {
    const part = text.slice(0, PART_LENGTH)
    return hasSecret(part) ? '' : part
  }
}

/**
 * Creates a function that finds any of the secrets in a text. A text that is too intricate to be decoded counts as one
 * with a secret.
 * @param chosen secrets that a person has chosen: see `fragmentsOfChosen`
 */
export function createSecretSearch(
  secrets: readonly string[],
  chosen: readonly string[] = [],
): (text: string) => boolean {
  const fragments = new Set([
    ...secrets.flatMap((secret) => [...fragmentsOf(secret), ...fragmentsOf(toBinaryString(secret))]),
    ...chosen.flatMap((secret) => [
      ...fragmentsOfChosen(secret),
      ...fragmentsOfChosen(toBinaryString(secret)),
    ]),
  ])
  const minLength = Math.min(FRAGMENT_LENGTH, ...[...fragments].map(({ length }) => length))
  const decoders = createEncodingDecoders(minLength)
  const hasFragment = (variant: string) => {
    const folded = fold(variant)
    for (const fragment of fragments) if (folded.includes(fragment)) return true
    return false
  }
  /** Searches breadth first, so that each variant is reached with as few decodings as possible. */
  function hasSecretInPart(part: string): boolean {
    const seen = new Set<string>()
    let characters = 0
    let level = [part]
    for (let nesting = 0; nesting <= MAX_NESTING && level.length > 0; nesting++) {
      const next: string[] = []
      for (const variant of level) {
        if (seen.has(variant)) continue
        seen.add(variant)
        characters += variant.length
        if (characters > MAX_VARIANT_CHARACTERS || hasFragment(variant)) return true
        for (const decode of decoders) next.push(...decode(variant))
      }
      level = next.filter((variant) => variant.length >= minLength && !seen.has(variant))
    }
    return level.length > 0
  }
  return (text) => {
    if (text.length < minLength || fragments.size === 0) return false
    if (text.length <= PART_LENGTH) return hasSecretInPart(text)
    for (let at = 0; at < Math.min(text.length, MAX_DECODED_LENGTH); at += PART_LENGTH - PART_OVERLAP) {
      if (hasSecretInPart(text.slice(at, at + PART_LENGTH))) return true
    }
    return hasFragment(text)
  }
}

/** Ignores case and the kind of blanks, which do not hide a secret. */
const fold = (text: string) => text.toLowerCase().replace(BLANKS, ' ')
const BLANKS = /(?:\s|(?![\x80-\x9f])\p{Cc})+/gu

/** All fragments of a secret; of a short one itself. */
function fragmentsOf(secret: string): string[] {
  // By way of UTF-8, in which half a surrogate pair cannot be sent.
  const folded = fold(Buffer.from(secret).toString())
  if (folded.length <= FRAGMENT_LENGTH) return folded === '' ? [] : [folded]
  return Array.from({ length: folded.length - FRAGMENT_LENGTH + 1 }, (_, at) =>
    folded.slice(at, at + FRAGMENT_LENGTH),
  )
}

/**
 * The fragments of a secret that a person has chosen, and the whole of it. Fragments of letters only are left out: a
 * device may be named by a word that is in the password, and would lose its name.
 */
function fragmentsOfChosen(secret: string): string[] {
  const folded = fold(Buffer.from(secret).toString())
  return [
    ...fragmentsOf(secret).filter((fragment) => !/^\p{L}+$/u.test(fragment)),
    ...(folded === '' ? [] : [folded]),
  ]
}

/** The UTF-8 bytes of a text, one character each: what a secret looks like where they are read as Latin-1. */
const toBinaryString = (text: string) => Buffer.from(text).toString('latin1')

/** Replaces what holds a secret in an answer that is passed on. */
export interface Redactor {
  /** Redacts texts and keys of a decoded or parsed answer, in place, at any depth, in steps. */
  redactJson<T>(value: T): Generator<undefined, T>
  /** Redacts cells of CSV. */
  redactCsv(text: string): string
}

const OBJECTS_PER_STEP = 256
/** A number or a time, also as a cell of CSV. It is never redacted: a password of digits must not remove records. */
const FIGURE = /^"?(?:[-+]?\d{0,11}(?:\.\d*)?|\d{4}[-/]\d\d[-/]\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?)"?$/
/** The service's own keys. They are never redacted: a password that holds such a word must not remove fields. */
const SERVICE_KEY =
  /^(?:devices|serial|battery|channel|baseunit|unixtime|(?:remote|base)-(?:serial|model|name)|(?:time|std|dst)[-_](?:diff|bias|flg)|data[-_]id|alert-logs|battery-level|communication-status)$/
const SERIAL_KEY = /serial$|^base$/
const CELL = /"[^"]*(?:""[^"]*){0,200}"|[^",\r\n][^,\r\n]*/g
const ROW = /[^\r\n]+/g
const ROW_OF_FIGURES = /^[-+\d\s.,:/"]*$/

/**
 * Creates a redactor.
 * @param chosen secrets that a person has chosen; their words may occur in names
 */
export function createRedactor(secrets: readonly string[], chosen: readonly string[] = []): Redactor {
  // Shorter secrets occur in too many words: they are redacted only where they are the whole text.
  const short = new Set([...secrets, ...chosen].filter(({ length }) => length < FRAGMENT_LENGTH))
  const withoutShort = (all: readonly string[]) => all.filter((secret) => !short.has(secret))
  const hasSecret = memoize(createSecretSearch(withoutShort(secrets), withoutShort(chosen)))
  const isUnsafe = memoize((key) => !SERVICE_KEY.test(key) && !FIGURE.test(key) && hasSecret(key))
  const isShortSecret = (text: string) =>
    short.size > 0 && text !== '' && short.has(text.replace(/^"|"$/g, ''))
  const redactText = (text: string) =>
    FIGURE.test(text) || !(hasSecret(text) || isShortSecret(text)) ? text : REDACTED
  const foldedChosen = chosen.map(fold)
  /** A person may choose the serial number of a device as password, which must not remove the device. */
  const isPartOfChosen = (serial: string) =>
    foldedChosen.some((secret) => secret.includes(serial.toLowerCase()))

  function redactField(text: string, key: string): string {
    return SERIAL_KEY.test(key) && isSerial(text) && isPartOfChosen(text) ? text : redactText(text)
  }

  function redactProperties(
    object: Record<string, unknown>,
    visit: (value: unknown, key: string) => unknown,
  ): void {
    for (const key of Object.keys(object)) {
      const value = object[key]
      const redacted = visit(value, key)
      const safeKey = isUnsafe(key) ? REDACTED : key
      if (safeKey !== key) delete object[key]
      if (safeKey !== key || redacted !== value) object[safeKey] = redacted
    }
  }

  /** A secret that has commas may be spread over several cells. */
  function redactRow(row: string): string {
    if (ROW_OF_FIGURES.test(row)) return row
    const words = (row.match(CELL) ?? []).filter((cell) => !FIGURE.test(cell))
    if (words.length < 2 || !hasSecret(words.join())) return row
    return row.replace(CELL, (cell) => (FIGURE.test(cell) ? cell : REDACTED))
  }

  function* redactJson<T>(value: T): Generator<undefined, T> {
    // A stack instead of recursion: an answer may be nested deeper than calls can be.
    const pending: object[] = []
    const visit = (found: unknown, key = ''): unknown => {
      if (typeof found === 'object' && found !== null) pending.push(found)
      return typeof found === 'string' ? redactField(found, key) : found
    }
    const result = visit(value) as T
    let visited = 0
    for (let object = pending.pop(); object; object = pending.pop()) {
      if (++visited % OBJECTS_PER_STEP === 0) yield undefined
      if (Array.isArray(object)) for (const [index, found] of object.entries()) object[index] = visit(found)
      else if (object instanceof Map) for (const [key, found] of object) object.set(key, visit(found))
      else if (!ArrayBuffer.isView(object)) redactProperties(object as Record<string, unknown>, visit)
    }
    return result
  }

  return {
    redactJson,
    redactCsv: (text) => text.replace(CELL, redactText).replace(ROW, redactRow),
  }
}

/** As many as the names and serials of 10,000 devices. */
const MAX_MEMOIZED = 30_000
const MAX_MEMOIZED_LENGTH = 100

/** Remembers the results for short texts: names come again with every answer, keys with every record. */
function memoize(hasSecret: (text: string) => boolean): (text: string) => boolean {
  const results = new Map<string, boolean>()
  return (text) => {
    if (text.length > MAX_MEMOIZED_LENGTH) return hasSecret(text)
    const known = results.get(text)
    if (known !== undefined) return known
    if (results.size === MAX_MEMOIZED) results.clear()
    const result = hasSecret(text)
    // A copy: a part of a text keeps the whole of it in memory.
    results.set(Buffer.from(text, 'utf16le').toString('utf16le'), result)
    return result
  }
}
