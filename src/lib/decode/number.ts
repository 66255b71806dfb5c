import { sanitizeText } from './text'

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/

/**
 * The one reader of numbers: a finite number, or text that is one when trimmed (optional sign, decimal digits,
 * at most one dot, optional exponent). Everything else, blank text too, is `null`.
 */
export function readNumber(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value !== 'string') return null
  if (!isPlain(value) && !NUMBER.test(value.trim())) return null
  const number = Number(value)
  return Number.isFinite(number) ? number : null
}

/** Digits and dots with a sign at most: what `Number` makes a number of is one. Nearly all values are such. */
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

/** Error of a measured value that is blank or absent. */
export const MISSING = 'missing'

/** Why a value that is no number is none: the service's own text, or `missing`. */
export function readValueError(value: unknown): string {
  if (value === undefined || value === null) return MISSING
  if (typeof value === 'string') return value.trim() === '' ? MISSING : sanitizeText(value)
  // What an object holds is not said: it may be nested deeper than it could be written down.
  return typeof value === 'object' ? 'object' : String(value)
}
