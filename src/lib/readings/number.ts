import { storable } from './text'

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/

/**
 * The one reader of numbers: a finite number, or text that is one when trimmed (optional sign, decimal digits,
 * at most one dot, optional exponent). Everything else, blank text too, is `null`.
 */
export function readNumber(value: unknown): number | null {
  const number = typeof value === 'string' && NUMBER.test(value.trim()) ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : null
}

/** Error of a measured value that is blank or absent. */
export const MISSING = 'missing'

/** Why a value that is no number is none: the service's own text, or `missing`. */
export function valueError(value: unknown): string {
  if (value === undefined || value === null) return MISSING
  if (typeof value === 'string') return value.trim() === '' ? MISSING : storable(value)
  // What an object holds is not said: it may be nested deeper than it could be written down.
  return typeof value === 'object' ? 'object' : String(value)
}
