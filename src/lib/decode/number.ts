import { sanitizeText } from './text'

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/

/**
 * Reads a number that the service may send as JSON number or as text (docs/service.md, *Fields*): an optional sign,
 * decimal digits, at most one dot, an optional exponent, blanks around them. Anything else, blank text and infinite
 * numbers included, is `null`.
 */
export function readNumber(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value !== 'string') return null
  if (!isPlain(value) && !NUMBER.test(value.trim())) return null
  const number = Number(value)
  return Number.isFinite(number) ? number : null
}

/**
 * True for an optional sign followed by digits and dots only. If `Number` accepts such a text it is valid, so the
 * slower pattern is not needed. Nearly all values are like this.
 */
function isPlain(text: string): boolean {
  const { length } = text
  const first = text.charCodeAt(0)
  for (let at = first === MINUS || first === PLUS ? 1 : 0; at < length; at++) {
    const code = text.charCodeAt(at)
    if ((code < ZERO || code > NINE) && code !== DOT) return false
  }
  return length > 0
}

const [PLUS, MINUS, DOT, ZERO, NINE] = [0x2b, 0x2d, 0x2e, 0x30, 0x39]

/** The error of a measured value that is blank or absent (docs/messages.md). */
export const MISSING = 'missing'

/** The error of a measured value that `readNumber` does not accept: the service's own text, or `missing`. */
export function readValueError(value: unknown): string {
  if (value === undefined || value === null) return MISSING
  if (typeof value === 'string') return value.trim() === '' ? MISSING : sanitizeText(value)
  // The contents of an object are not repeated: it may be nested too deeply to be serialized.
  return typeof value === 'object' ? 'object' : String(value)
}
