const NUMBER = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s*$/

/**
 * Reads a number that the service may send as a JSON number or as text (docs/service.md, *Fields*): an optional sign,
 * decimal digits, at most one decimal point, an optional exponent, surrounding blanks. Anything else, including blank
 * text and infinite numbers, is `null`.
 */
export function readNumber(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value !== 'string') return null
  const number = Number(value)
  if (!Number.isFinite(number)) return null
  // `Number` also accepts blank text and `0x10`. A text that begins with 1 to 9 or `-`, or is a single 0, is neither, so
  // it can skip the pattern, which takes ten times as long.
  const isDecimal = (value >= '1' && value < ':') || value === '0' || value.startsWith('-')
  return isDecimal || NUMBER.test(value) ? number : null
}

/** The error for a measured value that is blank or absent (docs/messages.md). */
export const MISSING = 'missing'

/** The error for a measured value that `readNumber` does not accept: the service's own text, or `missing`. */
export function readValueError(value: unknown): string {
  if (value === undefined || value === null) return MISSING
  if (typeof value === 'string') return value.trim() === '' ? MISSING : sanitizeText(value)
  // The contents of an object are not included, because it may be nested too deeply to be serialized.
  return typeof value === 'object' ? 'object' : String(value)
}

/**
 * Maximum length of a text. The service's names, units and alert texts are much shorter. All names of a device together
 * must fit into a topic of 65,535 bytes, because MQTT clients send nothing after a longer one, or end the process.
 */
export const MAX_LENGTH = 1000

/** A NUL, or one half of a surrogate pair. */
const SUSPECT = /[\0\ud800-\udfff]/

/**
 * Makes a text safe to store: truncates it to 1,000 UTF-16 units, and replaces each NUL and unpaired surrogate with
 * U+FFFD. PostgreSQL rejects a complete statement that contains one of these, and SQLite truncates the text at it.
 */
export function sanitizeText(text: string): string {
  const cut = text.length > MAX_LENGTH ? text.slice(0, MAX_LENGTH) : text
  // Nearly all texts are safe, and testing is cheaper than replacing.
  if (!SUSPECT.test(cut)) return cut
  return cut.replace(/[\0\p{Cs}]/gu, '\ufffd')
}
