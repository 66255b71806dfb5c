/**
 * Secrets that the service's or a proxy's words may repeat: whoever echoes a request may write it in any of these
 * spellings, one inside another, or only a part of it.
 */
import { isSerial } from '../../shared/action'
import { createEncodingDecoders } from './encodings'

/** So many letters of a secret in a row tell too much of it. */
const WINDOW = 6
/** Spellings inside each other that are looked through. */
const ROUNDS = 8
/** Of longer words only the beginning is used; other texts are looked through in parts that share some letters. */
const PART = 4000
const SHARED = 600
/** What is behind it, where no name goes, is looked through without any spelling. */
const LONGEST = 10_000
/** Letters of all readings of a part. */
const MOST_WORK = 300_000

/** What stands for a text that holds a secret. */
const GONE = '***'

/** Makes a function that gives back a text as it is, or nothing where any of it might be of an account's secrets. */
export function createSecretGuard(secrets: readonly string[]): (text: string) => string {
  const holds = searchFor(secrets)
  return (text) => {
    const words = text.slice(0, PART)
    return holds(words) ? '' : words
  }
}

/** Whether a text holds any of the secrets. What is too intricate to be looked through is taken for one. */
function searchFor(secrets: readonly string[], chosen: readonly string[] = []): (text: string) => boolean {
  const windows = new Set([
    ...secrets.flatMap((secret) => [...windowsOf(secret), ...windowsOf(asBytes(secret))]),
    ...chosen.flatMap((secret) => [...oddWindowsOf(secret), ...oddWindowsOf(asBytes(secret))]),
  ])
  const least = Math.min(WINDOW, ...[...windows].map(({ length }) => length))
  const decoders = createEncodingDecoders(least)
  const tells = (reading: string) => {
    const folded = fold(reading)
    for (const one of windows) if (folded.includes(one)) return true
    return false
  }
  /** Level by level, so that no reading is passed over that one spelling less would have led to. */
  function holds(part: string): boolean {
    const seen = new Set<string>()
    let work = 0
    let level = [part]
    for (let round = 0; round <= ROUNDS && level.length > 0; round++) {
      const next: string[] = []
      for (const reading of level) {
        if (seen.has(reading)) continue
        seen.add(reading)
        work += reading.length
        if (work > MOST_WORK || tells(reading)) return true
        for (const decode of decoders) next.push(...decode(reading))
      }
      level = next.filter((one) => one.length >= least && !seen.has(one))
    }
    return level.length > 0
  }
  return (text) => {
    if (text.length < least || windows.size === 0) return false
    if (text.length <= PART) return holds(text)
    for (let at = 0; at < Math.min(text.length, LONGEST); at += PART - SHARED) {
      if (holds(text.slice(at, at + PART))) return true
    }
    return tells(text)
  }
}

/** Neither case nor the kind of a blank keeps anybody from reading it. */
const fold = (text: string) => text.toLowerCase().replace(BLANKS, ' ')
const BLANKS = /(?:\s|(?![\x80-\x9f])\p{Cc})+/gu

function windowsOf(secret: string): string[] {
  // Half a surrogate pair cannot be sent.
  const folded = fold(Buffer.from(secret).toString())
  if (folded.length <= WINDOW) return folded === '' ? [] : [folded]
  return Array.from({ length: folded.length - WINDOW + 1 }, (_, at) => folded.slice(at, at + WINDOW))
}

/**
 * Of a password that somebody chose: without those that are letters alone. A device may be called by a word that is in the
 * password, and would lose its name.
 */
function oddWindowsOf(secret: string): string[] {
  const folded = fold(Buffer.from(secret).toString())
  return [...windowsOf(secret).filter((one) => !/^\p{L}+$/u.test(one)), ...(folded === '' ? [] : [folded])]
}

const asBytes = (text: string) => Buffer.from(text).toString('latin1')

/** Takes what holds a secret out of an answer that goes on, and changes nothing else. */
export interface Redactor {
  /** Texts and keys, in place, however deep they are. */
  within<T>(value: T): T
  /** Cells of CSV. */
  table(text: string): string
}

/** A number, or a time, as text or as a cell: a password of digits must not take records away. */
const FIGURE = /^"?(?:[-+]?\d{0,11}(?:\.\d*)?|\d{4}[-/]\d\d[-/]\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?)"?$/
/** Where the service's fields are called so, a password that has the word in it must not take them away. */
const DESCRIBED =
  /^(?:devices|serial|battery|channel|baseunit|unixtime|(?:remote|base)-(?:serial|model|name)|(?:time|std|dst)[-_](?:diff|bias|flg)|data[-_]id|alert-logs|battery-level|communication-status)$/
const OF_SERIALS = /serial$|^base$/
const CELL = /"[^"]*(?:""[^"]*){0,200}"|[^",\r\n][^,\r\n]*/g
const ROW = /[^\r\n]+/g
const OF_FIGURES = /^[-+\d\s.,:/"]*$/

/** @param chosen secrets that somebody chose: words of them may stand in names */
export function createRedactor(secrets: readonly string[], chosen: readonly string[] = []): Redactor {
  // Shorter ones are in too many words: only where nothing else stands beside them.
  const short = new Set([...secrets, ...chosen].filter(({ length }) => length < WINDOW))
  const long = (some: readonly string[]) => some.filter((secret) => !short.has(secret))
  const holds = remembering(searchFor(long(secrets), long(chosen)))
  const isShort = (text: string) => text !== '' && short.has(text.replace(/^"|"$/g, ''))
  const told = (text: string) => (FIGURE.test(text) || !(holds(text) || isShort(text)) ? text : GONE)
  /** Somebody may take the serial number of a device for a password, and would lose the device. */
  const isOfPassword = (serial: string) => chosen.some((one) => fold(one).includes(fold(serial)))
  const isNamed = (key: string) => DESCRIBED.test(key) || FIGURE.test(key) || !holds(key)

  /** What holds a comma may stand in more than one cell. */
  function row(cells: string): string {
    if (OF_FIGURES.test(cells)) return cells
    const words = (cells.match(CELL) ?? []).filter((cell) => !FIGURE.test(cell))
    if (words.length < 2 || !holds(words.join())) return cells
    return cells.replace(CELL, (cell) => (FIGURE.test(cell) ? cell : GONE))
  }

  return {
    within(value) {
      const left: object[] = []
      const kept = (found: unknown, key = ''): unknown => {
        if (typeof found === 'object' && found !== null) left.push(found)
        if (typeof found !== 'string') return found
        return OF_SERIALS.test(key) && isSerial(found) && isOfPassword(found) ? found : told(found)
      }
      const result = kept(value) as typeof value
      for (let at = left.pop(); at; at = left.pop()) {
        if (Array.isArray(at)) for (const [index, found] of at.entries()) at[index] = kept(found)
        else if (at instanceof Map) for (const [key, found] of at) at.set(key, kept(found))
        else if (!ArrayBuffer.isView(at)) ofObject(at as Record<string, unknown>, kept)
      }
      return result
    },
    table: (text) => text.replace(CELL, told).replace(ROW, row),
  }

  function ofObject(object: Record<string, unknown>, kept: (found: unknown, key: string) => unknown): void {
    for (const [key, found] of Object.entries(object)) {
      const value = kept(found, key)
      const name = isNamed(key) ? key : GONE
      if (name !== key) delete object[key]
      if (name !== key || value !== found) object[name] = value
    }
  }
}

const MOST_REMEMBERED = 10_000
const LONGEST_REMEMBERED = 100

/** Names come again with every answer, keys with every record. */
function remembering(holds: (text: string) => boolean): (text: string) => boolean {
  const known = new Map<string, boolean>()
  return (text) => {
    if (text.length > LONGEST_REMEMBERED) return holds(text)
    const before = known.get(text)
    if (before !== undefined) return before
    if (known.size === MOST_REMEMBERED) known.clear()
    const found = holds(text)
    known.set(text, found)
    return found
  }
}
