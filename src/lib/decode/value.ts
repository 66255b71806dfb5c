import { sanitizeText } from './text'

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
  // `Number` also accepts blank text and `0x10`. A text that begins with 1 to 9 or `-` is neither, so it can skip the
  // pattern, which takes ten times as long.
  const isDecimal = (value >= '1' && value < ':') || value.startsWith('-')
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
