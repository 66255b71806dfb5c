/**
 * Pseudo-random numbers that depend only on the arguments. For example, record 1,000,000 of a device can be computed
 * without the 999,999 before it, and is the same in every process with the same seed.
 */

/** A 32-bit number from a seed and up to two integers. */
export function hash(seed: number, a: number, b = 0): number {
  let h = (seed ^ Math.imul(a | 0, 0x9e3779b1)) >>> 0
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = (h ^ Math.imul(b | 0, 0xc2b2ae35)) >>> 0
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  h = Math.imul(h ^ (h >>> 16), 0x27d4eb2f)
  return (h ^ (h >>> 15)) >>> 0
}

/** A number from 0 (inclusive) to 1 (exclusive). */
export function chance(seed: number, a: number, b = 0): number {
  return hash(seed, a, b) / 0x1_0000_0000
}

/** Derives a seed from numbers and texts, so that each device and each channel has its own. */
export function seedFrom(...parts: readonly (string | number)[]): number {
  let h = 0x811c9dc5
  const text = parts.join('\u0000')
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193)
  return hash(h >>> 0, text.length)
}

/** Returns a copy in a random order, which depends only on the seed and the length. */
export function shuffled(items: readonly number[], seed: number): number[] {
  const copy = [...items]
  for (let i = copy.length - 1; i > 0; i--) {
    const j = hash(seed, i) % (i + 1)
    const kept = copy[i] as number
    copy[i] = copy[j] as number
    copy[j] = kept
  }
  return copy
}
